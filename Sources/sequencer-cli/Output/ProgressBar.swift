import Foundation
import Sequencer

/// How far something is, as one line: `bench  [####......]  40%  about 12 s left`.
struct ProgressText: Equatable, Sendable {
    let title: String
    let width: Int
    let isUnicode: Bool

    /// - Parameters:
    ///   - fraction: what is done of the whole, from 0 to 1; nil when nobody knows the whole.
    ///   - detail: shown in place of a bar where the whole is not known.
    func line(fraction: Double?, elapsed: Duration, detail: String) -> String {
        guard let fraction else { return truncated("\(title)  \(detail)", to: width, ellipsis: isUnicode ? "…" : "...") }
        let share = min(max(fraction, 0), 1)
        let head = "\(title)  "
        let tail = "  \(Int(share * 100))%\(left(share, elapsed))"
        let room = min(max(width - displayWidth(head) - displayWidth(tail) - 2, 0), 40)
        if room < 5 { return truncated(head + tail.drop { $0 == " " }, to: width, ellipsis: isUnicode ? "…" : "...") }
        let filled = Int((share * Double(room)).rounded(.down))
        let (full, empty) = isUnicode ? ("█", "░") : ("#", ".")
        let bar = String(repeating: full, count: filled) + String(repeating: empty, count: room - filled)
        return isUnicode ? head + bar + tail : head + "[" + bar + "]" + tail
    }

    /// What is left takes as long for its share as what is done took for its own.
    private func left(_ share: Double, _ elapsed: Duration) -> String {
        guard share > 0, share < 1 else { return "" }
        let seconds = (Double(elapsed.nanoseconds) / 1e9 * (1 - share) / share).rounded(.up)
        if seconds > 100 * 3600 { return "" }
        return seconds < 60 ? "  about \(Int(seconds)) s left" : "  about \(Int((seconds / 60).rounded())) min left"
    }
}

/// Shows on standard error how far something is, once it has taken longer than a second; on a terminal only.
struct ProgressBar {
    private static let interval = Duration.milliseconds(100)

    private let terminal: Terminal
    private let environment: [String: String]
    private let patience: Duration
    private let title: String
    private let isUnicode: Bool
    private let begin = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    /// - Parameter patience: how long nothing is shown.
    /// - Returns: nil where nothing can be drawn over.
    init?(
        _ title: String,
        on terminal: Terminal = .standardError,
        patience: Duration = .seconds(1),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard terminal.canAnimate(environment) else { return nil }
        self.terminal = terminal
        self.patience = patience
        self.environment = environment
        self.title = title
        isUnicode = TextStyle(color: .never, isTerminal: true, environment: environment).isUnicode
    }

    /// Draws, unless it is too early.
    mutating func update(fraction: Double?, detail: @autoclosure () -> String) {
        let now = ContinuousClock.now
        let elapsed = begin.duration(to: now)
        guard elapsed >= patience, last.map({ $0.duration(to: now) >= Self.interval }) ?? true else { return }
        last = now
        let text = ProgressText(title: title, width: max(terminal.size(environment).width - 1, 1), isUnicode: isUnicode)
        terminal.write("\r\u{1B}[K" + text.line(fraction: fraction, elapsed: elapsed, detail: detail()))
    }

    /// Takes the line away; it comes back with the next ``update(fraction:detail:)``.
    mutating func erase() {
        guard last != nil else { return }
        last = nil
        terminal.write("\r\u{1B}[K")
    }
}
