/// Why an SDK could not be set up, or cannot be used. No description shows a credential.
public struct SDKError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// A required field is missing or blank.
        public static let missingField = Code(description: "missingField")
        /// The base URL is not one that credentials may be sent to.
        public static let invalidBaseURL = Code(description: "invalidBaseURL")
        /// The system does not let the app into its secure storage.
        public static let accessDenied = Code(description: "accessDenied")
        /// The secure storage cannot be used now, and cannot be made anew.
        public static let secureStorageFailed = Code(description: "secureStorageFailed")
        /// The client could not be made.
        public static let clientFailed = Code(description: "clientFailed")
        /// It was used before it was initialised, or after that had failed.
        public static let notInitialized = Code(description: "notInitialized")
        /// It is initialised already, with another configuration.
        public static let alreadyInitialized = Code(description: "alreadyInitialized")
        /// It was set up from within its own set-up.
        public static let reentrantCall = Code(description: "reentrantCall")
        /// It was reconfigured or reset in the meantime; the answer was discarded.
        public static let superseded = Code(description: "superseded")
    }

    /// What kind of error it is.
    public let code: Code
    /// The field, the call or the store it is about.
    public let subject: String
    /// What happened and what was expected.
    public let reason: String
    /// What to do about it, where that is known.
    public let resolution: String?
    /// The error underneath, when there was one.
    public let underlying: (any Error)?

    /// An error.
    public init(_ code: Code, _ subject: String, _ reason: String, resolution: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.subject = subject
        self.reason = reason
        self.resolution = resolution
        self.underlying = underlying
    }

    /// What it is about, what happened, and what to do.
    public var description: String { "\(subject): \(reason)\(resolution.map { "; \($0)" } ?? "")" }
}
