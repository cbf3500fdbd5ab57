/// Work that is done once in a process, by the first launch that comes to it, such as opening, registering or migrating
/// something.
///
/// A launch in the background is followed by one that the user sees, and that by others when the app comes back to
/// the front. They have steps in common. Where one launch is at such a step, others wait for it, and have its value;
/// where one has done it, others have the value at once:
///
/// ```swift
/// static let database = OnceInProcess<Database>("open-database")
///
/// let opened = graph.addOnce(database) { try await Database.open() }   // in each of the graphs
/// graph.add("main-app", .milestone, using: opened, on: .main) { database in await screen.show(database) }
/// ```
///
/// Where the launch that does it is cancelled, and others wait, the work goes on for them; it is cancelled with the
/// last of them, which waits for it within its grace. Only success counts: where the work has failed, or was
/// cancelled, the next launch that comes to it, or waits for it, does its own. Copies are one. Keep it for as long as
/// the process lasts, such as in a static property.
public struct OnceInProcess<Value: Sendable>: Sendable {
    private enum Progress: Sendable {
        case open
        case running(SharedAttempt<Value>)
        case done(Value)
    }

    /// The default name of steps that do the work.
    let name: String
    private let progress = Locked(Progress.open)

    /// Work that nobody has begun.
    ///
    /// - Parameter name: must hold no secret.
    public init(_ name: String) { self.name = name }

    /// The value that the work has produced; nil as long as it has not been done.
    public var value: Value? {
        if case .done(let value) = progress.withLock({ $0 }) { value } else { nil }
    }

    /// Does the work, or waits for the launch that does it, or takes the value of work that is done.
    nonisolated(nonsending) func run(in step: StepContext, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        while true {
            let attempt = SharedAttempt<Value>(name)
            let before = progress.withLock { progress in
                defer { if case .open = progress { progress = .running(attempt) } }
                // Under the lock: the next one to be cancelled must know that somebody waits.
                if case .running(let attempt) = progress { attempt.join() }
                return progress
            }
            switch before {
            case .done(let value):
                step.note("was done before, in this process")
                return value
            case .running(let attempt):
                do {
                    try await step.waiting(for: "what another launch of the process has begun") { try await attempt.ended.value }
                } catch {
                    // Work that was handed over ends with the last launch that wants it, as with the one that began it.
                    await attempt.leave()?.value
                    throw error
                }
                // Then another look: the other launch may have failed.
                _ = attempt.leave()
            case .open:
                return try await attempt.begin(work) { [progress] value in progress.withLock { $0 = value.map(Progress.done) ?? .open } }
            }
        }
    }
}

/// A run of the work, in a task that the launch that began it shares with those that wait for it: it is cancelled when
/// all of them have left.
private final class SharedAttempt<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        /// The launches that wait for another one's work.
        var waiting = 0
        /// The launch that began the work, until that is over, or handed over.
        var beginner: CheckedContinuation<Value, any Error>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    let ended: ExternalEvent<Void>
    private let state = Locked(State())

    init(_ name: String) { ended = ExternalEvent(name) }

    func join() { state.withLock { $0.waiting += 1 } }

    /// - Returns: the work, which was told to cancel, where nobody is left who wants it.
    func leave() -> Task<Void, Never>? {
        let unwanted = state.withLock { state in
            state.waiting -= 1
            return state.waiting == 0 && state.beginner == nil ? state.task : nil
        }
        unwanted?.cancel()
        return unwanted
    }

    /// Does the work. If the task that calls this is cancelled, others that wait take the work over; without any it is
    /// told to cancel, and waited for.
    ///
    /// - Parameter settle: called with the value, or nil, before anybody is told of the end: those whom the event wakes
    ///     take their turn at once.
    nonisolated(nonsending) func begin(
        _ work: @escaping @Sendable () async throws -> Value,
        _ settle: @escaping @Sendable (Value?) -> Void
    ) async throws -> Value {
        let run: @Sendable () async -> Void = { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            settle(try? result.get())
            takeBeginner()?.resume(with: result)
            ended.fulfill()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.beginner = continuation }
                // In virtual time the work holds the time of the step, also when that has ended.
                let task = TimeHolder.current?.startTask(run) ?? Task(operation: run)
                let isCancelled = state.withLock { state in
                    state.task = task
                    return state.isCancelled
                }
                if isCancelled { task.cancel() }
            }
        } onCancel: {
            if let beginner = takeBeginner(ifOthersWait: true) { return beginner.resume(throwing: CancellationError()) }
            let task = state.withLock { state in
                state.isCancelled = true
                return state.task
            }
            task?.cancel()
        }
    }

    private func takeBeginner(ifOthersWait isConditional: Bool = false) -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            if isConditional, state.waiting == 0 { return nil }
            defer { state.beginner = nil }
            return state.beginner
        }
    }
}

extension OperationGraph {
    /// Adds a step for work that is done once in a process: see ``OnceInProcess``.
    ///
    /// It is a step as others are: its timeout, policy and further attempts are its own. A step that waits for another
    /// launch has a lane meanwhile; its report says when the work was done before. The work runs in a task beside the
    /// step: when the step is told to cancel, it ends at once where another launch waits, which takes the work over,
    /// and otherwise tells the work to cancel, and ends with it.
    ///
    /// - Parameters:
    ///   - id: the step's identifier; the name of the work if nil.
    ///   - value: a fallback, of this launch alone.
    @discardableResult
    public mutating func addOnce<Value: Sendable>(
        _ once: OnceInProcess<Value>,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @Sendable () async throws -> Value
    ) -> Step<Value> {
        let work = StepWork.asynchronous { step in try await once.run(in: step) { try await body() } }
        return insert(id ?? once.name, options, after: dependencies, fallback: .of(value, nil), work: work)
    }
}
