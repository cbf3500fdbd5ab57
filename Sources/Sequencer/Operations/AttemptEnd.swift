/// The end of an attempt.
///
/// Apart, not as a `Result`, which every look at it copies.
struct AttemptEnd: Sendable {
    /// The result of running an operation's code.
    enum Kind: Equatable {
        case succeeded
        case failed
        /// It failed with an error after which it is not tried again.
        case failedFinally
        /// It threw a `CancellationError`, which is a failure if nobody has told the operation to cancel.
        case cancelled
        /// The operation, or its task, was cancelled, if not by the launch then by itself.
        case cancelledItself
    }

    /// nil where it failed.
    let value: (any Sendable)?
    /// nil where it succeeded.
    let error: (any Error)?
    /// How the error describes itself.
    let message: String?
    let kind: Kind
    /// Whether the operation ended because it was told to: such an end comes after the operation's timeout, and is not
    /// late.
    let isObedient: Bool
}

// In an extension, so that the struct keeps the initialiser of all its properties.
extension AttemptEnd {
    /// The end of an attempt that ran no code, since it was told to cancel before.
    static var unbegun: AttemptEnd {
        AttemptEnd(value: nil, error: nil, message: nil, kind: .cancelledItself, isObedient: true)
    }

    /// The end of a closure that has returned.
    init(_ value: any Sendable) {
        self.init(value: value, error: nil, message: nil, kind: .succeeded, isObedient: false)
    }

    /// The end of a closure that has thrown.
    ///
    /// - Parameter isCancelled: whether its task, or its operation, was cancelled.
    init(throwing error: any Error, isCancelled: Bool = false, isObedient: Bool? = nil) {
        let isCancellation = error is CancellationError
        // Thrown where nothing was cancelled, it is a failure as any other (O43).
        let result: Kind = isCancellation ? (isCancelled ? .cancelledItself : .cancelled) : .failed
        // Asked for on the thread that met the error: one whose description never comes holds up its operation alone.
        let message = printable(String(describing: error), limit: 400)
        let isObedient = isObedient ?? isCancellation
        self.init(value: nil, error: error, message: message, kind: result, isObedient: isObedient)
    }

    /// The end of a closure that is called here.
    init(of body: () throws -> any Sendable) { do { self.init(try body()) } catch { self.init(throwing: error) } }

    /// The same for code that waits for it.
    var result: Result<any Sendable, any Error> { error.map { .failure($0) } ?? .success(value ?? ()) }
}
