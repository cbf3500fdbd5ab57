import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// The app decides what a launch in safe mode does.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("Safe mode asks", .serialized, .timeLimit(.minutes(30)), .real)
struct RealSafeModeChoiceTests {
    private let device: SampleDevice

    /// The next launch is to go without the configuration on trial.
    init() throws {
        device = try SampleDevice()
        try device.die(in: "tutorial", before: .withoutTrialConfiguration)
        try configurations.beginTrial(of: AppConfiguration(version: "7", country: "DE", language: "de"))
    }

    private var configurations: ConfigurationStore { ConfigurationStore(device.directory().state) }

    private func open() -> LaunchJournal { .open(in: device.directory(), version: "1.0.0") }

    /// The recovery of a launch that began now, and does not.
    private var next: Recovery {
        let journal = open()
        defer { journal.withdraw() }
        return journal.recovery
    }

    private func environment(_ journal: LaunchJournal) -> StartupEnvironment {
        device.environment(StartupPresenters(all: AgreeablePerson()), journal: journal)
    }

    @Test("fault P33: opening a journal deletes nothing; recovering does, and so does an environment, before it reads anything")
    func opening() throws {
        #expect(next.level == .withoutTrialConfiguration)
        #expect(configurations.onTrial != nil)
        let journal = open()
        journal.recover()
        #expect(configurations.onTrial == nil)
        // Once: what is stored after that is the launch's own.
        try configurations.beginTrial(of: AppConfiguration(version: "8", country: "DE", language: "de"))
        journal.recover()
        #expect(configurations.onTrial != nil)
        let other = environment(open())
        #expect(configurations.onTrial == nil)
        other.devices.closeAll()
    }

    @Test("fault P33: a launch that goes on all the same leaves nothing out, deletes nothing and says so; the next one is asked again")
    func goesOn() async throws {
        let journal = open()
        var proposed: [Recovery] = []
        await journal.decide { recovery in
            proposed.append(recovery)
            return .goOn
        }
        #expect(proposed.map(\.level) == [.withoutTrialConfiguration] && proposed.first?.deletesData == true)
        #expect(journal.recovery == .none)
        #expect(journal.news == proposed.first?.sentence.map { "declined: \($0)" })
        let environment = environment(journal)
        defer { environment.devices.closeAll() }
        #expect(configurations.onTrial != nil)
        var graph = environment.graph(Scenario(for: environment.facts()))
        journal.prepare(&graph)
        let options = LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        let report = try await journal.run(graph, options: options).report
        #expect(report.outcome == .completed)
        #expect(report.operations.allSatisfy { $0.message?.hasPrefix("left out: ") != true })
        // It has not stayed healthy yet.
        #expect(next.level == .withoutTrialConfiguration)
        journal.stayedHealthy()
        #expect(next == .none)
    }

    @Test("fault P33: a launch that goes on and dies before it is prepared leaves the next one at the same level")
    func diesUnprepared() async {
        let level = next.level
        await open().decide { _ in .goOn }
        #expect(next.level == level && level == .withoutTrialConfiguration)
    }

    @Test("fault P33: a launch that recovers does what its level says; it is asked once, and not when that is settled")
    func recovers() async {
        let journal = open()
        var asked = 0
        for _ in 0..<2 {
            await journal.decide { _ in
                asked += 1
                return .recover
            }
        }
        #expect(asked == 1 && journal.recovery.level == .withoutTrialConfiguration && configurations.onTrial == nil)
        let settled = open()
        settled.recover()
        await settled.decide { _ in
            asked += 1
            return .goOn
        }
        #expect(asked == 1 && settled.recovery.isSafeMode)
    }

    @Test("outside of safe mode nothing is asked")
    func normal() async throws {
        try device.die(in: "tutorial", before: .normal)
        let journal = open()
        await journal.decide { _ in
            Issue.record("it was asked")
            return .goOn
        }
        #expect(journal.recovery == .none && journal.news == nil)
    }
}
