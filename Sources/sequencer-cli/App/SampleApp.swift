import Foundation
import Sequencer
import StartupOps

/// The app behind the built-in scenarios: a music player with a speaker, complete but for its music.
///
/// Everything is real: requests, tokens, stored state, the connection to the speaker. Unless a backend is named, the services and the speaker are in
/// this process.
struct SampleApp {
    let environment: StartupEnvironment
    /// What a person should know before the launch.
    let warnings: [String]
    /// The services and the speaker of this process; nil with a backend of one's own.
    private let embedded: (backend: EmbeddedBackend, speaker: LoopbackSpeaker)?
    private let service: AppService

    /// The version the app has unless told otherwise.
    static let version = SemanticVersion(1)

    /// - Parameters:
    ///   - screens: asks the person; nil when defaults answer.
    ///   - device: nil for a launch that writes nothing down.
    init(_ arguments: RunArguments, screens: TerminalScreens?, on device: JournaledDevice? = nil) throws {
        var warnings: [String] = []
        let directory = device?.directory ?? Self.directory(arguments.state)
        warnings += directory.problems.map(\.description)
        let app = AppInfo(version: try Self.version(arguments.appVersion), region: Self.region(arguments.region))
        let requiresUpdate = arguments.injections.contains { $0.operation == StartupStep.forceUpdate.id && $0.effect == .required }

        var http = HTTPClient.Configuration()
        http.attemptTimeout = .seconds(3)
        let url: URL
        if let backend = arguments.backend {
            url = backend
            embedded = nil
        } else {
            let embedded = try Self.startEmbedded(directory)
            if requiresUpdate { embedded.backend.service.requireUpdate() }
            http.protocolClasses = embedded.backend.protocolClasses
            url = embedded.backend.baseURL
            self.embedded = embedded
        }
        let plan = Self.plan(for: url, app, directory)
        let bootstrap = try Bootstrap(plan, app: app, directory: directory, http: HTTPClient(http))
        service = bootstrap.service
        // The services of this process have been told; others have not.
        let updates: any UpdatePolicyService = requiresUpdate && embedded == nil ? RequiredUpdate() : service
        var environment = StartupEnvironment(
            app: app,
            services: StartupServices(
                updates: updates,
                configurations: service,
                accounts: service,
                entitlements: service,
                speakers: ServiceSpeakers(client: service.client, connector: TCPSpeakerConnector(clientName: "sequencer-cli"))
            ),
            presenters: screens.map { StartupPresenters(all: TerminalPresenter($0)) } ?? StartupPresenters(all: DefaultAnswers()),
            directory: directory,
            journal: device?.journal
        )
        environment.bootstrap = bootstrap
        self.environment = environment
        self.warnings = warnings
        try receiveEntryPoints(arguments)
    }

    /// Lets go of what is connected.
    func close() {
        environment.devices.closeAll()
    }

    static func directory(_ path: String?) -> StateDirectory {
        guard let path else { return .openDefault() }
        return .open(at: URL(fileURLWithPath: path, isDirectory: true))
    }

    static func version(_ text: String?) throws -> SemanticVersion {
        guard let text else { return version }
        guard let version = SemanticVersion(text) else {
            throw UsageError("option '--app-version': \(quoted(text)) is not a version, such as 1.4.0", command: "run")
        }
        return version
    }

    private static func region(_ region: DeviceRegion?) -> Region {
        let region = region ?? .current(ProcessInfo.processInfo.environment)
        return Region(country: region.country, language: region.language)
    }

    /// The services and the speaker of this process. The speaker is where it was in the last launch, so that it is found again.
    private static func startEmbedded(_ directory: StateDirectory) throws -> (backend: EmbeddedBackend, speaker: LoopbackSpeaker) {
        let last = directory.launchState().lastSpeaker.value.flatMap { UInt16(exactly: $0.port) } ?? 0
        let speaker: LoopbackSpeaker
        do throws(DeviceError) {
            speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen", port: last)
        } catch {
            speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        }
        let known = speaker.speaker
        let options = SampleServiceOptions(speakers: [SampleSpeaker(id: known.id, name: known.name, host: known.host, port: known.port)])
        return (EmbeddedBackend(SampleService(options, store: directory.secure)), speaker)
    }
}

/// A policy that no version meets: for trying out what a required update looks like, whatever the backend says.
private struct RequiredUpdate: UpdatePolicyService {
    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        UpdatePolicy(minimumVersion: SemanticVersion(999))
    }
}
