/// A part of making the configuration, in the order in which they are made.
public enum ConfigurationPart: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case network = "network"
    case userService = "user service"
    case tokenListener = "token listener"
    case firstLaunchSession = "first-launch session"
    case notifications = "notifications"
    case device = "device"
    case currentUser = "current user"
    case crashLoggers = "crash loggers"
    case appStarts = "app starts"
    case vendorIdentifier = "vendor identifier"

    /// The part's name.
    public var description: String { rawValue }
}

extension ConfigurationPart: SequencePart {
    static let sequence = "configuration"

    var reason: String {
        switch self {
        case .network: "everything else sends requests with it"
        case .userService: "it asks for the user over the network"
        case .tokenListener: "a new token makes the user service ask again"
        case .firstLaunchSession: "who listens to the tokens has to hear of a session that is ended"
        case .notifications: "they are not to be taken for those of a session that has ended"
        case .device: "it is what notifications are sent to"
        case .currentUser: "a user is one on this device"
        case .crashLoggers: "crashes are reported with the user's identifier"
        case .appStarts: "a crash while they are counted has to be reported"
        case .vendorIdentifier: "only a start that counts is worth identifying"
        }
    }
}

/// A part of starting the coordinator, in the order in which they are made.
public enum CoordinatorPart: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case journeyManager = "journey manager"
    case staticCoordinators = "static coordinators"
    case restoreCheck = "restore check"
    case anonymousCheck = "anonymous check"
    case firstScreenCheck = "first-screen check"
    case delegates = "delegates"
    case observers = "observers"
    case appConfiguration = "app configuration"

    /// The part's name.
    public var description: String { rawValue }
}

extension CoordinatorPart: SequencePart {
    static let sequence = "coordinator"

    var reason: String {
        switch self {
        case .journeyManager: "it is what all others report to"
        case .staticCoordinators: "they are handed to the journey manager"
        case .restoreCheck: "an account is offered by a coordinator"
        case .anonymousCheck: "an account that is to be restored must not be logged out"
        case .firstScreenCheck: "the first screen depends on who is logged in"
        case .delegates: "they are told which first screen is waited for"
        case .observers: "what they see is told to the delegates"
        case .appConfiguration: "its arrival must not be missed by an observer"
        }
    }
}
