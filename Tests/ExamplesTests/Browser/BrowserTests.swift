import Sequencer
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Browser

/// How a launch that waits for events is tested: a second graph on the same clock is the system and the person.
@Suite("The browser's launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
@MainActor
struct BrowserTests {
    // MARK: The order

    @Test("Neither the terms nor telemetry nor the sync hold up the tabs; telemetry comes after the terms")
    func order() throws {
        let graph = try BrowserApp(Phone()).launch().validated()
        #expect(graph.milestone == "browser")
        let before = try graph.ancestors(of: "browser")
        for later in ["read-settings", "kept-links", "show-terms", "terms", "start-telemetry", "sync", "prefetch"] {
            #expect(!before.contains(later))
        }
        #expect(try Set(graph.dependencies(of: "start-telemetry")) == ["browser", "terms"])
    }

    @Test("The tabs are there after 350 ms, whatever the person does then")
    func budget() async throws {
        let report = try await Trial.run().report
        #expect(report.outcome == .completed)
        #expect(report.budget.isMet)
        #expect(report.budget.measured == .milliseconds(350))
        #expect(report.timeToInitialDisplay == .milliseconds(100))
        #expect(report.criticalPath.suffix(3) == ["open-profile", "restore-tabs", "browser"])
        #expect(report.operations.allSatisfy { $0.outcome == .succeeded })
    }

    // MARK: The terms

    @Test("Telemetry starts when the person has accepted, and not before")
    func accepted() async throws {
        let trial = try await Trial.run()
        #expect(trial.report["terms"]?.end == .milliseconds(1350))
        #expect(trial.report["start-telemetry"]?.start == .milliseconds(1350))
        #expect(trial.phone.sendsTelemetry && trial.phone.settings.sendsTelemetry == true)
    }

    @Test("Who declines, or does not answer, sends nothing", arguments: [false, nil] as [Bool?])
    func declined(answer: Bool?) async throws {
        let trial = try await Trial.run(accepts: answer)
        #expect(trial.report.outcome == .completed)
        #expect(trial.report["start-telemetry"]?.outcome == .skipped)
        #expect(!trial.phone.sendsTelemetry && trial.phone.settings.sendsTelemetry == answer)
    }

    @Test("Who has accepted before is not asked again")
    func acceptedBefore() async throws {
        let trial = try await Trial.run(Phone(settings: Settings(sendsTelemetry: true)))
        #expect(trial.phone.screens == [BrowserFault.bar, BrowserFault.news])
        #expect(trial.report["show-terms"]?.outcome == .skipped)
        #expect(trial.report["start-telemetry"]?.start == .milliseconds(350))
        #expect(trial.phone.sendsTelemetry)
    }

    // MARK: Links

    @Test("A link is kept from the moment at which it comes, and opened when its window is shown")
    func links() async throws {
        let phone = Phone()
        let app = BrowserApp(phone)
        app.links.receive(Trial.today, for: app.main)
        #expect(phone.keptLinks == [Trial.today] && phone.openedLinks.isEmpty)
        _ = try await Trial.run(app)
        #expect(phone.keptLinks.isEmpty && phone.openedLinks == [Trial.today])
        // Long after the launch.
        app.links.receive("https://example.org/later", for: app.main)
        await app.links.settled()
        #expect(phone.keptLinks.isEmpty && phone.openedLinks == [Trial.today, "https://example.org/later"])
    }

    @Test("A link that came with a launch that failed is opened by the next one")
    func keptLink() async throws {
        let failed = try await Trial.run(Phone(isProfileDamaged: true))
        #expect(failed.phone.keptLinks == [Trial.today] && failed.phone.openedLinks.isEmpty)
        let app = BrowserApp(Phone(links: failed.phone.keptLinks))
        let next = try await Trial.run(app)
        #expect(next.phone.keptLinks.isEmpty && next.phone.openedLinks == [Trial.today])
    }

    // MARK: Faults

    @Test("Each fault in each step has the effect that the README says", arguments: BrowserFault.all)
    func faults(expected: BrowserFault) async throws {
        let trial = try await Trial.run { graph in try graph.inject(expected.fault, into: expected.step) }
        #expect(trial.report.outcome.name == expected.outcome)
        if expected.outcome == "completed" { #expect(trial.report.afterMilestone?.outcome?.name == expected.afterBrowser) }
        #expect(trial.phone.screens == expected.screens)
        let tabs: Duration? = trial.report["browser"].flatMap { $0.outcome == .succeeded ? $0.end : nil }
        let expectedTabs: Duration? = expected.tabs.map { Duration.milliseconds($0) }
        #expect(tabs == expectedTabs)
        #expect(Set(trial.phone.openedLinks) == Set(expected.openedLinks))
        #expect(Set(trial.phone.keptLinks) == Set(expected.keptLinks))
        #expect(trial.phone.openedLinks.count + trial.phone.keptLinks.count == 2)
        #expect(trial.phone.sendsTelemetry == expected.hasTelemetry)
        #expect(trial.phone.isSynced == expected.isSynced)
    }

    @Test("No step and no fault is left out")
    func completeness() {
        for step in BrowserApp(Phone()).launch().identifiers {
            #expect(Set(BrowserFault.all.filter { $0.step == step }.map(\.fault)) == Set(BrowserFault.faults), "\(step)")
        }
    }
}
