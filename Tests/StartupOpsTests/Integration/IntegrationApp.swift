import Foundation
import Sequencer
import StartupSamples
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// The sample app as a process of its own has it: its state in files, its services behind a socket. Only the person is not real.
struct IntegrationApp {
    let environment: StartupEnvironment
    let service: AppService
    let person: AgreeablePerson

    /// - Parameters:
    ///   - folder: what the app remembers; the next app with the same folder is its next start.
    init(
        at url: URL,
        remembering folder: TemporaryFolder,
        person: AgreeablePerson = AgreeablePerson()
    ) throws {
        self.person = person
        let directory = StateDirectory.open(at: folder("app"))
        try #require(directory.problems.isEmpty)
        let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
        let device = Settings(directory.settings).deviceIdentifier
        service = AppService(at: .service(at: url), http: HTTPClient(), directory: directory, app: app, deviceID: device)
        environment = StartupEnvironment(
            app: app,
            services: StartupServices(service),
            presenters: StartupPresenters(all: person),
            directory: directory,
            splashMinimum: .zero
        )
    }

    /// Launches as the stored state says. Whatever the server does, the launch ends by its own deadline, and nothing of it is left running.
    func launch() async throws -> LaunchReport {
        let scenario = Scenario(for: environment.facts())
        let graph = scenario.graph(StartupSteps(environment))
        let options = LaunchOptions(deadline: .seconds(60), admission: .oneAtATime)
        let report = try await graph.run(budget: .seconds(3), options: options).report
        environment.devices.closeAll()
        #expect(report.stragglers.isEmpty, "\(report.json())")
        return report
    }
}

extension LaunchReport {
    /// What the report says of a step: its notes, and what went wrong.
    func remarks<Work>(_ step: StartupStep<Work>) -> String {
        let operation = self[step]
        return ((operation?.notes ?? []) + [operation?.message].compactMap { $0 }).joined(separator: "; ")
    }

    /// What became of a step.
    subscript<Work>(step: StartupStep<Work>) -> OperationReport? { self[step.id] }
}
