/// A part of making the configuration, in the order in which they are made.
public enum ConfigurationPart: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The API client.
    case network = "network"
    /// What knows who the user is.
    case userService = "user service"
    /// What asks again who the user is when there is a new token.
    case tokenListener = "token listener"
    /// On the first launch: the end, or the keeping, of a session that an earlier installation has left.
    case firstLaunchSession = "first-launch session"
    /// Whether notifications are for a guest or for someone who is logged in.
    case notifications = "notifications"
    /// The device and the version of the app.
    case device = "device"
    /// Who is logged in.
    case currentUser = "current user"
    /// Whose crashes the crash loggers report.
    case crashLoggers = "crash loggers"
    /// The count of starts.
    case appStarts = "app starts"
    /// The identifier of this installation.
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
    /// What all other parts report to.
    case journeyManager = "journey manager"
    /// The coordinators that have been made by then.
    case staticCoordinators = "static coordinators"
    /// Whether an account is offered again.
    case restoreCheck = "restore check"
    /// Whether a guest's session goes on.
    case anonymousCheck = "anonymous check"
    /// What the first screen waits for.
    case firstScreenCheck = "first-screen check"
    /// The plan's delegates.
    case delegates = "delegates"
    /// What ends the splash video in the background.
    case observers = "observers"
    /// The request for the configuration.
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
