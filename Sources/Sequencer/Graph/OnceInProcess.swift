/// Work that is done once in a process, by the first launch that comes to it, such as opening, registering or migrating
/// something.
///
/// A launch in the background is followed by one that the person sees, and that by others when the app comes back to
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
/// Only success counts: where the work has failed, or was cancelled, the next launch that comes to it, or waits for it,
/// does its own. Copies are one. Keep it for as long as the process lasts, such as in a static property.
public struct OnceInProcess<Value: Sendable>: Sendable {
    private enum Progress: Sendable {
        case open
        case running(ExternalEvent<Void>)
        case done(Value)
    }

    /// The name of steps that do the work, unless they have one of their own.
    let name: String
    private let progress = Locked(Progress.open)

    /// Work that nobody has begun.
    ///
    /// - Parameter name: must hold no secret.
    public init(_ name: String) { self.name = name }

    /// The value that the work has produced; nil as long as it has not been done.
    public var value: Value? {
        progress.withLock { progress -> Value? in
            if case .done(let value) = progress { return value }
            return nil
        }
    }

    /// Does the work, or waits for the launch that does it, or takes the value of work that is done.
    nonisolated(nonsending) func run(
        in step: StepContext,
        _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        while true {
            let attempt = ExternalEvent<Void>(name)
            let before = progress.withLock { progress in
                defer { if case .open = progress { progress = .running(attempt) } }
                return progress
            }
            switch before {
            case .done(let value):
                step.note("was done before, in this process")
                return value
            case .running(let attempt):
                // Then another look: the other launch may have failed.
                try await step.waiting(for: "what another launch of the process has begun") { try await attempt.value }
            case .open:
                do {
                    let value = try await work()
                    end(attempt, .done(value))
                    return value
                } catch {
                    end(attempt, .open)
                    throw error
                }
            }
        }
    }

    private func end(_ attempt: ExternalEvent<Void>, _ end: Progress) {
        // First: those whom the event wakes take their turn at once.
        progress.withLock { $0 = end }
        attempt.fulfill()
    }
}

extension OperationGraph {
    /// Adds a step for work that is done once in a process: see ``OnceInProcess``.
    ///
    /// It is a step as others are: its timeout, policy and further attempts are its own. A step that waits for another
    /// launch has a lane meanwhile; its report says when the work was done before. Work that another launch has begun
    /// goes on when this one is stopped, and the other way round: work that goes on after its launch is waited for.
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

    /// The same on the main thread.
    @discardableResult
    public mutating func addOnce<Value: Sendable>(
        _ once: OnceInProcess<Value>,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        on thread: MainThread,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable () async throws -> Value
    ) -> Step<Value> {
        let work = StepWork.main { step in try await once.run(in: step) { try await body() } }
        return insert(id ?? once.name, options, after: dependencies, fallback: .of(value, nil), work: work)
    }
}
