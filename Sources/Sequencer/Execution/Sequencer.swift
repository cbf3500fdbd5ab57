import Foundation

/// Runs a graph, once, as parallel as the graph allows, under a budget.
///
/// ```swift
/// let report = try await Sequencer(graph, budget: .seconds(3)).run()
/// print(report.budget.isMet, report.criticalPath)
/// ```
///
/// Operations run on Foundation operation queues, off the main thread but for those marked for it, which run on `OperationQueue.main`; the
/// main thread is never blocked. Only operations whose dependencies have ended are given to a queue.
///
/// A launch ends when every operation has ended. Releasing the sequencer does not end it. Every method can be called from any thread.
public final class Sequencer: Sendable {
    private struct State {
        var storage: LaunchStorage?
        var deliveries = EventDeliveries()
        var progress: Progress?
    }

    private let graph: OperationGraph
    private let budget: Budget
    private let options: LaunchOptions
    private let state = Locked(State())

    /// A launch of `graph`, which is checked when the launch is started.
    public init(_ graph: OperationGraph, budget: Budget = .seconds(3), options: LaunchOptions = LaunchOptions()) {
        self.graph = graph
        self.budget = budget
        self.options = options
    }

    /// Starts the launch and waits for its end.
    ///
    /// When the calling task is cancelled, so is the launch; the report then says so.
    ///
    /// - Throws: ``GraphError`` when the graph cannot run, ``SequencerError`` when the launch was started before or an option is out of range.
    ///   A launch that fails does not throw: its report says how it ended.
    nonisolated(nonsending) public func run() async throws -> LaunchReport {
        let storage = try begin()
        return await withTaskCancellationHandler {
            await Self.report(of: storage)
        } onCancel: {
            storage.cancel()
        }
    }

    /// Starts the launch and returns at once.
    ///
    /// - Parameter completion: called once with the report, on an unspecified thread.
    /// - Throws: as ``run()`` does.
    public func start(completion: (@Sendable (LaunchReport) -> Void)? = nil) throws {
        _ = try begin(completion)
    }

    /// The report, as soon as there is one; nil when the launch was never started. Any number of callers may wait for it.
    nonisolated(nonsending) public func report() async -> LaunchReport? {
        guard let storage = state.withLock({ $0.storage }) else { return nil }
        return await Self.report(of: storage)
    }

    nonisolated(nonsending) private static func report(of storage: LaunchStorage) async -> LaunchReport {
        // Unsafe only in name: what waits for a launch is called once, whether it is over or not yet.
        let report = await withUnsafeContinuation { continuation in
            storage.whenOver { continuation.resume(returning: $0) }
        }
        // Whoever takes the lock sees what the launch's last thread has written; how a continuation hands over is opaque to the thread sanitizer.
        storage.state.withLock { _ in }
        return report
    }

    private func begin(_ completion: (@Sendable (LaunchReport) -> Void)? = nil) throws -> LaunchStorage {
        if let complaint = options.complaint { throw SequencerError(.invalidOption, graph: graph.name, complaint) }
        if budget.limit <= .zero || budget.limit > OperationGraph.longestDuration {
            throw SequencerError(
                .invalidOption,
                graph: graph.name,
                "a budget must be more than 0 and at most 24 hours, and is \(budget.limit)"
            )
        }
        let graph = try graph.validated()
        let storage = try state.withLock { state throws(SequencerError) in
            if state.storage != nil {
                throw SequencerError(
                    .alreadyStarted,
                    graph: graph.name,
                    "this launch was started before; make a new Sequencer for another one"
                )
            }
            let storage = LaunchStorage(graph: graph, budget: budget, options: options, observers: state.deliveries)
            state.storage = storage
            return storage
        }
        if let completion { storage.whenOver(completion) }
        storage.begin()
        return storage
    }

    // MARK: While it runs

    /// Cancels the launch: nothing starts any more, what runs is told to cancel, and the launch ends when that has ended, or after the grace
    /// period. Before the start and after the end it changes nothing; nor does a second call.
    public func cancel() {
        state.withLock { $0.storage }?.cancel()
    }

    /// Cancels one operation: one that runs is told to cancel, any other never starts. What that means for the launch is up to the
    /// operation's fallback and failure policy.
    ///
    /// - Throws: ``GraphError`` when there is no such operation, ``SequencerError`` before the start.
    public func cancel(_ operation: String) throws {
        guard let storage = state.withLock({ $0.storage }) else {
            throw SequencerError(
                .notStarted,
                graph: graph.name,
                "the launch was not started: '\(printable(operation))' cannot be cancelled"
            )
        }
        storage.cancelOperation(try storage.graph.index(of: operation))
    }

    /// The value an operation produced, or its fallback's; nil when it has not ended, or ended without one.
    ///
    /// - Throws: ``GraphError`` when there is no such operation.
    public func value<Value>(of step: Step<Value>) throws -> Value? {
        guard let storage = state.withLock({ $0.storage }) else { return nil }
        return try storage.endedValue(of: step)
    }

    /// What operations have done that they should not have done, up to now: also after the launch ended.
    public var anomalies: [Anomaly] {
        state.withLock { $0.storage }?.anomalies ?? []
    }

    /// What every operation that has not ended waits for; nil before the start.
    public var status: LaunchStatus? {
        state.withLock { $0.storage }?.status
    }

    // MARK: Watching

    /// What happens in the launch, from its start to its end. Ask before you start; each call makes another stream.
    ///
    /// The launch never waits for whoever reads a stream; events are kept until they are read. A stream that is asked for after the start is
    /// empty.
    public var events: AsyncStream<LaunchEvent> {
        AsyncStream { continuation in
            let isAdded = observe { event in
                continuation.yield(event)
                if event.kind == .launchEnded { continuation.finish() }
            }
            if !isAdded { continuation.finish() }
        }
    }

    /// How far the launch is, by operations that have ended; cancelling it cancels the launch. Ask before you start.
    public var progress: Progress {
        let (progress, isNew) = state.withLock { state in
            if let progress = state.progress { return (progress, false) }
            let progress = Progress(totalUnitCount: Int64(max(graph.count, 1)))
            state.progress = progress
            return (progress, true)
        }
        guard isNew else { return progress }
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        let ended = Locked(Int64(0))
        _ = observe { [weak progress] event in
            switch event.kind {
            case .ended:
                progress?.completedUnitCount = ended.withLock {
                    $0 += 1; return $0
                }
            case .launchEnded: progress?.completedUnitCount = progress?.totalUnitCount ?? 0
            default: break
            }
        }
        return progress
    }

    /// Calls `observer` for each event, in order, on the thread that made it happen: it goes on when the observer returns. What the timer makes happen is
    /// told on a thread of its own.
    ///
    /// The report is given when the observers have been told of the launch's end, or 2 seconds after it, if one of them blocks. Before that, one that blocks
    /// holds up what its thread would have done next, to the deadline at most; and nobody is told anything more.
    ///
    /// - Returns: false when the launch has been started, and it is too late to watch it.
    @discardableResult
    package func observe(_ observer: @escaping @Sendable (LaunchEvent) -> Void) -> Bool {
        state.withLock { state in
            guard state.storage == nil else { return false }
            state.deliveries.observers.append(observer)
            return true
        }
    }
}

/// A launch that cannot be started, or asked for what it has not got.
public struct SequencerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public struct Code: Sendable, Hashable {
        let name: String

        /// A launch runs once.
        public static let alreadyStarted = Code(name: "alreadyStarted")
        /// There is no launch yet.
        public static let notStarted = Code(name: "notStarted")
        /// An option outside its range.
        public static let invalidOption = Code(name: "invalidOption")
    }

    /// What kind of error this is.
    public let code: Code
    /// The graph's name.
    public let graph: String
    /// One sentence.
    public let message: String

    init(_ code: Code, graph: String, _ message: String) {
        self.code = code
        self.graph = graph
        self.message = message
    }

    /// The graph's name and the message.
    public var description: String { "\(graph): \(message)" }
}
