import Sequencer

/// Why an SDK could not be set up, or cannot be used. No description shows a credential.
public struct SDKError: DescribedError, Sendable {
    /// The kinds of error.
    public enum Code: Sendable, Hashable {
        /// A required field is missing or blank.
        case missingField
        /// The base URL is not one that credentials may be sent to.
        case invalidBaseURL
        /// The system does not let the app into its secure storage.
        case accessDenied
        /// The secure storage cannot be used now, and cannot be made anew.
        case secureStorageFailed
        /// The client could not be made.
        case clientFailed
        /// It was used before it was initialised, or after that had failed.
        case notInitialized
        /// It is initialised already, with another configuration.
        case alreadyInitialized
        /// It was set up from within its own set-up.
        case reentrantCall
        /// It was reconfigured or reset in the meantime; the answer was discarded.
        case superseded
    }

    /// The kind of error.
    public let code: Code
    /// The field, the call or the store it is about.
    let subject: String
    /// The event and the expectation.
    let reason: String
    /// The remedy, where one is known.
    let resolution: String?
    /// The error underneath, when there was one.
    let underlying: (any Error)?

    /// An error.
    public init(_ code: Code, _ subject: String, _ reason: String, resolution: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.subject = subject
        self.reason = reason
        self.resolution = resolution
        self.underlying = underlying
    }

    /// The error of a set-up that ended neither well nor badly: another one has taken its place.
    ///
    /// - Parameter subject: the call to try again.
    public static func superseded(_ subject: String) -> SDKError {
        SDKError(.superseded, subject, "another set-up came in between; try again")
    }

    /// The subject, the event and the remedy.
    public var description: String { "\(subject): \(reason)\(resolution.map { "; \($0)" } ?? "")" }
}
