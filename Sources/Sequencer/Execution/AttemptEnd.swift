import Foundation

/// Work that can be told to cancel: the task of a step, its `Operation`, its wait for an event.
protocol Cancellable: Sendable {
    func cancel()
}

extension Operation: Cancellable {}

extension EventWait: Cancellable {}

/// The end of an attempt.
///
/// Apart, not as a `Result`, which every look at it copies.
struct AttemptEnd: Sendable {
    /// nil where it failed.
    let value: (any Sendable)?
    /// nil where it succeeded.
    let error: (any Error)?
    /// How the error describes itself.
    let message: String?
    /// The result that the state machine is told.
    let forMachine: LaunchStateMachine.Result
    /// Whether the operation ended because it was told to: such an end comes after the operation's timeout, and is not late.
    let isObedient: Bool

    /// The end of a closure that has returned.
    init(_ value: any Sendable) {
        (self.value, error, message) = (value, nil, nil)
        forMachine = .succeeded
        isObedient = false
    }

    /// The end of a closure that has thrown.
    init(throwing error: any Error, isTaskCancelled: Bool = false) {
        self.init(throwing: error, isCancelled: isTaskCancelled, isObedient: error is CancellationError)
    }

    /// The end of a closure that is called here.
    init(of body: () throws -> any Sendable) {
        do { self.init(try body()) } catch { self.init(throwing: error) }
    }

    /// The end of a Foundation operation: one that is cancelled looks the same whether it has stopped its work or done it.
    init(_ ending: OperationEnding) {
        switch ending.result {
        case .success(let value): self.init(value)
        case .failure(let error): self.init(throwing: error, isCancelled: ending.isCancelled, isObedient: ending.isObedient)
        }
    }

    /// The end of an attempt of which no code has run, since it was told to cancel before.
    static var unbegun: AttemptEnd { AttemptEnd() }

    private init() {
        (value, error, message) = (nil, nil, nil)
        forMachine = .cancelledItself
        isObedient = true
    }

    private init(throwing error: any Error, isCancelled: Bool, isObedient: Bool) {
        (value, self.error, message) = (nil, error, error.text)
        // Thrown where nothing was cancelled, it is a failure as any other (O43).
        forMachine = error is CancellationError ? (isCancelled ? .cancelledItself : .cancelled) : .failed
        self.isObedient = isObedient
    }
}

extension Error {
    /// How the error describes itself, asked for on the thread that met it, so that an error whose description never comes holds up its operation alone.
    fileprivate var text: String { printable(String(describing: self), limit: 400) }
}

extension Result {
    /// How the error describes itself.
    var errorText: String? {
        if case .failure(let error) = self { error.text } else { nil }
    }
}
