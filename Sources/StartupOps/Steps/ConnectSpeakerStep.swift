import Sequencer
import StartupNetworking

/// Helps to find a speaker.
@MainActor
public protocol SpeakerPresenter: Sendable {
    /// The assistant, with the speakers that were found.
    ///
    /// - Parameter problem: why the last choice could not be connected, in one sentence; nil the first time.
    /// - Returns: the choice; nil when the user wants to continue without a speaker, and is not to be asked again, also
    ///     where none was found.
    /// - Throws: any error when the user has left without an answer: nothing is kept, and the next launch asks.
    func chooseSpeaker(from speakers: [Speaker], problem: String?) async throws -> Speaker?
}

/// Connects the speaker that was connected last; without one, an assistant looks for speakers and asks which one it is.
///
/// If a known speaker does not answer, nobody is asked. After any failure, and when the user dismisses the assistant,
/// the launch continues without a speaker, and the report says so. A connector that takes no notice of its deadline is
/// not waited for. A choice gets as much time as the search could have; the timeout is paused while it is connected, so
/// that nobody loses a choice because the search took long.
struct ConnectSpeakerOperation: Sendable {
    /// How many choices are tried before the launch continues without a speaker.
    static let maximumChoices = 5

    let environment: StartupEnvironment
    /// Whether the user has asked for the assistant: it asks though a speaker is known, and to choose none is not to
    /// decline one.
    private var isAskedFor: Bool { environment.memory.isAskedFor }

    /// Connects a speaker.
    ///
    /// - Returns: nil when the user continues without one.
    /// - Throws: what the connector throws for a speaker that is known, or when it cannot look for any,
    ///     `MissingPresenterError`, and ``DismissedByPerson``.
    ///
    /// - Parameter configuration: says where speakers answer.
    func run(_ configuration: AppConfiguration?, in step: StepContext) async throws -> Speaker? {
        let (state, connector) = (environment.state, environment.services.speakers)
        if !isAskedFor, let speaker = state.lastSpeaker.value {
            try await connect(to: speaker, within: step.requestTime, in: step)
            return speaker
        }
        let presenter = try step.need(environment.presenters.speaker, "which speaker to connect")
        let endpoints = (configuration?.speakers.map { [$0] } ?? []).filter { $0.isPlain { step.note($0) } }
        // Of the first request: a choice must not get less time because the search took long.
        let time = step.requestTime
        // Bounded: a connector of the app's own may take no notice of its deadline (N64).
        let found = try await step.boundedRequest("speakers to answer", within: environment.memory.serviceTime(time)) { deadline in
            try await connector.scan(endpoints, by: deadline) { step.note($0) }
        }
        var problem: String?
        for _ in 0..<Self.maximumChoices {
            let complaint = problem
            let choice = try await environment.stage.ask(in: step) { try await presenter.chooseSpeaker(from: found, problem: complaint) }
            // Cut off, it was not answered: a screen that goes away may say nil, too.
            try step.checkCancellation()
            guard let choice else {
                if problem != nil || isAskedFor {
                    step.note("no speaker was chosen")
                } else {
                    step.note("no speaker was chosen, and the next launch does not ask")
                    // Without the record the next launch asks once more, which harms nobody.
                    step.attempt(orNote: "that no speaker is wanted could not be kept") { try state.recordDeclinedSpeaker() }
                }
                return nil
            }
            do {
                try await step.waitForTurn { try await connect(to: choice, within: time, in: step) }
            } catch {
                // Cancelled, it must not ask again.
                try step.checkCancellation()
                problem = "\(choice.name) does not answer"
                // The report gets the error; the user, who cannot mend it, gets a sentence.
                step.note("\(error)")
                continue
            }
            // A speaker that is connected is used, remembered or not.
            step.attempt(orNote: "the speaker could not be remembered") { try state.rememberSpeaker(choice) }
            return choice
        }
        step.note("no speaker could be connected in \(Self.maximumChoices) tries")
        return nil
    }

    private func connect(to speaker: Speaker, within time: Duration, in step: StepContext) async throws {
        // A service has named the speaker, and may have put a secret into the name (T30).
        let name = "speaker \(ForeignText.shown(speaker.name))"
        let connection = try await step.boundedRequest(name, within: time) { [connector = environment.services.speakers] in
            try await connector.connect(to: speaker, by: $0)
        }
        // The new choice takes the place of the ones before; they are closed only when it is there.
        if isAskedFor { environment.devices.closeAll() }
        environment.devices.add(connection)
    }
}

extension StartupStep where Work == @Sendable (StepContext, LoadedConfiguration?) async throws -> Speaker? {
    /// The speaker; nil when the user continues without one. The configuration is nil where the scenario does not wait
    /// for it.
    public static var connectSpeaker: Self {
        Self(
            "connect-speaker",
            "Connect the speaker",
            expected: .milliseconds(700),
            // A speaker that is switched off keeps nobody from the main screen.
            options: .substitute(Speaker?.none),
            .onFailure(.continue),
            simulated: { $0.work(giving: nil) }
        ) { environment in
            let operation = ConnectSpeakerOperation(environment: environment)
            return { step, loaded in try await operation.run(loaded?.configuration, in: step) }
        }
    }
}
