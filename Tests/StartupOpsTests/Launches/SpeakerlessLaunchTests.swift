import SequencerTesting
import StartupStorage
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples

/// A launch goes on to the main screen without a speaker, and says so.
@Suite("Launches without a speaker", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SpeakerlessLaunchTests {
    /// Why there is no speaker.
    enum Reason: CaseIterable {
        case stepFails, noPresenter, dismissed, unanswered, noneFound
    }

    /// An agreeable person who dismisses the assistant.
    @MainActor
    private final class Dismissing: SpeakerPresenter {
        nonisolated init() {}
        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? { nil }
    }

    /// An agreeable person who leaves the assistant without an answer.
    @MainActor
    private final class Leaving: SpeakerPresenter {
        nonisolated init() {}
        func chooseSpeaker(from speakers: [Speaker], problem: String?) async throws -> Speaker? { throw CancellationError() }
    }

    @Test("A26, fault O16, O17: a first launch goes on without a speaker, and the report says why", arguments: Reason.allCases)
    func firstLaunch(reason: Reason) async throws {
        let device = try SampleDevice()
        let person = AgreeablePerson()
        var presenters = StartupPresenters(all: person)
        if reason == .noPresenter { presenters.speaker = nil }
        if reason == .dismissed { presenters.speaker = Dismissing() }
        if reason == .unanswered { presenters.speaker = Leaving() }
        if reason == .noneFound { device.service.setSpeakers([]) }
        let environment = device.environment(presenters)
        defer { environment.devices.closeAll() }
        var graph = environment.graph(.firstLaunch)
        if reason == .stepFails { try graph.inject(.fail, into: "connect-speaker") }
        let report = try await device.run(graph)
        #expect(report.outcome == .completed, "\(report.remarks)")
        let content = try #require(person.content)
        #expect(content.speaker == nil && !content.account.isAnonymous)
        let remark = try #require(report.remarks.first { $0.hasPrefix("connect-speaker: ") })
        let expected =
            switch reason {
            case .stepFails: "a failure was injected"
            case .noPresenter: "there is no presenter for connect-speaker"
            case .dismissed, .noneFound: "no speaker was chosen, and the next launch does not ask"
            case .unanswered: "the person dismissed connect-speaker"
            }
        #expect(remark.contains(expected), "\(remark)")
        #expect(
            environment.state.lastSpeaker == .absent && environment.state.hasDeclinedSpeaker == [.dismissed, .noneFound].contains(reason)
        )
    }

    enum Request: CaseIterable { case scan, connection }

    /// The real connector; it takes no notice of a deadline, in one of the two.
    private struct Deaf: DeviceConnector {
        let real: any DeviceConnector
        let clock: VirtualClock
        let request: Request

        func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
            if request == .connection { try? await clock.sleep(for: .seconds(100)) }
            return try await real.connect(to: speaker, by: deadline)
        }

        func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
            if request == .scan { try? await clock.sleep(for: .seconds(100)) }
            return try await real.scan(endpoints, by: deadline)
        }
    }

    @Test(
        "A26, fault N64: a first launch does not wait for a connector that takes no notice of its deadline",
        arguments: Request.allCases
    )
    func deaf(request: Request) async throws {
        let device = try SampleDevice()
        let (person, clock) = (AgreeablePerson(), VirtualClock(patience: .seconds(300)))
        var environment = device.environment(StartupPresenters(all: person))
        defer { environment.devices.closeAll() }
        environment.services.speakers = Deaf(real: environment.services.speakers, clock: clock, request: request)
        let options = LaunchOptions(grace: .seconds(60), clock: clock)
        let report = try await environment.graph(.firstLaunch).run(budget: .seconds(3), options: options).report
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(try #require(person.content).speaker == nil)
        #expect(person.shown.contains { $0.hasPrefix("speakers") } == (request == .connection), "\(person.shown)")
        let remarks = report.remarks.filter { $0.hasPrefix("connect-speaker: ") }
        #expect(remarks.contains { $0.hasSuffix("the service neither answered nor failed by its deadline") }, "\(remarks)")
        #expect(environment.state.lastSpeaker == .absent && !environment.state.hasDeclinedSpeaker)
    }

    /// All but those that have no such step: one that comes back to the front, and one that carries out a plan of the app's own.
    private static let withSpeaker = Scenario.all.filter { !["warm-resume", "bootstrap"].contains($0.name) }

    @Test(
        "A26, fault N64: in no scenario does the main screen need a speaker, or wait for a step that looks for one and hangs",
        arguments: withSpeaker,
        [(Fault.hang, Outcome.timedOut), (.fail, .failed)]
    )
    func without(scenario: Scenario, fault: (Fault, Outcome)) async throws {
        var graph = scenario.graph(.simulated())
        try graph.inject(fault.0, into: "connect-speaker")
        let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.outcome == .completed && report["connect-speaker"]?.outcome == fault.1)
        #expect(report["main-app"]?.outcome == .succeeded)
    }

    @Test("A26: who declines a speaker is not asked again, until the app forgets that")
    func declined() async throws {
        let device = try SampleDevice()
        var presenters = StartupPresenters(all: AgreeablePerson())
        presenters.speaker = Dismissing()
        let first = device.environment(presenters)
        #expect(first.facts() == .firstLaunch)
        _ = try await device.run(first.graph(Scenario(for: first.facts())))
        #expect(first.facts() == LaunchFacts(speaker: .declined))
        let second = try await device.launch()
        #expect(second.scenario == "regular" && second.report["connect-speaker"] == nil && second.shown == ["splash", "main"])
        try device.directory().launchState().forgetSpeaker()
        let third = try await device.launch()
        #expect(third.scenario == "regular" && third.shown == ["splash", "speakers: Kitchen", "main"])
        #expect(try await device.launch().shown == ["splash", "main"])
    }
}
