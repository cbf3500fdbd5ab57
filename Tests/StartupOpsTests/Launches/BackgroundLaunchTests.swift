import Foundation
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Launches that nobody sees.
@Suite("Launches in the background", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BackgroundLaunchTests {
    /// Takes silent pushes, and has nothing to show.
    private struct Taker: EntryPointPresenter {
        let taken = Locked<[String]>([])

        func showPush(_ push: PushPayload) async { taken.withLock { $0.append("shown") } }
        func follow(_ link: DeepLink) async { taken.withLock { $0.append("followed") } }
        func perform(_ shortcut: ShortcutItem) async { taken.withLock { $0.append("performed") } }
        func confirm(_ entryPoint: EntryPoint) async -> Bool { true }
        func takeSilentPush(_ push: PushPayload) async throws { taken.withLock { $0.append("\(push)") } }
    }

    private func silentPush() throws -> EntryPoint {
        .push(try PushPayloadParser(categories: []).payload(from: Data(#"{"aps":{"content-available":1}}"#.utf8)))
    }

    @Test("F17: whatever else is known, there are only steps that need neither a screen nor a person, and no milestone")
    func shape() throws {
        for facts in LaunchFactsTests.facts {
            var unseen = facts
            unseen.isInBackground = true
            var expected = ["silent-push"]
            if facts.isRegionKnown { expected.append("fetch-config") }
            let hasSession = facts.account == .known || facts.account == .guest
            let edges: Set<ValidatedGraph.Edge> = hasSession ? ["entitlements after restore-session"] : []
            if hasSession { expected += ["restore-session", "entitlements"] }
            for isRunning in [false, true] {
                unseen.isRunning = isRunning
                let scenario = Scenario(for: unseen)
                let graph = try scenario.graph(.simulated()).validated()
                #expect(scenario.name == "background" && graph.graph.identifiers == expected && graph.milestone == nil, "\(unseen)")
                #expect(graph.edges == edges, "\(unseen)")
            }
        }
    }

    @Test("F17: when its time is over, a cancel on another thread ends it at that moment; nothing begins after it")
    func expiry() async throws {
        let box = LaunchBox()
        var graph = Scenario.background.graph(.simulated(durations: ["fetch-config": .seconds(8), "restore-session": .seconds(9)]))
        graph.add("expiry") { step in
            try await step.sleep(for: .seconds(5))
            let launch = try await box.launch()
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread {
                    launch.cancel()
                    continuation.resume()
                }
            }
        }
        let report = try await box.run(graph, budget: .seconds(15), options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.outcome == .cancelled)
        #expect(report["silent-push"]?.outcome == .succeeded)
        for step in ["fetch-config", "restore-session"] {
            #expect(report[step]?.outcome == .cancelled && report[step]?.end == .seconds(5), "\(step)")
        }
        #expect(report["entitlements"]?.start == nil)
    }

    @Test("F17: nothing is presented, not even an update; the silent push is taken, and the launch counts as no start")
    func unseen() async throws {
        let device = try SampleDevice()
        _ = try await device.launch()
        device.service.requireUpdate()
        let starts = device.directory().launchState().appStarts
        let (person, taker) = (AgreeablePerson(), Taker())
        var environment = device.environment(StartupPresenters(all: person))
        defer { environment.devices.closeAll() }
        environment.presenters.entryPoint = taker
        environment.mailbox.receive(try silentPush())
        environment.mailbox.receive(try EntryPointSamples.push())
        var facts = environment.facts()
        facts.isInBackground = true
        let report = try await device.run(environment.graph(Scenario(for: facts)))
        #expect(report.operations.map(\.id) == ["silent-push", "fetch-config", "restore-session", "entitlements"])
        #expect(report.outcome == .completed && report.operations.allSatisfy { $0.outcome == .succeeded }, "\(report.remarks)")
        #expect(person.shown == [] && taker.taken.withLock { $0 }.count == 1)
        // What a person is to see waits for a launch with a screen.
        #expect(environment.mailbox.waiting().map(\.entryPoint.isSilent) == [false])
        #expect(device.directory().launchState().appStarts == starts)
    }
}
