import Foundation
import Sequencer

/// Live progress on a terminal: a line per operation, drawn over itself while the launch runs and gone when it is over.
struct LiveView: Sendable {
    private let events: AsyncStream<LaunchEvent>
    private let style: TextStyle
    private let state: Locked<LiveViewState>

    init(scenario: OperationGraph, events: AsyncStream<LaunchEvent>, style: TextStyle) {
        self.events = events
        self.style = style
        state = Locked(LiveViewState(scenario.identifiers))
    }

    /// Draws until the launch is over, ten times a second.
    func run() async {
        let clock = ContinuousClock()
        let start = clock.now
        let ticker = Task {
            var drawn = 0
            while !Task.isCancelled {
                let lines = state.withLock { $0.lines(at: start.duration(to: clock.now), in: .current, style) }
                draw(lines, over: drawn)
                drawn = lines.count
                try? await clock.sleep(for: .milliseconds(100))
            }
            draw([], over: drawn)
        }
        for await event in events { state.withLock { $0.apply(event) } }
        ticker.cancel()
        await ticker.value
    }

    /// Replaces the lines that were drawn last. The cursor stays visible, so that nothing has to be put right when the process is killed.
    private func draw(_ lines: [String], over drawn: Int) {
        let up = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        let text = lines.map { $0 + "\u{1B}[K\n" }.joined()
        try? Output(nil).write(up + "\r" + text + "\u{1B}[J")
    }
}

/// What a live view shows: the last that was heard of each operation.
struct LiveViewState: Sendable {
    enum Progress: Equatable {
        case waiting
        case running(since: Duration, attempt: Int)
        case pausing
        case ended(Outcome, after: Duration)
    }

    private let identifiers: [String]
    private(set) var progress: [String: Progress] = [:]
    private var isStopped = false

    init(_ identifiers: [String]) {
        self.identifiers = identifiers
    }

    mutating func apply(_ event: LaunchEvent) {
        switch event.kind {
        case .started(let id, let attempt): progress[id] = .running(since: event.time, attempt: attempt)
        case .retrying(let id, _): progress[id] = .pausing
        case .ended(let id, let outcome):
            var duration = Duration.zero
            if case .running(let since, _) = progress[id] { duration = event.time - since }
            progress[id] = .ended(outcome, after: duration)
        case .stopped: isStopped = true
        case .launchStarted, .ready, .launchEnded: break
        }
    }

    /// The lines to show: every operation where they fit, otherwise those that run; then how many have ended.
    func lines(at now: Duration, in terminal: Terminal, _ style: TextStyle) -> [String] {
        let room = terminal.height - 2
        var shown = identifiers
        if shown.count > room {
            shown = Array(identifiers.filter { if case .running = progress[$0] { true } else { false } }.prefix(max(room, 0)))
        }
        let nameWidth = min(shown.map { displayWidth(printable($0)) }.max() ?? 0, max(terminal.width - 24, 8))
        var lines = shown.map { id in
            let (mark, note, look) = look(progress[id] ?? .waiting, now, style)
            return style("\(mark) \(fitted(id, nameWidth, unicode: style.usesUnicode)) \(note)", look)
        }
        let ended = progress.values.lazy.filter { if case .ended = $0 { true } else { false } }.count
        let stopping = isStopped ? ", stopping" : ""
        lines.append(style("\(ended) of \(identifiers.count) ended, \(durationText(rounded(now)))\(stopping)", .dim))
        return lines
    }

    private func look(_ progress: Progress, _ now: Duration, _ style: TextStyle) -> (mark: String, note: String, look: TextStyle.Look) {
        let marks = style.usesUnicode ? ["·", "…", "✓", "!", "✗", "-"] : [".", "~", "+", "!", "x", "-"]
        switch progress {
        case .waiting: return (marks[0], "", .dim)
        case .pausing: return (marks[1], "waiting to try again", .yellow)
        case .running(let since, let attempt):
            let turn = Int(now.milliseconds / 100) % 4
            let spinner = style.usesUnicode ? ["◐", "◓", "◑", "◒"][turn] : ["|", "/", "-", "\\"][turn]
            return (spinner, durationText(rounded(max(now - since, .zero))) + (attempt > 1 ? ", attempt \(attempt)" : ""), .bold)
        case .ended(let outcome, let duration):
            switch outcome {
            case .succeeded: return (marks[2], durationText(duration), .green)
            case .fellBack: return (marks[3], durationText(duration) + ", fell back", .yellow)
            case .failed: return (marks[4], "failed", .red)
            case .timedOut: return (marks[4], "timed out", .red)
            case .cancelled: return (marks[4], "cancelled", .red)
            case .skipped: return (marks[5], "skipped", .dim)
            }
        }
    }

    /// To a tenth of a second, so that a running time does not flicker.
    private func rounded(_ duration: Duration) -> Duration {
        .milliseconds(Int64(duration.milliseconds / 100) * 100)
    }
}
