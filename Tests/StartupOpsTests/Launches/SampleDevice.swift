import Foundation
import SequencerTesting
import TestSupport

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A device with the sample app on it: everything is real, from the requests to the files; the service is in this process, the speaker on a socket.
///
/// Each launch opens everything anew, as a process of its own would. Time is virtual: waits take none, while requests and files take what they
/// take, and no timeout of a step falls due in between.
final class SampleDevice: Sendable {
    let folder: TemporaryFolder
    let service = SampleService(SampleServiceOptions(), now: { Date() })
    let speaker: LoopbackSpeaker
    let closedPort: ClosedPort
    let outages: Outages
    let problems = Problems()
    private let backend: EmbeddedBackend
    private let isSpeakerGivenUpSoon = Locked(false)

    struct Result: Sendable {
        let scenario: String
        let report: LaunchReport
        let shown: [String]
        let content: MainContent?
    }

    init() throws {
        folder = try TemporaryFolder()
        closedPort = try ClosedPort()
        backend = EmbeddedBackend(service, latency: .none)
        speaker = try LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        var configuration = HTTPClient.Configuration()
        configuration.retry = .never
        outages = Outages(HTTPClient(configuration, over: backend), network: HTTPClient(configuration), closedPort: closedPort)
        moveSpeaker(to: speaker.speaker.port)
    }

    /// Where the state is kept.
    var location: URL { folder("app") }

    func directory() -> StateDirectory { .open(at: location, onProblem: { [problems] in problems.add($0) }) }

    /// What was wrong with the folder. Not that the main thread found a store locked for a moment by another thread, which it does not wait for.
    var lastingProblems: [StorageError] { problems.all.filter { !"\($0)".contains("another thread kept") } }

    /// What the service says of the speaker.
    func moveSpeaker(to port: Int) {
        service.setSpeakers([Speaker(id: "kitchen", name: "Kitchen", host: "127.0.0.1", port: port)])
    }

    func giveUpSpeakerSoon() { isSpeakerGivenUpSoon.withLock { $0 = true } }

    /// The app as its process would make it.
    func environment(
        _ presenters: StartupPresenters,
        version: SemanticVersion = SemanticVersion(1),
        journal: LaunchJournal? = nil
    ) -> StartupEnvironment {
        var directory = directory()
        // As a process of its own would: no launch of this one is its second.
        directory.place = "process \(UUID())"
        let app = AppInfo(version: version, platform: "linux", region: Region(country: "DE", language: "de"))
        let service = AppService(
            at: .service(at: backend.baseURL),
            http: outages,
            directory: directory,
            app: app,
            deviceID: Settings(directory.settings).deviceIdentifier
        )
        let patient = PatientService(service: service)
        let connector = PatientConnector(connector: TCPSpeakerConnector(probeTime: patience)) { [isSpeakerGivenUpSoon] in
            isSpeakerGivenUpSoon.withLock { $0 }
        }
        return StartupEnvironment(
            app: app,
            services: StartupServices(patient, speakers: ServiceSpeakers(client: service.client, connector: connector)),
            presenters: presenters,
            directory: directory,
            journal: journal,
            // Virtual time would not move for a splash while somebody waits for the screen that it has.
            splashMinimum: .zero
        )
    }

    /// Starts the app: the stored state decides how, unless a scenario is given.
    func launch(
        _ scenario: Scenario? = nil,
        _ person: AgreeablePerson = AgreeablePerson(),
        version: SemanticVersion = SemanticVersion(1),
        isRunning: Bool = false,
        prepare: (StartupEnvironment) throws -> Void = { _ in }
    ) async throws -> Result {
        let environment = environment(StartupPresenters(all: person), version: version)
        defer { environment.devices.closeAll() }
        try prepare(environment)
        let scenario = scenario ?? Scenario(for: environment.facts(isRunning: isRunning))
        let report = try await run(environment.graph(scenario))
        return Result(scenario: scenario.name, report: report, shown: person.shown, content: person.content)
    }

    func run(_ graph: OperationGraph) async throws -> LaunchReport {
        try await graph.run(budget: .seconds(3), options: LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300))))
            .report
    }

    /// Whatever is said of this device, with names in place of what is another at each run.
    func generalised(_ text: String) -> String {
        text.replacingOccurrences(of: backend.baseURL.host() ?? "", with: "api.example.com")
            .replacingOccurrences(of: "127.0.0.1:\(speaker.speaker.port)", with: "kitchen.local:7400")
            .replacingOccurrences(of: "speaker 127.0.0.1:\(closedPort.number)", with: "speaker kitchen.local:7400")
            .replacingOccurrences(of: "127.0.0.1:\(closedPort.number)", with: "api.example.com")
            .replacingOccurrences(of: location.path, with: "STATE")
            .replacing(/process [0-9]+ kept/, with: "process 4711 kept")
            // What is left of the time when it is asked for is never quite the same.
            .replacing(/within [0-9.]+ ms/, with: "within the time it had")
    }
}

extension LaunchReport {
    /// All that the report says beyond times: each message and note, with the operation it is about.
    var remarks: [String] {
        operations.flatMap { operation in
            (operation.message.map { [$0] } ?? []).map { "\(operation.id): \($0)" } + operation.notes.map { "\(operation.id): \($0)" }
        }
    }
}
