import Sequencer

/// The parts of something that is made in one order, always the same.
protocol SequencePart: Sendable, Hashable, CaseIterable, CustomStringConvertible where AllCases == [Self] {
    /// The name of the sequence.
    static var sequence: String { get }
    /// Why it comes after the part before it.
    var reason: String { get }
}

/// Decides whether a part may be made now: only the next one may, and each once.
struct FixedSequence<Part: SequencePart> {
    /// The parts that were begun, in order.
    private(set) var begun: [Part] = []

    /// - Throws: ``RegistryError`` naming this part and the one that has to come before it, with the reason.
    mutating func begin(_ part: Part) throws(RegistryError) {
        let parts = Part.allCases
        if begun.contains(part) {
            throw problem(.repeated, part, nil, "\(part) was made before: \(Part.sequence) is made once")
        }
        // The first parts were begun, without a gap. So the part right before this one is missing, if any is.
        guard let place = parts.firstIndex(of: part), place == begun.count else {
            let previous = parts[max(0, (parts.firstIndex(of: part) ?? 0) - 1)]
            throw problem(.misordered, part, previous, "\(part) must come after \(previous): \(part.reason)")
        }
        // Begun, not ended: a part that fails must not be made a second time.
        begun.append(part)
    }

    /// - Throws: ``RegistryError`` naming the first part that is missing at the end.
    func end() throws(RegistryError) {
        guard begun.count < Part.allCases.count else { return }
        let missing = Part.allCases[begun.count]
        throw problem(.missing, missing, begun.last, "\(Part.sequence) is not complete: \(missing) is missing")
    }

    private func problem(_ code: RegistryProblem.Code, _ part: Part, _ other: Part?, _ text: String) -> RegistryError {
        RegistryError(problems: [RegistryProblem(code, part.description, other: other?.description, text)])
    }
}

/// One line of the trace of a fixed sequence: the part and its result.
struct BootstrapTraceEntry: Sendable, Hashable, CustomStringConvertible {
    /// The part.
    let part: String
    /// The result.
    let note: String

    /// `network: GraphQL and REST at api.example.com`.
    var description: String { "\(part): \(note)" }
}

/// Makes the parts of a sequence, and records each in the launch and in a trace.
final class SequenceTrace<Part: SequencePart>: Sendable {
    private let state = Locked((sequence: FixedSequence<Part>(), entries: [BootstrapTraceEntry]()))
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: is told each line that the launch is.
    init(tell: @escaping @Sendable (String) -> Void = { _ in }) { self.tell = tell }

    /// The parts that were made, in order.
    var entries: [BootstrapTraceEntry] { state.withLock { $0.entries } }

    /// Makes a part, when it is its turn.
    ///
    /// - Parameter body: returns the result, for the trace.
    @MainActor
    func make(_ part: Part, in launch: StepContext, _ body: @MainActor () async throws -> String) async throws {
        // Before its work: a part that is out of turn must do nothing.
        try begin(part)
        record(part, try await body(), launch)
    }

    /// Records a part that is made elsewhere, when it is its turn.
    func make(_ part: Part, in launch: StepContext, note: String) throws {
        try begin(part)
        record(part, note, launch)
    }

    /// - Throws: ``RegistryError`` when a part is missing.
    func end() throws { try state.withLock { $0.sequence }.end() }

    private func begin(_ part: Part) throws {
        try state.withLock { state in try state.sequence.begin(part) }
    }

    private func record(_ part: Part, _ note: String, _ launch: StepContext) {
        let entry = BootstrapTraceEntry(part: part.description, note: note)
        let place = state.withLock { state in
            state.entries.append(entry)
            return state.entries.count
        }
        let line = "\(Part.sequence) \(place)/\(Part.allCases.count) \(entry)"
        launch.note(line)
        tell(line)
    }
}

/// A part of making the configuration, in the order in which they are made.
enum ConfigurationPart: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The API client.
    case network = "network"
    /// The service that knows the user.
    case userService = "user service"
    /// The listener that asks for the user again after each new token.
    case tokenListener = "token listener"
    /// On the first launch: the end, or the keeping, of a session that an earlier installation has left.
    case firstLaunchSession = "first-launch session"
    /// Whether notifications are for a guest or for someone who is logged in.
    case notifications = "notifications"
    /// The device and the version of the app.
    case device = "device"
    /// The user who is logged in.
    case currentUser = "current user"
    /// The user whose crashes the crash loggers report.
    case crashLoggers = "crash loggers"
    /// The count of starts.
    case appStarts = "app starts"
    /// The identifier of this installation.
    case vendorIdentifier = "vendor identifier"

    /// The part's name.
    var description: String { rawValue }
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
enum CoordinatorPart: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The manager that all other parts report to.
    case journeyManager = "journey manager"
    /// The coordinators that have been made by then.
    case staticCoordinators = "static coordinators"
    /// Whether an account is offered again.
    case restoreCheck = "restore check"
    /// Whether a guest's session goes on.
    case anonymousCheck = "anonymous check"
    /// The conditions of the first screen.
    case firstScreenCheck = "first-screen check"
    /// The plan's delegates.
    case delegates = "delegates"
    /// The observer that ends the splash video in the background.
    case observers = "observers"
    /// The request for the configuration.
    case appConfiguration = "app configuration"

    /// The part's name.
    var description: String { rawValue }
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
