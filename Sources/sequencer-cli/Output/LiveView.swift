import Sequencer

/// Shows a launch on a terminal while it runs, in lines that are drawn over again and are gone at its end.
struct LiveView: Sendable {
    /// Makes a hidden cursor visible again; the text that removes a view ends with it.
    static let showCursor = "\u{1B}[?25h"
    /// The text that draws a view begins with it.
    static let hideCursor = "\u{1B}[?25l"
    /// The pause between two pictures when nothing happens.
    private static let interval = Duration.milliseconds(100)
    /// Events that come closer than this are shown together.
    private static let minimumInterval = Duration.milliseconds(30)

    /// Takes the view off the terminal for a while.
    let pausing: LivePause
    private let state: LiveState
    private let style: TextStyle
    private let size: @Sendable () -> Terminal.Size
    private let now: @Sendable () -> Duration
    private let ticks: AsyncStream<Void>
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - size: the terminal's, asked before each picture.
    ///   - now: a clock's time, from any origin.
    ///   - ticks: when to draw again although nothing happened.
    ///   - write: puts text on the terminal.
    init(
        state: LiveState,
        style: TextStyle,
        size: @escaping @Sendable () -> Terminal.Size,
        now: @escaping @Sendable () -> Duration,
        ticks: AsyncStream<Void>,
        pausing: LivePause = LivePause(),
        write: @escaping @Sendable (String) -> Void
    ) {
        self.pausing = pausing
        self.state = state
        self.style = style
        self.size = size
        self.now = now
        self.ticks = ticks
        self.write = write
    }

    /// A view of a launch of this graph on a terminal; nil where nothing can be drawn over.
    init?(of graph: OperationGraph, on terminal: Terminal, style: TextStyle, pausing: LivePause, environment: [String: String]) {
        guard terminal.canAnimate(environment) else { return nil }
        // Before the first picture, and of the launch: times of events count from there.
        let begin = ContinuousClock.now
        self.init(
            state: LiveState(name: graph.name, identifiers: graph.identifiers),
            style: style,
            size: { terminal.size(environment) },
            now: { begin.duration(to: .now) },
            ticks: AsyncStream {
                // A sleep that is cancelled ends the ticks, and with them their task.
                do { try await Task.sleep(for: Self.interval) } catch { return nil }
                return ()
            },
            pausing: pausing,
            write: { TerminalCursor.draw($0, on: terminal) }
        )
    }

    /// Draws until the stream of events ends or the task is cancelled, then removes its lines and restores the terminal.
    func run(_ events: some AsyncSequence<LaunchEvent, Never> & Sendable) async {
        let inbox = Locked(Inbox())
        // One signal is enough for any number of events: its receiver takes them all.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in events {
                    inbox.withLock { $0.events.append(event) }
                    signal.yield()
                }
                // Told by a flag: the last events have to be seen before the end.
                inbox.withLock { $0.isOver = true }
                signal.yield()
            }
            group.addTask { [ticks] in
                for await _ in ticks {
                    inbox.withLock { $0.isTick = true }
                    signal.yield()
                }
            }
            pausing.begin { signal.yield() }
            await draw(inbox, whenever: signals)
            // The ticks have no end of their own.
            group.cancelAll()
        }
    }

    private struct Inbox {
        var events: [LaunchEvent] = []
        var isTick = false
        var isOver = false

        mutating func take() -> Inbox {
            // Whether it is over stays known.
            defer { (events, isTick) = ([], false) }
            return self
        }
    }

    private func draw(_ inbox: Locked<Inbox>, whenever signals: AsyncStream<Void>) async {
        var state = state
        var screen = Screen()
        /// The clock's time at which the launch began.
        var begin: Duration?
        var drawn: Duration?
        for await _ in signals {
            let news = inbox.withLock { $0.take() }
            let time = now()
            // The view may begin late, so the launch's zero is found from its first event.
            for event in news.events {
                begin = begin ?? time - event.time
                state.apply(event)
            }
            // Before drawing: a picture that is erased at once would flicker.
            if news.isOver { break }
            // Events are taken in during a pause as well, so that the next picture is right.
            guard pausing.mayDraw() else {
                erase(&screen)
                pausing.didErase()
                continue
            }
            // A tick always draws, or the time would stand still; events wait for a tick when they come in a storm.
            guard let begin, news.isTick || drawn.map({ time - $0 >= Self.minimumInterval }) ?? true else { continue }
            drawn = time
            // Hidden with the first picture, and again after each pause, which shows it.
            write((screen.height == 0 ? Self.hideCursor : "") + screen.show(state.lines(size(), now: time - begin, style: style)))
        }
        erase(&screen)
        // Otherwise a pause that began meanwhile would wait for ever.
        pausing.end()
    }

    private func erase(_ screen: inout Screen) {
        if screen.height > 0 { write(screen.clear() + Self.showCursor) }
    }

    /// Lines that were written to a terminal, with the cursor below them.
    private struct Screen {
        private(set) var height = 0

        /// The text that puts these lines in the place of those before.
        mutating func show(_ lines: [String]) -> String {
            let erase = home()
            height = lines.count
            // Each line is cleared after it is written, not before: that does not flicker.
            return erase + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
        }

        mutating func clear() -> String {
            defer { height = 0 }
            return home() + "\u{1B}[J"
        }

        // A carriage return too: the cursor may stand in a column that a person has typed to.
        private func home() -> String { height == 0 ? "" : "\u{1B}[\(height)A\r" }
    }
}

/// Keeps a live view from drawing while something else has the terminal.
///
/// A task that wants the terminal calls ``pause()``, waits until the view is gone, and calls ``resume()`` at the end: the view goes on where the
/// cursor is then. Pauses add up. Without a view that is shown, there is nothing to wait for.
final class LivePause: Sendable {
    private struct State {
        var pauses = 0
        /// Whether nothing of the view is on the terminal, and nothing will be without ``LivePause/mayDraw()``.
        var isErased = true
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// Has the view look again.
        var wake: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Returns when nothing of the view is on the terminal.
    func pause() async {
        await withCheckedContinuation { continuation in
            // Asked and registered in one step: a view that is erased in between would not find the waiter.
            let (isErased, wake) = state.withLock { state in
                state.pauses += 1
                if !state.isErased { state.waiters.append(continuation) }
                return (state.isErased, state.wake)
            }
            // Outside the lock: the waiter may go on at once, and ask for the next pause.
            if isErased { continuation.resume() } else { wake?() }
        }
    }

    /// Ends a pause. The view is drawn again after the last one.
    func resume() {
        let wake = state.withLock { state in
            // Never below zero: one resume too many must not let the view draw into a later pause.
            state.pauses = max(state.pauses - 1, 0)
            return state.pauses == 0 ? state.wake : nil
        }
        wake?()
    }

    // MARK: For the view

    /// - Parameter wake: called when a pause begins or ends, on any thread.
    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// Whether the view may draw: outside of a pause. From then on, a new pause waits for ``didErase()``.
    func mayDraw() -> Bool {
        state.withLock { state in
            if state.pauses > 0 { return false }
            state.isErased = false
            return true
        }
    }

    /// Nothing of the view is on the terminal any more.
    func didErase() {
        let waiters = state.withLock { state in
            state.isErased = true
            defer { state.waiters = [] }
            return state.waiters
        }
        // Outside the lock, as a continuation may run at once on this thread.
        for waiter in waiters { waiter.resume() }
    }

    /// The view is over.
    func end() {
        // First: no view is left that could be woken.
        state.withLock { $0.wake = nil }
        didErase()
    }
}
