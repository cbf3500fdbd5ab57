import Sequencer

/// How far something is, as one line: `bench  [####......]  40%  8 s, about 12 s left`.
struct ProgressText: Equatable, Sendable {
    let title: String
    let width: Int
    let isUnicode: Bool

    /// - Parameters:
    ///   - detail: shown in place of a bar where nobody knows the whole.
    ///   - elapsed: since it began.
    func line(_ progress: ProgressState, detail: String, elapsed: Duration) -> String {
        let ellipsis = isUnicode ? "…" : "..."
        let time = text(elapsed)
        guard let fraction = progress.fraction else {
            return truncated("\(title)  \(detail.isEmpty ? time : "\(detail), \(time)")", to: width, ellipsis: ellipsis)
        }
        let left = progress.left(elapsed).map { ", about \(text($0)) left" } ?? ""
        let head = "\(title)  "
        let tail = "  \(Int(fraction * 100))%  \(time)\(left)"
        let room = min(max(width - displayWidth(head) - displayWidth(tail) - 2, 0), 40)
        if room < 5 { return truncated(head + tail.drop { $0 == " " }, to: width, ellipsis: ellipsis) }
        let filled = Int((fraction * Double(room)).rounded(.down))
        let (full, empty) = isUnicode ? ("█", "░") : ("#", ".")
        let bar = String(repeating: full, count: filled) + String(repeating: empty, count: room - filled)
        return isUnicode ? head + bar + tail : head + "[" + bar + "]" + tail
    }

    /// In whole seconds, and in minutes from two of them on.
    private func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}

/// How far something is: a value, from what was said last and when.
struct ProgressState: Equatable, Sendable {
    /// What is done of the whole, from 0 to 1; nil when nobody knows the whole.
    private(set) var fraction: Double?
    /// When that was said, from the begin.
    private(set) var said = Duration.zero

    /// Takes in what is done at `elapsed` since the begin.
    mutating func update(fraction: Double?, elapsed: Duration) {
        self.fraction = fraction.map { $0 > 0 ? min($0, 1) : 0 }
        said = elapsed
    }

    /// What is left at `elapsed`, in seconds rounded up; nil when nobody can say.
    ///
    /// What is left takes as long for its share as what is done took for its own, and gets less while nothing is said. Where that has passed, the
    /// step at hand takes longer than those before, nobody knows how much.
    func left(_ elapsed: Duration) -> Duration? {
        guard let fraction, fraction > 0, fraction < 1 else { return nil }
        let total = Double(said.nanoseconds) / 1e9 / fraction
        let seconds = (total - Double(elapsed.nanoseconds) / 1e9).rounded(.up)
        return seconds > 0 && seconds <= 100 * 3600 ? .seconds(Int(seconds)) : nil
    }
}
