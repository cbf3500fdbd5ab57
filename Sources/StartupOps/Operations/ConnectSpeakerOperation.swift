import Sequencer

/// Helps to find a speaker.
@MainActor
public protocol SpeakerPresenter: Sendable {
    /// The assistant, with what was found.
    ///
    /// - Parameter problem: why the last choice could not be connected, in one sentence; nil the first time.
    /// - Returns: the choice; nil when the person wants to go on without a speaker.
    func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker?
}

/// Connects the speaker that was connected last; without one, an assistant looks for speakers and asks which one it is.
///
/// A speaker that is known, and does not answer, is no reason to ask: the launch goes on without it, and the report says so.
public struct ConnectSpeakerOperation: Sendable {
    /// How many choices are tried before the launch goes on without a speaker.
    public static let mostChoices = 5

    private let connector: any DeviceConnector
    private let state: LaunchState
    private let presenter: (any SpeakerPresenter)?
    private let stage: Stage
    private let didConnect: @Sendable (any DeviceConnection) -> Void

    /// An operation that connects by `connector`.
    ///
    /// - Parameters:
    ///   - state: remembers the speaker that was connected last.
    ///   - presenter: asks which speaker it is; nil when nobody can be asked.
    ///   - didConnect: is given the connection, which closes when nobody keeps it.
    public init(
        connector: any DeviceConnector,
        state: LaunchState,
        presenter: (any SpeakerPresenter)?,
        stage: Stage,
        didConnect: @escaping @Sendable (any DeviceConnection) -> Void
    ) {
        self.didConnect = didConnect
        self.connector = connector
        self.state = state
        self.presenter = presenter
        self.stage = stage
    }

    /// Connects a speaker.
    ///
    /// - Returns: nil when the person goes on without one.
    /// - Throws: what the connector throws for a speaker that is known, and ``MissingPresenterError``.
    ///
    /// - Parameter configuration: says where speakers answer.
    public func run(_ configuration: AppConfiguration?, in launch: Launch) async throws -> Speaker? {
        if let speaker = state.lastSpeaker.value {
            didConnect(try await launch.request("speaker \(speaker.name)") { try await connector.connect(to: speaker, by: $0) })
            return speaker
        }
        guard let presenter else { throw MissingPresenterError(operation: launch.operation, question: "which speaker to connect") }
        let endpoints = configuration?.speakers.map { [$0] } ?? []
        let found = try await launch.request("speakers to answer") { try await connector.scan(endpoints, by: $0) { launch.note($0) } }
        var problem: String?
        for _ in 0..<Self.mostChoices {
            let complaint = problem
            let choice = try await stage.ask(in: launch) { await presenter.chooseSpeaker(from: found, problem: complaint) }
            guard let choice else {
                launch.note(found.isEmpty ? "no speaker was found, so none was chosen" : "no speaker was chosen")
                return nil
            }
            do {
                didConnect(try await launch.request("speaker \(choice.name)") { try await connector.connect(to: choice, by: $0) })
            } catch {
                try launch.checkCancellation()
                problem = "\(choice.name) does not answer"
                launch.note("\(error)")
                continue
            }
            do { try state.rememberSpeaker(choice) } catch { launch.note("the speaker could not be remembered: \(error)") }
            return choice
        }
        launch.note("no speaker could be connected in \(Self.mostChoices) tries")
        return nil
    }
}
