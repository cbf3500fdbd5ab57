import Foundation
import SequencerTesting

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// An app of version 1 where version 2 is required: over a service in this process, with everything it keeps in memory.
struct OutdatedApp {
    /// Demands the update after a pause, or does not answer.
    private struct Policies: UpdatePolicyService {
        let pause: (@Sendable () async throws -> Void)?

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
            guard let pause else { throw unreachable }
            try await pause()
            return OutdatedApp.required
        }
    }

    private struct Failure: Error {}

    private static let required = UpdatePolicy(minimumVersion: SemanticVersion(2))

    let person = AgreeablePerson()
    let environment: StartupEnvironment
    private let scenario: Scenario

    /// - Parameters:
    ///   - scenario: one of those that are built in; that of a white-label app has two SDKs that are required.
    ///   - isStored: whether an earlier launch has heard of the update, and the service does not answer.
    ///   - pause: passes the time until the service answers.
    init(_ scenario: Scenario, isStored: Bool, answersAfter pause: @escaping @Sendable () async throws -> Void) throws {
        self.scenario = scenario
        let directory = StateDirectory.inMemory()
        let endpoints = try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: "https://api.example.com")
        var plan = BootstrapPlan(endpoints: endpoints)
        plan.registrations = BootstrapHarness.registrations()
        plan.thirdParties = [ThirdPartySDK("late", isRequired: true) { _ in }]
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        let bootstrap = try Bootstrap(plan, app: app, directory: directory, http: WireService())
        var environment = bootstrap.environment(presenters: StartupPresenters(all: person))
        environment.services.updates = Policies(pause: isStored ? nil : pause)
        if scenario.name != Scenario.bootstrap.name { environment.bootstrap = nil }
        if isStored { try environment.state.recordUpdatePolicy(try JSONEncoder().encode(Self.required)) }
        self.environment = environment
    }

    /// All that can fail in a launch but the update check: its steps, and a step of the app's own in its prologue.
    static func steps(of scenario: Scenario) throws -> [String] {
        let app = try OutdatedApp(scenario, isStored: false) {}
        return app.environment.graph(scenario).identifiers.filter { $0 != StartupStep.forceUpdate.id } + ["prologue"]
    }

    /// The launch, in which a step fails at its first instant.
    func graph(failing step: String?) throws -> OperationGraph {
        var graph = environment.graph(scenario)
        if step == "prologue" {
            graph.addPrologue("prologue") { throw Failure() }
        } else if let step {
            try graph.inject(.fail, into: step)
        }
        return graph
    }

    /// Whether the update was shown, once, and nothing that the launch is for.
    var isUpdated: Bool { person.shown.filter(["main", "active", "update"].contains) == ["update"] }
}
