import Sequencer

/// Decides the effect of each call to an SDK's set-up. Calls come one after the other; ends of restores may come at any
/// time.
struct SDKStateMachine {
    enum Phase: Equatable {
        case uninitialized, initializing, restoring, ready
    }

    enum Decision: Equatable {
        case begin(generation: Int)
        case alreadyDone
        /// It is initialised with a configuration that differs in these fields.
        case refuse(differences: [String])
    }

    private(set) var phase = Phase.uninitialized
    /// Counts initialisations and tear-downs: results of an older one are ignored.
    private(set) var generation = 0
    private var configuration: SDKConfiguration?

    var isReady: Bool { phase == .ready }
    var isInitialized: Bool { phase == .restoring || phase == .ready }

    mutating func initialize(_ configuration: SDKConfiguration) -> Decision {
        if isInitialized, let current = self.configuration {
            let differences = current.differences(from: configuration)
            return differences.isEmpty ? .alreadyDone : .refuse(differences: differences)
        }
        // Also after a failure: a late result of the first try must not count.
        generation += 1
        phase = .initializing
        return .begin(generation: generation)
    }

    mutating func didInitialize(_ configuration: SDKConfiguration, restores: Bool) {
        self.configuration = configuration
        phase = restores ? .restoring : .ready
    }

    mutating func didFail() {
        configuration = nil
        phase = .uninitialized
    }

    /// - Returns: whether it is ready by that; not when it was before, or when the restore is one of an older
    ///     generation.
    mutating func restoreEnded(_ generation: Int) -> Bool {
        guard isRestoring(generation) else { return false }
        phase = .ready
        return true
    }

    func isRestoring(_ generation: Int) -> Bool { phase == .restoring && self.generation == generation }

    /// - Returns: whether there was anything to tear down.
    mutating func tearDown() -> Bool {
        defer { didFail() }
        // Without a session there is nothing whose late results could come.
        if isInitialized { generation += 1 }
        return isInitialized
    }
}

/// A change of whether an SDK can be used.
enum SDKEvent: Sendable, Hashable {
    /// Whether it is ready has changed.
    case ready(Bool)
    /// It is not initialised any more: it was reset, or could not be reconfigured.
    case uninitialized
}

/// Why an SDK could not be set up, or cannot be used. No description shows a credential.
public struct SDKError: DescribedError, Sendable {
    /// The kinds of error.
    public struct Code: NamedValue, Sendable, Hashable {
        package let name: String

        /// A required field is missing or blank.
        static let missingField = Code(name: "missingField")
        /// The base URL is not one that credentials may be sent to.
        static let invalidBaseURL = Code(name: "invalidBaseURL")
        /// The system does not let the app into its secure storage.
        static let accessDenied = Code(name: "accessDenied")
        /// The secure storage cannot be used now, and cannot be made anew.
        static let secureStorageFailed = Code(name: "secureStorageFailed")
        /// The client could not be made.
        public static let clientFailed = Code(name: "clientFailed")
        /// It was used before it was initialised, or after that had failed.
        static let notInitialized = Code(name: "notInitialized")
        /// It is initialised already, with another configuration.
        static let alreadyInitialized = Code(name: "alreadyInitialized")
        /// It was set up from within its own set-up.
        static let reentrantCall = Code(name: "reentrantCall")
        /// It was reconfigured or reset in the meantime; the answer was discarded.
        public static let superseded = Code(name: "superseded")
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
    /// - Parameter subject: the call that is to be tried again.
    public static func superseded(_ subject: String) -> SDKError {
        SDKError(.superseded, subject, "another set-up came in between; try again")
    }

    /// The subject, the event and the remedy.
    public var description: String { "\(subject): \(reason)\(resolution.map { "; \($0)" } ?? "")" }
}
