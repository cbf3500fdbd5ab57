import Dispatch
import Foundation
import Sequencer

/// Shows on standard error how far something is, once it has taken longer than a second; on a terminal only.
///
/// A timer draws it anew while nobody says anything, so that its time goes on. All drawing is done on one queue, so it can be used from any thread.
final class ProgressBar: @unchecked Sendable {
    // @unchecked: `state`, `detail`, `drawn` and `isOver` are only touched on `queue`.
    private static let interval = Duration.milliseconds(100)

    private let terminal: Terminal
    private let environment: [String: String]
    private let patience: Duration
    private let title: String
    private let isUnicode: Bool
    private let now: @Sendable () -> Duration
    private let queue = DispatchQueue(label: "sequencer-cli.progress")
    private let timer: any DispatchSourceTimer

    private var state = ProgressState()
    private var detail = ""
    private var drawn: (line: String, time: Duration)?
    private var isOver = false

    /// - Parameters:
    ///   - input: what is read meanwhile, if anything: nothing is drawn where a person types it.
    ///   - patience: how long nothing is shown.
    ///   - tick: how often it is looked at whether the line has changed.
    ///   - now: the time since the begin; nil for a clock's.
    /// - Returns: nil where nothing can be drawn over.
    init?(
        _ title: String,
        reading input: String? = nil,
        on terminal: Terminal = .standardError,
        patience: Duration = .seconds(1),
        tick: DispatchTimeInterval = .milliseconds(250),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        now: (@Sendable () -> Duration)? = nil
    ) {
        guard terminal.canAnimate(environment) else { return nil }
        if let input, isStandardInput(input), isatty(STDIN_FILENO) == 1 { return nil }
        self.terminal = terminal
        self.patience = patience
        self.environment = environment
        self.title = title
        let begin = ContinuousClock.now
        self.now = now ?? { begin.duration(to: .now) }
        isUnicode = TextStyle(color: .never, isTerminal: true, environment: environment).isUnicode
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + tick, repeating: tick)
        timer.setEventHandler { [weak self] in self?.draw() }
        timer.resume()
    }

    deinit {
        timer.cancel()
    }

    /// Says how far it is; draws that, unless it is too early.
    ///
    /// - Parameters:
    ///   - fraction: what is done of the whole, from 0 to 1; nil when nobody knows the whole.
    ///   - detail: shown in place of a bar where nobody knows the whole.
    func update(fraction: Double?, detail: String = "") {
        queue.sync {
            let time = now()
            state.update(fraction: fraction, elapsed: time)
            self.detail = detail
            if let drawn, time - drawn.time < Self.interval { return }
            draw()
        }
    }

    /// Takes the line away while something else is written to the terminal; it comes back by itself.
    func erase(while write: () -> Void) {
        queue.sync {
            clear()
            write()
        }
    }

    /// Takes the line away for good.
    func end() {
        queue.sync {
            isOver = true
            clear()
        }
        timer.cancel()
    }

    // MARK: On the queue

    private func draw() {
        let time = now()
        guard !isOver, time >= patience else { return }
        let text = ProgressText(title: title, width: max(terminal.size(environment).width - 1, 1), isUnicode: isUnicode)
        let line = text.line(state, detail: detail, elapsed: time)
        if line == drawn?.line { return }
        drawn = (line, time)
        terminal.write("\r\u{1B}[K" + line)
    }

    private func clear() {
        guard drawn != nil else { return }
        drawn = nil
        terminal.write("\r\u{1B}[K")
    }
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
    static func during<Result>(_ title: String, reading input: String, _ body: () async throws -> Result) async rethrows -> Result {
        let progress = ProgressBar(title, reading: input)
        defer { progress?.end() }
        progress?.update(fraction: nil, detail: inputName(input))
        return try await body()
    }
}
