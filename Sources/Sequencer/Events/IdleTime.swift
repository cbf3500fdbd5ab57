/// Work for when the main thread has nothing else to do: one piece at a time, with a pause before each.
///
/// Add work that comes after the first screen. A piece begins when the user has not acted for a moment and the main
/// thread responded at once when it was asked.
///
/// ```swift
/// let idle = IdleTime(after: .milliseconds(200), unless: { gestures.areGoingOn })
/// idle.add { await images.prefetch() }
/// idle.add { @MainActor in editor.warmUp() }
/// ```
///
/// Pieces begin in the order in which they were added, and never while another one runs. Time is real, also beside
/// launches in virtual time.
public final class IdleTime: Sendable {
    /// How it is found out whether the main thread is idle.
    struct Probe: Sendable {
        let pause: @Sendable (Duration) async -> Void
        /// How long the main thread takes to come.
        let turn: @Sendable () async -> Duration

        static let real = Probe(
            // Nobody cancels this task. A pause that ended too soon would do no harm: the main thread is asked after
            // it.
            pause: { duration in _ = try? await Task.sleep(for: duration) },
            turn: {
                let start = SuspendingClock().now
                await MainActor.run {}
                return SuspendingClock().now - start
            }
        )
    }

    /// The idle time whose piece the current task does.
    @TaskLocal private static var current: IdleTime?

    private typealias Piece = @Sendable () async -> Void

    private struct State: ~Copyable {
        var pieces = FirstInFirstOut<Piece>()
        var isRunning = false
    }

    /// The idle time of the main thread, with a pause of 100 ms. Work may begin while the user acts.
    public static let main = IdleTime()

    /// Half of a frame: a main thread that takes longer has something to do.
    static let promptness = Duration.milliseconds(8)

    private let pause: Duration
    private let isBusy: @Sendable () -> Bool
    private let probe: Probe
    private let state = Locked(State())

    /// Idle time with the given pause. It ends when the user acts.
    ///
    /// - Parameters:
    ///   - pause: the time before each piece, within which the main thread is not asked. It is asked again after the
    ///       same time. 10 ms to 24 hours; the nearest of these otherwise.
    ///   - isBusy: whether the user acts, such as by scrolling: no piece begins then. Asked after each pause, on any
    ///       thread.
    public convenience init(after pause: Duration = .milliseconds(100), unless isBusy: @escaping @Sendable () -> Bool = { false }) {
        self.init(after: min(max(pause, .milliseconds(10)), .seconds(86_400)), unless: isBusy, probe: .real)
    }

    init(after pause: Duration, unless isBusy: @escaping @Sendable () -> Bool, probe: Probe) {
        self.pause = pause
        self.isBusy = isBusy
        self.probe = probe
    }

    /// Adds a piece of work, to be done off the main thread, or on it where the closure is `@MainActor`.
    public func add(_ work: @escaping @Sendable () async -> Void) {
        let isFirst = state.withLock { state in
            state.pieces.append(work)
            return !exchange(&state.isRunning, with: true)
        }
        // Detached: it does not belong to the step or the task that adds it.
        if isFirst { Task.detached(priority: .utility) { await self.run() } }
    }

    /// Does a piece of work here, in its turn, and returns its value: for steps of a launch.
    ///
    /// ```swift
    /// graph.add("warm-up", after: home, on: .main) { try await idle.run { editor.warmUp() } }
    /// ```
    ///
    /// The step keeps its lane while it waits. In virtual time there is nothing to wait for: the main thread is idle
    /// whenever it is asked. Within such a piece, another one is done at once: it is a part of it.
    ///
    /// - Throws: what `work` throws; `CancellationError` when the task is cancelled before its turn.
    nonisolated(nonsending) public func run<Value>(_ work: nonisolated(nonsending) () async throws -> Value) async throws -> Value {
        if TimeHolder.current != nil || Self.current === self { return try await work() }
        let (turn, done) = (ExternalEvent<Void>("idle"), ExternalEvent<Void>("done"))
        // The piece only waits: the work runs in the caller's task, on its actor and with its task-local values.
        add { if turn.fulfill() { _ = try? await done.value } }
        // In each case, or nothing else would ever have a turn.
        defer { done.fulfill() }
        try await turn.value
        return try await Self.$current.withValue(self) { try await work() }
    }

    private func run() async {
        while let piece = next() {
            await waitForIdle()
            await piece()
        }
    }

    private func next() -> Piece? {
        state.withLock { state in
            let piece = state.pieces.popFirst()
            // Under the lock of the look: a piece that is added later starts another task.
            if piece == nil { state.isRunning = false }
            return piece
        }
    }

    private func waitForIdle() async {
        while true {
            await probe.pause(pause)
            // Before the main thread is asked, which is not to be disturbed while somebody acts.
            if isBusy() { continue }
            if await probe.turn() <= Self.promptness { return }
        }
    }
}
