import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples

/// The built-in scenarios in safe mode.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("Safe mode", .serialized, .timeLimit(.minutes(30)), .real)
struct RealSafeModeTests {
    private func launch(
        _ device: SampleDevice,
        changing change: (inout OperationGraph, StartupEnvironment) -> Void = { _, _ in }
    ) async throws -> (report: LaunchReport, person: AgreeablePerson, journal: LaunchJournal) {
        let journal = LaunchJournal.open(in: device.directory(), version: "1.0.0")
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person), journal: journal)
        defer { environment.devices.closeAll() }
        var graph = environment.graph(Scenario(for: environment.facts()))
        change(&graph, environment)
        journal.prepare(&graph)
        let options = LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        let report = try await journal.run(graph, budget: .seconds(3), options: options).report
        return (report, person, journal)
    }

    @Test("All of a built-in scenario but main screen and update check can be left out; of a white-label app's, what may fail too")
    func skippable() {
        for scenario in Scenario.all where scenario.name != Scenario.bootstrap.name {
            let graph = scenario.graph(.simulated())
            #expect(graph.skippable() == Set(graph.identifiers).subtracting([graph.milestone, "force-update"]), "\(scenario)")
        }
        let bootstrap = Scenario.bootstrap.graph(.simulated())
        #expect(bootstrap.skippable().isSuperset(of: ["splash", "fetch-config", "login", "tutorial"]))
        #expect(!bootstrap.skippable().contains("configure"))
    }

    @Test("fault P7: the least of every built-in scenario reaches its milestone, and of all else only asks for updates")
    func minimal() async throws {
        for scenario in Scenario.all {
            var graph = scenario.graph(.simulated())
            let skippable = graph.skippable()
            for operation in skippable { try graph.inject(.crash, into: operation) }
            Recovery(.minimal, because: "launches crashed").apply(to: &graph, skippable: skippable)
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
            #expect(report.outcome == .completed, "\(scenario)")
            let milestone = try #require(graph.milestone)
            #expect(report[milestone]?.outcome == .succeeded, "\(scenario)")
        }
    }

    @Test("A first launch that leaves out the login shows the main screen to a guest, and the next one is a first launch still")
    func firstLaunch() async throws {
        let device = try SampleDevice()
        let death = [JournalSamples.began, JournalLine.started("login")]
        try JournalSamples.write([death, death, death], in: device.location)
        let safe = try await launch(device)
        #expect(safe.report.scenario == "first-launch" && safe.report.outcome == .completed)
        #expect(safe.person.content?.account == .guest && !safe.person.shown.contains("login"))
        #expect(safe.report["main-app"]?.notes.first?.hasPrefix("safe mode: login is left out, because") == true)
        #expect(device.directory().launchState().isFirstLaunch)
        safe.journal.stayedHealthy()
        let next = try await launch(device)
        // The country, the tutorial and the speaker are known by now.
        #expect(next.report.scenario == "guest" && next.person.shown.contains("login"))
        #expect(!device.directory().launchState().isFirstLaunch)
    }

    @Test("fault S24: whoever has logged in in a first launch that does not count is logged in in the next one, a first launch still")
    func loggedIn() async throws {
        let device = try SampleDevice()
        let death = [JournalSamples.began, JournalLine.started("tutorial")]
        try JournalSamples.write([death, death, death], in: device.location)
        let safe = try await launch(device)
        #expect(safe.report.scenario == "first-launch" && safe.person.shown.contains("login"))
        #expect(safe.journal.recovery.skipped == ["tutorial"])
        safe.journal.stayedHealthy()
        #expect(device.directory().launchState().isFirstLaunch)
        let next = try await launch(device)
        #expect(next.report.outcome == .completed && !next.person.shown.contains("login"))
        #expect(next.person.content?.account.isAnonymous == false && next.report["login"]?.notes == [])
    }

    @Test("fault P7: whoever was logged in, chose a country and a speaker, still is and has after the least of launches")
    func nothingIsLost() async throws {
        let device = try SampleDevice()
        let first = try await launch(device)
        #expect(first.report.outcome == .completed)
        first.journal.stayedHealthy()
        let death = [JournalSamples.began(version: "1.0.0", level: .withoutCaches), JournalLine.started("main-app")]
        try JournalSamples.write([death], from: 9, in: device.location)
        let safe = try await launch(device)
        #expect(safe.journal.recovery.level == .minimal && safe.report.outcome == .completed)
        #expect(safe.person.shown == ["main"])
        #expect(safe.person.content?.account == .guest && safe.person.content?.speaker == nil)
        #expect(safe.person.content?.configuration.source == .cached)
        safe.journal.stayedHealthy()
        let next = try await launch(device)
        #expect(next.report.scenario == "regular" && next.journal.recovery == .none)
        #expect(next.person.shown == ["splash", "main"])
        #expect(next.person.content?.account.isAnonymous == false && next.person.content?.speaker != nil)
        #expect(device.lastingProblems.isEmpty)
    }

    private struct Unusable: Error {}

    @Test("fault P30: a required step that fails on a new configuration keeps the person out three times, and not a fourth")
    func unusableConfiguration() async throws {
        let device = try SampleDevice()
        #expect(try await launch(device).report.outcome == .completed)
        let addShop: @Sendable (inout OperationGraph, StartupEnvironment) -> Void = { graph, environment in
            graph.add("shop", after: "fetch-config") { [configurations = environment.configurations] in
                if configurations.onTrial != nil { throw Unusable() }
            }
            graph.addDependency("shop", to: "main-app")
        }
        for _ in 0..<3 {
            let failed = try await launch(device, changing: addShop)
            #expect(failed.report.outcome.name == "failed" && failed.journal.recovery == .none, "\(failed.report.outcome)")
        }
        let safe = try await launch(device, changing: addShop)
        #expect(safe.journal.recovery.level == .withoutTrialConfiguration)
        #expect(safe.journal.recovery.reason == "the last 3 launches failed in shop, which cannot be left out")
        #expect(safe.report.outcome == .completed && safe.person.content?.configuration.source == .cached, "\(safe.report.remarks)")
        #expect(safe.person.content?.account.isAnonymous == false)
    }

    @Test("A question to the person is written down while it is asked")
    func questions() async throws {
        let device = try SampleDevice()
        _ = try await launch(device)
        let journals = device.location.appendingPathComponent("journal")
        let name = try #require(names(in: journals).first)
        let (lines, _) = JournalLine.parse(try Data(contentsOf: journals.appendingPathComponent(name)))
        let questions = lines.filter { $0.event == .asked || $0.event == .answered }
        #expect(questions.map(\.operation) == ["login", "login", "tutorial", "tutorial", "connect-speaker", "connect-speaker"])
        #expect(questions.map(\.event) == [.asked, .answered, .asked, .answered, .asked, .answered])
    }

    @Test("The published schema knows every event, level, kind and key")
    func schema() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Schemas/journal.schema.json"
        )
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file.standardized)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(Set(properties.keys) == Set(JournalLine.CodingKeys.allCases.map(\.rawValue)))
        #expect(properties["event"]?["enum"] as? [String] == JournalLine.Event.allCases.map(\.rawValue))
        #expect(properties["level"]?["enum"] as? [String] == RecoveryLevel.allCases.map(\.rawValue))
        #expect(properties["kind"]?["enum"] as? [String] == LaunchKind.allCases.map(\.rawValue))
        #expect(properties["schema"]?["const"] as? String == JournalLine.schema)
    }
}
