import Foundation
import Sequencer
import StartupNetworking
import StartupOps
import StartupSamples
import StartupStorage

/// A phone with the music app on it, and what the app talks to: a service in this process, and a speaker that answers over TCP.
///
/// The state is in files of a temporary folder. Each launch reads them anew and makes everything else anew too, as a process would.
@MainActor
final class Phone {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "music-app-\(UUID().uuidString)")
    private let speaker: LoopbackSpeaker
    private let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
    /// What the service knows of accounts and sessions, whatever version of it answers.
    private let serviceMemory = StateDirectory.inMemory().state
    private var backend: EmbeddedBackend

    init() throws {
        speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        backend = Self.backend(onboarding: .regular, speaker.speaker, serviceMemory)
    }

    /// Another configuration is published: apps have it from their next launch on.
    func configure(onboarding: OnboardingType) {
        backend = Self.backend(onboarding: onboarding, speaker.speaker, serviceMemory)
    }

    private static func backend(onboarding: OnboardingType, _ speaker: Speaker, _ memory: any DataStore) -> EmbeddedBackend {
        var options = SampleServiceOptions()
        (options.configurationVersion, options.onboarding, options.speakers) = (onboarding.rawValue, onboarding, [speaker])
        return EmbeddedBackend(SampleService(options, store: memory))
    }

    /// Composes the app: the plan, what carries it out, the screens; from these the environment that all operations are made from.
    private func compose(_ person: Person) throws -> StartupEnvironment {
        let directory = StateDirectory.open(at: folder)
        var plan = BootstrapPlan(
            endpoints: APIEnvironment(graphQL: backend.baseURL.appending(path: "graphql"), rest: backend.baseURL)
        )
        plan.registrations = [
            .value(app.platform, for: "platform"),
            .value("music", for: "client-keys"),
            .value("music", for: "core-keys"),
            .value(["splash", "login", "tutorial", "main"], for: "screen-configuration"),
            .value("plain text", for: "ui-configuration"),
            .value("none", for: "analytics"),
            .value("text only", for: "image-codec"),
        ]
        plan.enablesRestoreAccount = true
        plan.modules = [
            BootstrapModule("speakers", isActive: { directory.launchState().lastSpeaker.value != nil }) { configuration in
                configuration.client.speakers(connectedBy: TCPSpeakerConnector(clientName: "music-app"))
            }
        ]
        let bootstrap = try Bootstrap(plan, app: app, directory: directory, http: HTTPClient(over: backend))
        return bootstrap.environment(
            presenters: StartupPresenters(all: person),
            connector: TCPSpeakerConnector(clientName: "music-app")
        )
    }

    /// Starts the app.
    ///
    /// - Parameters:
    ///   - scenario: nil for the one that the state asks for.
    ///   - isRunning: whether it only comes back to the front.
    ///   - receive: puts what starts the app into its mailbox.
    func launch(
        _ scenario: Scenario? = nil,
        isRunning: Bool = false,
        receive: (EntryPointMailbox) throws -> Void = { _ in }
    ) async throws -> (scenario: Scenario, report: LaunchReport, screens: [String]) {
        let person = Person()
        let environment = try compose(person)
        defer { environment.devices.closeAll() }
        try receive(environment.mailbox)
        let scenario = scenario ?? Scenario(for: environment.facts(isRunning: isRunning))
        // Each launch stands for a process of its own.
        let options = LaunchOptions(deadline: .seconds(20), admission: .oneAtATime)
        let report = try await environment.graph(scenario).run(budget: .seconds(3), options: options).report
        return (scenario, report, person.screens)
    }

    /// The person logs out, in the app.
    func logOut() async throws {
        try await compose(Person()).services.accounts.logOut(because: "the person wanted to")
    }

    /// Deletes the app and installs it again: what is in a keychain survives that.
    func reinstall() throws {
        for kept in ["settings", "state", "cache"] { try FileManager.default.removeItem(at: folder.appending(path: kept)) }
    }

    func remove() {
        speaker.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
