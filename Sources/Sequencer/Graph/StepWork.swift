import Foundation

/// What a step does when it runs.
@usableFromInline
enum StepWork: Sendable {
    /// Nothing: the step joins others.
    case nothing
    /// Runs on a lane, and has ended when it returns; takes nothing and leaves nothing, so that the closure is kept as it came.
    case action(@Sendable () throws -> Void)
    /// The same, and may suspend.
    case asynchronousAction(@Sendable () async throws -> Void)
    /// Runs on a lane, and has ended when it returns.
    case synchronous(@Sendable (Launch) throws -> any Sendable)
    /// Starts on a lane, and may suspend: its lane's thread goes on with other work meanwhile.
    case asynchronous(@Sendable (Launch) async throws -> any Sendable)
    /// Runs on the main thread.
    case main(@MainActor @Sendable (Launch) async throws -> any Sendable)
    /// A Foundation operation that exists already.
    case operation(Operation)
    /// A Foundation operation made for each run.
    case makeOperation(@Sendable (Launch) throws -> Operation)

    var isMain: Bool {
        if case .main = self { true } else { false }
    }

    var isAsynchronous: Bool {
        switch self {
        case .asynchronous, .asynchronousAction: true
        default: false
        }
    }

    /// An action as a closure that takes the launch and leaves a value, which is all that there is to tell apart for most.
    var general: StepWork {
        switch self {
        case .action(let body): .synchronous { _ in try body() }
        case .asynchronousAction(let body): .asynchronous { _ in try await body() }
        default: self
        }
    }
}

/// The one place besides lanes where a step can be asked to run.
public struct MainThread: Sendable {
    /// The main thread: the step's closure is isolated to the main actor.
    public static let main = MainThread()
}
