//  One graph in two phases. What is in capitals is there once for each module and each SDK that a brand has.
//
//  process phase
//
//  check-resources ── register ──┬── prepare-MODULE ──┬── configure ──┬── sdk-NAME ──┬── end-process-phase
//                                └────────────────────┘               └──────────────┘
//  scene phase, after the process phase
//
//  connect-scene ──┬── module-MODULE ── start-coordinator ──┬── fetch-config ──┬── first-screen ── restore-account ── tutorial ── login ──┐
//                  │                                        └── fetch-flags    │                                                         │
//                  └── splash ─────────────────────────────────────────────────┘                                                         │
//  force-update ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┴── main-app
//
//  `onboarding` and `install-observers` follow `main-app`. No edge leads from `fetch-flags` to `first-screen`: where an app waits for its flags, the gate
//  in there does. `entitlements` and `paywall`, between `login` and `main-app`, are skipped where the app offers no subscription.

import Foundation
import Sequencer
import SequencerAnalysis
import StartupNetworking
import StartupOps
import StartupSamples

/// Two apps made of the same parts: each brand fills a plan, and the same scenario carries it out.
@main @MainActor struct WhiteLabel {
    static func main() async throws {
        var options = SampleServiceOptions()
        options.onboarding = .none
        let service = EmbeddedBackend(SampleService(options))
        let http = HTTPClient(over: service)
        for brand in [Brand.aria(service, http), Brand.bolt(service)] { try await launch(brand, http) }

        print("constraints")
        // Before anything runs: all that is wrong with a plan, each with its reason.
        do {
            try Brand.misconfigured(service, http).plan.validate()
        } catch {
            for problem in error.problems { print("  \(problem)") }
        }
        // While it runs: a module that is switched off, and another that cannot do without it.
        try await launch(Brand.aria(service, http, showsGallery: false), http, onlyOutcome: true)
        // Asking for something before it is there.
        let bootstrap = try Bootstrap(Brand.bolt(service).plan, app: app, directory: .inMemory(), http: http)
        printError { _ = try bootstrap.configuration(for: "the chat") }
        // A phase that comes when it cannot.
        if let problem = LaunchPhases().mark(.viewDidLoad, scene: "main") { print("  \(problem)") }
        // A gate that nobody opens.
        let gate = ReadinessGate("checkout", [GateCondition("prices", setBy: "the shop", because: "nothing can be sold without")])
        do { try await gate.wait(by: .after(.milliseconds(50))) } catch { print("  \(error)") }
    }

    private static let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))

    private static func launch(_ brand: Brand, _ http: HTTPClient, onlyOutcome: Bool = false) async throws {
        let bootstrap = try Bootstrap(brand.plan, app: app, directory: .inMemory(), http: http)
        let screens = Screens()
        var presenters = StartupPresenters()
        (presenters.scene, presenters.splash, presenters.main) = (screens, screens, screens)
        let graph = try bootstrap.environment(presenters: presenters).graph(.bootstrap).validated()
        if !onlyOutcome {
            // The graphs of two brands differ in their modules and SDKs alone.
            if brand.name == "aria" { try printPhases(of: graph, brand.name) }
            print("\(brand.name), launched")
        }

        let limit = Duration.seconds(3)
        let report = try await graph.graph.run(budget: Budget(limit)).report
        if case .failed(let operation, let message) = report.outcome { return print("  \(brand.name) failed in \(operation): \(message)") }
        for operation in report.operations {
            if let message = operation.message { print("  \(operation.id) \(operation.outcome): \(message)") }
        }
        print("  registered: \(bootstrap.registered.joined(separator: ", "))")
        print("  made once, in this order: \(bootstrap.configurationParts.joined(separator: ", "))")
        print("  \(bootstrap.phases.processGate.diagnosis)")
        if let gate = bootstrap.firstScreenGate { print("  \(gate.diagnosis)") }
        if let gallery = bootstrap.module("gallery", as: Gallery.self) { print("  \(gallery.gate.diagnosis)") }
        print("  screens: \(screens.shown.joined(separator: ", "))")
        let budget = report.budget
        print("  \(report.outcome.name), \(budget.isMet ? "within" : "over") its budget: \(budget.measured) of \(limit)\n")
    }

    /// Prints each phase's operations, with what each waits for.
    private static func printPhases(of graph: ValidatedGraph, _ brand: String) throws {
        let process = try graph.ancestors(of: "connect-scene")
        for (phase, belongs) in [("process", true), ("scene", false)] {
            print("\(brand), \(phase) phase")
            for id in graph.topologicalOrder where process.contains(id) == belongs {
                let dependencies = try graph.dependencies(of: id).sorted().joined(separator: ", ")
                print("  \(id)\(dependencies.isEmpty ? "" : " after \(dependencies)")")
            }
        }
    }

    private static func printError(_ body: () throws -> Void) {
        do { try body() } catch { print("  \(error)") }
    }
}
