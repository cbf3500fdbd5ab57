/// A part of an SDK's set-up, in the order in which they run.
public enum SDKStep: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The log.
    case logging = "logging"
    /// The storage of secrets.
    case secureStorage = "secure storage"
    /// The credentials.
    case credentials = "credentials"
    /// The client.
    case client = "client"
    /// The configuration that the app boots with.
    case bootConfiguration = "boot configuration"
    /// What was active when the app last ran; see ``SDKRestoreStep``.
    case autoRestore = "auto-restore"

    /// The step's name.
    public var description: String { rawValue }
}

/// What an initialisation did: one line of its trace.
public struct SDKTraceEntry: Sendable, Hashable, CustomStringConvertible {
    /// Which initialisation this belongs to: greater for a later one. Tear-downs are counted too, so there may be gaps.
    public let generation: Int
    /// What it did.
    public let step: SDKStep
    /// What was worth a note: "the storage was corrupted and has been made anew".
    public let note: String?

    /// The step and the note.
    public var description: String { "\(step)\(note.map { ": \($0)" } ?? "")" }
}

/// Something that happened to an SDK, in order.
public enum SDKEvent: Sendable, Hashable, CustomStringConvertible {
    /// What had been made for features was dropped.
    case modulesCleared
    /// The session ended.
    case loggedOut(reason: String)
    /// Whether it is ready has changed.
    case ready(Bool)
    /// It has been initialised.
    case initialized(generation: Int)
    /// A part of the auto-restore has ended.
    case restored(SDKRestoreStep, SDKRestoreOutcome)
    /// The auto-restore was not over at its deadline.
    case restoreTimedOut

    /// The event in a few words.
    public var description: String {
        switch self {
        case .modulesCleared: "modules cleared"
        case .loggedOut(let reason): "logged out: \(reason)"
        case .ready(let isReady): isReady ? "ready" : "not ready"
        case .initialized(let generation): "initialised, generation \(generation)"
        case .restored(let step, let outcome): "\(step): \(outcome)"
        case .restoreTimedOut: "auto-restore not over at its deadline"
        }
    }
}
