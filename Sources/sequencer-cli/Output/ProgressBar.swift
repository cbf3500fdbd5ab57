import Foundation
import Sequencer
import SequencerAnalysis

/// Shows on standard error how far something is: on a terminal once it has taken longer than a second, elsewhere only
/// where that is asked for, in a line every five seconds.
struct ProgressBar: Sendable {
    private let view: LiveView
    private let state = Locked(ProgressState())

    /// - Parameters:
    ///   - input: the input that is read meanwhile, if any: nothing is drawn while a person types it.
    ///   - inLines: whether it is shown where nothing can be drawn over, too.
    /// - Returns: nil where nothing can be drawn over.
    init?(_ title: String, reading input: String? = nil, inLines: Bool = false) {
        if let input, isStandardInput(input), isatty(STDIN_FILENO) == 1 { return nil }
        let (patience, tick) = (Duration.seconds(1), Duration.milliseconds(250))
        guard let view = LiveView(on: .standardError, inLines: inLines, isLine: true, patience: patience, tick: tick) else { return nil }
        self.init(title, on: view)
    }

    init(_ title: String, on view: LiveView) {
        self.view = view
        let isUnicode = TextStyle(color: .never, isTerminal: true, environment: view.environment).isUnicode
        view.begin { [state] size, time in
            // One column stays free: some terminals wrap after the last.
            [state.withLock { $0 }.line(title, elapsed: time, width: max(size.width - 1, 1), isUnicode: isUnicode)]
        }
    }

    /// Says how far it is; draws that, unless it is too early.
    ///
    /// - Parameters:
    ///   - fraction: the share that is done, from 0 to 1; nil when the whole is unknown.
    ///   - detail: shown in place of a bar where nobody knows the whole.
    func update(fraction: Double?, detail: String = "") {
        state.withLock { $0.update(fraction: fraction, detail: detail, elapsed: view.now()) }
        view.redraw()
    }

    /// Takes the line away while something else is written to the terminal; it comes back by itself.
    func erase(while write: () -> Void) { view.erase(while: write) }

    /// Takes the line away until ``resume()``, for a question.
    func pause() { view.pause() }

    func resume() { view.resume() }

    /// Takes the line away for good.
    func end() { view.end() }
}

extension ProgressBar {
    /// Runs something that may take long, and shows meanwhile, on a terminal, that it goes on.
    static func during<Result>(_ title: String, reading input: String, _ body: () throws -> Result) rethrows -> Result {
        let progress = ProgressBar(title, reading: input)
        defer { progress?.end() }
        progress?.update(fraction: nil, detail: inputName(input))
        return try body()
    }

    /// Runs something that may take long, and shows meanwhile, on a terminal, that it goes on.
    static func during<Result>(_ title: String, reading input: String, _ body: () async throws -> Result) async rethrows
        -> Result
    {
        let progress = ProgressBar(title, reading: input)
        defer { progress?.end() }
        progress?.update(fraction: nil, detail: inputName(input))
        return try await body()
    }
}

extension AsyncSequence where Element == LaunchEvent, Failure == Never {
    /// Says on standard error which of a launch's operations have ended, a line each.
    func tell(of total: Int) async {
        var ended = 0
        for await event in self {
            guard case .ended(let id, let outcome) = event.kind else { continue }
            ended += 1
            Terminal.standardError.write(
                "run  \(ended) of \(total)  \(printable(id, limit: 80)) \(outcome.rawValue) at \(durationText(event.time))\n"
            )
        }
    }
}

/// How far something is: a value made of the last update and its time.
struct ProgressState: Equatable, Sendable {
    /// The share that is done, from 0 to 1; nil when the whole is unknown.
    private(set) var fraction: Double?
    /// Shown in place of a bar where nobody knows the whole.
    private var detail = ""
    /// When that was said, from the begin.
    private var said = Duration.zero

    /// Takes in the share that is done at `elapsed` since the begin.
    mutating func update(fraction: Double?, detail: String = "", elapsed: Duration) {
        // NaN is not greater than 0, so it counts as nothing.
        self.fraction = fraction.map { $0 > 0 ? min($0, 1) : 0 }
        (self.detail, said) = (detail, elapsed)
    }

    /// The time that is left at `elapsed`, in seconds rounded up; nil when it cannot be told.
    ///
    /// The rest is expected to go on at the average pace so far, and gets less between updates. Once that time has
    /// passed, it cannot be told: the step at hand takes longer than those before.
    func left(_ elapsed: Duration) -> Duration? {
        guard let fraction, fraction > 0, fraction < 1 else { return nil }
        let total = Double(said.nanoseconds) / 1e9 / fraction
        let seconds = (total - Double(elapsed.nanoseconds) / 1e9).rounded(.up)
        // Beyond a hundred hours it is a guess that helps nobody, and would not fit the line.
        return seconds > 0 && seconds <= 100 * 3600 ? .seconds(Int(seconds)) : nil
    }

    /// One line: `bench  [####......]  40%  8 s, about 12 s left`.
    ///
    /// - Parameter elapsed: since it began.
    func line(_ title: String, elapsed: Duration, width: Int, isUnicode: Bool) -> String {
        let ellipsis = isUnicode ? "…" : "..."
        let time = Self.text(elapsed)
        guard let fraction else {
            return truncated("\(title)  \(detail.isEmpty ? time : "\(detail), \(time)")", to: width, ellipsis: ellipsis)
        }
        let left = left(elapsed).map { ", about \(Self.text($0)) left" } ?? ""
        let head = "\(title)  "
        // Rounded down, so that 100% means the end.
        let tail = "  \(Int(fraction * 100))%  \(time)\(left)"
        let room = min(max(width - displayWidth(head) - displayWidth(tail) - 2, 0), 40)
        if room < 5 { return truncated(head + tail.drop { $0 == " " }, to: width, ellipsis: ellipsis) }
        let filled = Int((fraction * Double(room)).rounded(.down))
        let (full, empty) = isUnicode ? ("█", "░") : ("#", ".")
        let bar = String(repeating: full, count: filled) + String(repeating: empty, count: room - filled)
        return isUnicode ? head + bar + tail : head + "[" + bar + "]" + tail
    }

    /// In whole seconds, and in minutes from two of them on.
    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}
