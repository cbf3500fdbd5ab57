import Foundation
import Sequencer
import SequencerAnalysis

/// Lines on a terminal that are redrawn while something runs, and removed at its end: a launch, or the progress of a
/// command.
///
/// A separate thread draws them while nothing happens, so that their time continues. All drawing is done on one queue,
/// which needs no thread, so a view can be used from any.
final class LiveView: @unchecked Sendable {
    // @unchecked: `picture`, `drawn` and `pauses` are only touched on `queue`.

    /// The view of the command that runs. Messages and questions take it away for a while, and the result for good.
    static let current = Locked<LiveView?>(nil)

    /// Takes the view of the command away for good, and has another one in its place.
    static func replace(by view: LiveView?) {
        current.withLock { $0 }?.end()
        current.withLock { $0 = view }
    }

    /// The time since the view was made.
    let now: @Sendable () -> Duration
    private let terminal: Terminal
    let environment: [String: String]
    /// Whether there is a terminal to draw over; otherwise each picture is a new line, and stays.
    private let isAnimated: Bool
    private let patience: Duration
    private let tick: Duration?
    private let queue = DispatchQueue(label: "sequencer-cli.live-view")

    private var picture: (@Sendable (Terminal.Size, Duration) -> [String])?
    private var drawn: (lines: [String], time: Duration)?
    private var pauses = 0

    /// - Parameters:
    ///   - inLines: whether it is shown where nothing can be drawn over, too.
    ///   - patience: how long nothing is shown on a terminal.
    ///   - tick: how often it is drawn while nothing happens; nil: only when somebody asks.
    ///   - now: the time since the begin; nil for a clock's.
    /// - Returns: nil where nothing can be drawn over.
    init?(
        on terminal: Terminal,
        inLines: Bool = false,
        patience: Duration = .zero,
        tick: Duration? = .milliseconds(100),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        now: (@Sendable () -> Duration)? = nil
    ) {
        isAnimated = terminal.canAnimate(environment)
        guard isAnimated || inLines else { return nil }
        let begin = ContinuousClock.now
        self.now = now ?? { begin.duration(to: .now) }
        (self.terminal, self.environment, self.tick) = (terminal, environment, tick)
        // Lines do not flicker: the first one comes at once.
        self.patience = isAnimated ? patience : .zero
    }

    /// Has these lines drawn from now on, no wider and less high than the terminal.
    ///
    /// - Parameter picture: makes the lines for a terminal's size and the time since the view was made.
    func begin(_ picture: @escaping @Sendable (Terminal.Size, Duration) -> [String]) {
        queue.sync { self.picture = picture }
        // Without a thread it is drawn only when there is news.
        guard let tick else { return }
        try? startThread { [weak self] in
            // Sleeps first: most work is over before the first tick.
            repeat { usleep(useconds_t(tick / .microseconds(1))) } while self?.redraw() == true
        }
    }

    /// Draws, unless nothing has changed, or the picture before is too new.
    ///
    /// - Returns: false once the view is over.
    @discardableResult
    func redraw() -> Bool {
        queue.sync {
            draw()
            return picture != nil
        }
    }

    /// Takes the lines away until ``resume()``; pauses add up.
    func pause() {
        queue.sync {
            pauses += 1
            clear()
        }
    }

    func resume() { queue.sync { pauses -= 1 } }

    /// Takes the lines away for good.
    func end() {
        queue.sync {
            picture = nil
            clear()
        }
    }

    // MARK: On the queue

    private func draw() {
        let time = now()
        guard let picture, pauses == 0, time >= patience else { return }
        // Not more often than anyone reads it.
        if let drawn, time - drawn.time < (isAnimated ? .milliseconds(30) : .seconds(5)) { return }
        let lines = picture(terminal.size(environment), time)
        if lines == drawn?.lines { return }
        if isAnimated {
            // Each line is cleared after it is written, not before: that does not flicker.
            terminal.write((drawn.map { Self.home($0.lines) } ?? "") + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
        } else {
            terminal.write(lines.map { $0 + "\n" }.joined())
        }
        drawn = (lines, time)
    }

    private func clear() {
        // Lines that are a log stay where they are.
        guard isAnimated, let lines = drawn?.lines else { return }
        // Forgotten, so that the next picture is drawn even if it is the same.
        drawn = nil
        terminal.write(Self.home(lines) + "\u{1B}[J")
    }

    // A carriage return too: the cursor may stand in a column that the user has typed to.
    private static func home(_ lines: [String]) -> String { "\u{1B}[\(lines.count)A\r" }
}

extension LiveView {
    /// Shows a launch until its events end, or the task is cancelled.
    func show<Events: AsyncSequence>(_ events: Events, of graph: OperationGraph, _ style: TextStyle) async
    where Events.Element == LaunchEvent {
        let state = Locked(LiveState(name: graph.name, total: graph.identifiers.count))
        var hasBegun = false
        var iterator = events.makeAsyncIterator()
        while let event = try? await iterator.next() {
            state.withLock { $0.apply(event) }
            if !hasBegun {
                // The view may begin late, so the launch's zero is found from its first event.
                let zero = now() - event.time
                begin { size, time in state.withLock { $0 }.lines(size, now: time - zero, style: style) }
                hasBegun = true
            }
            redraw()
        }
        end()
    }
}

/// Shows on standard error how far a command is: on a terminal once it has taken longer than a second, elsewhere only
/// where that is asked for, in a line every five seconds.
struct ProgressLine: Sendable {
    private let view: LiveView
    private let state = Locked((fraction: Double?.none, detail: ""))

    /// Shows that a command continues, until its result is written.
    ///
    /// - Parameters:
    ///   - input: the input that is read meanwhile, if any: nothing is drawn while the user types it.
    ///   - inLines: whether it is shown where nothing can be drawn over, too.
    /// - Returns: nil where nothing can be drawn over.
    @discardableResult
    static func begin(_ title: String, reading input: String?, inLines: Bool = false) -> ProgressLine? {
        LiveView.replace(by: nil)
        if let input, isStandardInput(input), isatty(STDIN_FILENO) == 1 { return nil }
        guard let view = LiveView(on: .standardError, inLines: inLines, patience: .seconds(1)) else { return nil }
        LiveView.replace(by: view)
        let progress = ProgressLine(title, on: view)
        progress.update(fraction: nil, detail: input.map(inputName) ?? "")
        return progress
    }

    init(_ title: String, on view: LiveView) {
        self.view = view
        let isUnicode = TextStyle(color: .never, isTerminal: true, environment: view.environment).isUnicode
        view.begin { [state] size, time in
            let (fraction, detail) = state.withLock { $0 }
            // Rounded down, so that 100% means the end.
            let share = fraction.map { "\($0 > 0 ? Int(min($0, 1) * 100) : 0)%" }
            let parts = [title, share ?? detail, "\(time.components.seconds) s"]
            let line = parts.filter { !$0.isEmpty }.joined(separator: "  ")
            // The last column stays free: some terminals wrap after it.
            return [truncated(line, to: max(size.width - 1, 1), ellipsis: isUnicode ? "…" : "...")]
        }
    }

    /// Says how far it is; draws that, unless it is too early.
    ///
    /// - Parameters:
    ///   - fraction: the share that is done, from 0 to 1; nil when the whole is unknown.
    ///   - detail: shown in place of the share where nobody knows the whole.
    func update(fraction: Double?, detail: String = "") {
        state.withLock { $0 = (fraction, detail) }
        view.redraw()
    }
}

/// The state of a launch for a live view: a value made of events, and the lines that show it.
struct LiveState: Sendable {
    let name: String
    /// The number of operations.
    let total: Int
    /// In the order in which they started; the time since the first attempt continues through the pauses.
    private var running: [(id: String, start: Duration, note: String)] = []
    private var ended: Set<String> = []
    private var isStopping = false
    /// When the last event happened.
    private var time = Duration.zero

    init(name: String, total: Int) { (self.name, self.total) = (name, total) }

    mutating func apply(_ event: LaunchEvent) {
        // Events of several threads may come late: the time never goes back.
        time = max(time, event.time)
        switch event.kind {
        case .launchStarted, .ready, .launchEnded, .dropped: break
        case .stopped: isStopping = true
        case .started(let id, let attempt): note(attempt > 1 ? "  attempt \(attempt)" : "", on: id, event.time)
        case .retrying(let id, let attempt): note("  attempt \(attempt) failed, retrying", on: id, event.time)
        case .ended(let id, _):
            ended.insert(id)
            running.removeAll { $0.id == id }
        }
    }

    private mutating func note(_ note: String, on id: String, _ time: Duration) {
        // An operation that was given up may still tell of its end.
        if ended.contains(id) { return }
        if let place = running.firstIndex(where: { $0.id == id }) {
            running[place].note = note
        } else {
            running.append((id, time, note))
        }
    }

    /// The operations that run, and a sum, at the time `now` since the launch began: at most `size.height - 1` lines,
    /// so that the cursor has a separate line, none of them wider than the terminal.
    func lines(_ size: Terminal.Size, now: Duration, style: TextStyle) -> [String] {
        // An event may be newer than the clock that was read.
        let now = max(now, time)
        func fitted(_ text: String) -> String {
            // The last column stays free: some terminals wrap after it.
            truncated(text, to: max(size.width - 1, 1), ellipsis: style.ellipsis)
        }
        let lines = running.prefix(max(size.height - 2, 0)).map { operation in
            // Times and notes want 26 columns after the name.
            let id = printable(operation.id, limit: 200)
            let name = truncated(id, to: max(size.width - 28, 8), keepsEnd: true, ellipsis: style.ellipsis)
            return fitted("\(name)  \(Self.text(now - operation.start))\(operation.note)")
        }
        let waiting = total - ended.count - running.count
        let end =
            "\(ended.count) of \(total) ended" + (running.isEmpty ? "" : ", \(running.count) running")
            + (waiting > 0 ? ", \(waiting) waiting" : "") + (isStopping ? ", stopping" : "")
        let sum = "\(printable(name, limit: 200))  \(Self.text(now))  \(end)"
        return lines + [style.dim(fitted(sum))]
    }

    /// `0.4 s`: of one length while it counts, so that nothing beside it moves.
    private static func text(_ time: Duration) -> String { String(format: "%.1f s", max(time / .seconds(1), 0)) }
}
