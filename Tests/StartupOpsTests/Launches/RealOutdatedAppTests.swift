import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples

/// An app that is too old, and whose update check cannot say so.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("An outdated app", .serialized, .timeLimit(.minutes(30)), .real)
struct RealOutdatedAppTests {
    private struct Result {
        let report: LaunchReport
        let person: AgreeablePerson
        let recovery: Recovery
        var isStopped: Bool {
            guard case .aborted(_, .forceUpdate) = report.outcome else { return false }
            return person.shown.contains("update") && !person.shown.contains("main")
        }
    }

    private func launch(
        _ device: SampleDevice,
        _ scenario: Scenario? = nil,
        waitsForCheck: Bool = false,
        changing change: (inout OperationGraph) throws -> Void = { _ in }
    ) async throws -> Result {
        let journal = LaunchJournal.open(in: device.directory(), version: "1.0.0")
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person), journal: journal)
        defer { environment.devices.closeAll() }
        var graph = environment.graph(scenario ?? Scenario(for: environment.facts()))
        journal.prepare(&graph)
        try change(&graph)
        let options = LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        let report = try await journal.run(graph, budget: .seconds(3), options: options).report
        if waitsForCheck { await environment.lateUpdateCheck.end() }
        return Result(report: report, person: person, recovery: journal.recovery)
    }

    /// A device whose service has required an update once.
    private func outdatedDevice() async throws -> SampleDevice {
        let device = try SampleDevice()
        #expect(try await launch(device).report.outcome == .completed)
        device.service.requireUpdate()
        #expect(try await launch(device).isStopped)
        return device
    }

    private func die(in operation: String, level: RecoveryLevel = .normal, times: Int = 3, on device: SampleDevice) throws {
        let death = [JournalSamples.began(version: "1.0.0", level: level), .started(operation)]
        try JournalSamples.write(Array(repeating: death, count: times), from: 100, in: device.location)
    }

    @Test(
        "fault P17: a check that fails, hangs or is left out does not let an app past the update that is remembered",
        arguments: [nil, .warmResume] as [Scenario?]
    )
    func cutOff(scenario: Scenario?) async throws {
        let device = try await outdatedDevice()
        for fault in [Fault.hang, .fail] {
            let result = try await launch(device, scenario) { try $0.inject(fault, into: "force-update") }
            #expect(result.isStopped, "\(result.report.outcome) \(result.person.shown)")
        }
        let result = try await launch(device, scenario) { try $0.skip("force-update", because: "a test") }
        #expect(result.isStopped)
        let milestone = try #require(result.report.milestone)
        #expect(result.report[milestone]?.notes.contains("the last known update policy was used") == true)
    }

    @Test(
        "fault P16: a check that was the end of the least of launches comes after the main screen, if the version may have that",
        arguments: [false, true]
    )
    func checkLast(isKnown: Bool) async throws {
        let device = try isKnown ? await outdatedDevice() : SampleDevice()
        device.service.requireUpdate()
        try die(in: "force-update", level: .minimal, times: 1, on: device)
        let result = try await launch(device)
        #expect(result.recovery.level == .minimal && result.recovery.asksForUpdateLast)
        if isKnown {
            #expect(result.isStopped)
        } else {
            #expect(
                result.report.outcome == .completed
                    && result.report.afterMilestone?.outcome == .aborted(by: "force-update", reason: .forceUpdate)
            )
            #expect(result.person.shown == ["main", "update"])
        }
    }

    @Test("fault P17: where the check comes last, and a known policy stops the launch, the service is asked all the same, and may lift it")
    func liftedThoughLast() async throws {
        let device = try await outdatedDevice()
        try die(in: "force-update", level: .minimal, times: 1, on: device)
        device.service.setVersionPolicy(["minimumVersion": "1.0.0"])
        let result = try await launch(device, waitsForCheck: true)
        #expect(result.recovery.asksForUpdateLast && result.isStopped)
        #expect(try await launch(device).report.outcome == .completed)
    }

    @Test("fault P17: a version that is known to be ruled out does not reach a main screen, or a scenario, of the app's own")
    func ownMilestone() async throws {
        let device = try await outdatedDevice()
        device.outages.refuse("/v1/version-policy")
        let shown = Locked<[String]>([])
        let kiosk = Scenario("kiosk", "One screen.") { graph, _ in
            graph.add("poster", .milestone, on: .main) { _ in shown.withLock { $0.append("poster") } }
        }
        for scenario in [kiosk, .regular, .warmResume] {
            let person = AgreeablePerson()
            let environment = device.environment(StartupPresenters(all: person))
            defer { environment.devices.closeAll() }
            var steps = StartupSteps(environment)
            steps[.mainApp] = { _, _ in shown.withLock { $0.append("main") } }
            steps[.becomeActive] = { _ in shown.withLock { $0.append("active") } }
            let options = LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300)))
            let report = try await scenario.graph(steps).run(budget: .seconds(3), options: options).report
            #expect(report.outcome.name == "aborted" && person.shown.contains("update"), "\(scenario): \(report.outcome)")
        }
        #expect(shown.withLock { $0 } == [])
    }

    @Test("fault P31: a graph that is launched again offline goes by the policy that was read last, also where another launch has read it")
    func launchedAgain() async throws {
        let device = try SampleDevice()
        let environment = device.environment(StartupPresenters(all: AgreeablePerson()))
        defer { environment.devices.closeAll() }
        let resume = environment.graph(.warmResume)
        #expect(try await device.run(resume).outcome == .completed)
        device.service.requireUpdate()
        #expect(try await device.launch(isRunning: true).report.outcome.name == "aborted")
        device.outages.refuse("/v1/version-policy")
        #expect(try await device.run(resume).outcome == .aborted(by: "force-update", reason: .forceUpdate))
    }

    @Test("a step of an app's own that is essential is left out at no level", arguments: RecoveryLevel.allCases)
    func essential(level: RecoveryLevel) async throws {
        var graph = OperationGraph("own")
        graph.add("license", .essential, .onFailure(.continue)) {}
        graph.add("news", .onFailure(.continue)) {}
        // What an essential step reads is as essential, though the milestone does not wait for that.
        let token = graph.add("token", .onFailure(.continue)) { 7 }
        graph.add("audit", .essential, .onFailure(.continue), using: token) { _ in }
        graph.add("home", .milestone, after: "license", "news") {}
        let skippable = graph.skippable()
        #expect(skippable == ["news"])
        Recovery(level, skipping: ["license", "news"], because: "launches crashed").apply(to: &graph, skippable: skippable)
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.outcome == .completed && report["license"]?.outcome == .succeeded)
        #expect(report["news"]?.outcome == (level == .normal ? .succeeded : .skipped))
    }

    @Test(
        "fault P16: the check gets fresh inputs at every level, whichever way it reads or waits for them",
        arguments: RecoveryLevel.allCases
    )
    @MainActor
    func inputs(level: RecoveryLevel) async throws {
        enum Way: CaseIterable { case using, optional, when, after, indirectly, prologue, told, joined, event, gate }
        for way in Way.allCases {
            var graph = OperationGraph("own")
            graph.add("news", .onFailure(.continue)) {}
            let source = graph.add("source", .onFailure(.continue)) { 2 }
            let config = graph.add("fetch-config", using: source, fallback: 1) { $0 }
            let isAsked = Locked<Int?>(nil)
            @Sendable func check(_ minimum: Int?) { isAsked.withLock { $0 = minimum } }
            // What crosses from one step to another beside the graph's values: the check only comes after it.
            let minimum = Locked<Int?>(nil)
            @Sendable func tell(_ value: Int) { minimum.withLock { $0 = value } }
            func addCheck(after step: any StepReference) {
                graph.add("force-update", .essential, .onFailure(.continue), after: step) { check(minimum.withLock { $0 }) }
            }
            switch way {
            case .using: graph.add("force-update", .essential, .onFailure(.continue), using: config) { check($0) }
            case .optional: graph.add("force-update", .essential, .onFailure(.continue), using: config.optional) { check($0) }
            case .when: graph.add("force-update", .essential, .onFailure(.continue), .when(config) { $0 == 2 }) { check(2) }
            case .after: graph.add("force-update", .essential, .onFailure(.continue), after: config) { check(2) }
            case .indirectly:
                let parsed = graph.add("parse", using: config, fallback: 0) { $0 }
                graph.add("force-update", .essential, .onFailure(.continue), using: parsed) { check($0) }
            case .prologue:
                let store = graph.addPrologue("tell", .onFailure(.continue), fallback: 1) { 2 }
                graph.add("force-update", .essential, .onFailure(.continue), using: config, store.optional) { check($0 == 2 ? $1 : nil) }
            case .told:
                graph.add("tell", .onFailure(.continue), using: config) { tell($0) }
                addCheck(after: [String]())
                graph.addDependency("tell", to: "force-update")
            case .joined:
                graph.add("tell", .onFailure(.continue), using: config) { tell($0) }
                addCheck(after: graph.join("ready", after: "tell"))
            case .event:
                let known = ExternalEvent<Int>("minimum-known")
                let wait = graph.wait(for: known, .timeout(.seconds(2)), .onFailure(.continue))
                graph.add("force-update", .essential, .onFailure(.continue), using: wait.optional) { check($0) }
                graph.add("tell", .onFailure(.continue), .fulfills(known), using: config) { $0 }
            case .gate:
                let gate = ReadinessGate("ready", [GateCondition("minimum", setBy: "tell", because: "the check compares with it")])
                addCheck(after: graph.wait(for: gate, .timeout(.seconds(2)), .onFailure(.continue)))
                graph.add("tell", .onFailure(.continue), using: config) { minimum in
                    tell(minimum)
                    gate.meet("minimum", by: "tell")
                }
            }
            graph.add("main-app", .milestone, using: config, after: "news", "force-update") { _ in }
            let skippable = graph.skippable()
            #expect(skippable == ["news"], "\(way)")
            Recovery(level, skipping: ["fetch-config", "source", "news", "tell"], because: "launches crashed").apply(
                to: &graph,
                skippable: skippable
            )
            let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
            #expect(report.outcome == .completed && isAsked.withLock { $0 } == 2, "\(way)")
            #expect(report["fetch-config"]?.outcome == .succeeded && report["source"]?.outcome == .succeeded, "\(way)")
        }
    }

    enum Culprit: CaseIterable { case input, inputWithFallback, inputInPrologue, check }

    @Test(
        "a check, or what it needs, that kills the process at each launch comes after the main screen, or is left out where something takes its place",
        arguments: ["force-update", "license"],
        Culprit.allCases
    )
    func deadly(check: String, culprit: Culprit) async throws {
        let folder = try TemporaryFolder()
        let ran = Locked<[String]>([])
        @Sendable func note(_ id: String) { ran.withLock { $0.append(id) } }
        func prepare(_ graph: inout OperationGraph) -> LaunchJournal {
            let journal = LaunchJournal.open(in: .open(at: folder("app")), version: "1")
            let read = { @Sendable () -> Int in
                note("minimum")
                return 2
            }
            let minimum =
                switch culprit {
                case .inputWithFallback: graph.add("minimum", fallback: 1, body: read)
                case .inputInPrologue: graph.addPrologue("minimum", .onFailure(.continue)) { read() }
                case .input, .check: graph.add("minimum", .onFailure(.continue), body: read)
                }
            graph.add("style", .onFailure(.continue)) { note("style") }
            graph.add(check, .essential, .onFailure(.continue), using: minimum, after: "style") { note("\(check) \($0)") }
            graph.add("main-app", .milestone, after: check) { note("main-app") }
            if culprit == .inputWithFallback { graph.add("news", .onFailure(.continue), using: minimum) { _ in } }
            journal.prepare(&graph)
            return journal
        }
        for _ in 0..<3 {
            var graph = OperationGraph("own")
            let journal = prepare(&graph)
            journal.launchBegins()
            journal.recordStart(of: culprit == .check ? check : "minimum", attempt: 1)
        }
        var graph = OperationGraph("own")
        let journal = prepare(&graph)
        let report = try await journal.run(graph, options: LaunchOptions(clock: VirtualClock())).report
        #expect(report.outcome == .completed, "\(report.outcome)")
        switch culprit {
        case .input, .inputInPrologue: #expect(ran.withLock { $0 } == ["style", "main-app", "minimum", "\(check) 2"])
        case .inputWithFallback:
            #expect(ran.withLock { $0 } == ["style", "\(check) 1", "main-app"])
            #expect(journal.news?.hasSuffix("; not fresh, though an essential operation needs it: minimum") == true)
        case .check: #expect(ran.withLock { Set($0.prefix(3)) == ["style", "minimum", "main-app"] && $0.last == "\(check) 2" })
        }
    }

    @Test(
        "a check that kills the process comes after the main screen also where another step is always in progress beside it",
        arguments: ["force-update", "license"]
    )
    func deadlyBesideAnother(check: String) async throws {
        let folder = try TemporaryFolder()
        let ran = Locked<[String]>([])
        func prepare(_ graph: inout OperationGraph) -> LaunchJournal {
            let journal = LaunchJournal.open(in: .open(at: folder("app")), version: "1")
            graph.add("warm") { ran.withLock { $0.append("warm") } }
            graph.add(check, .essential, .onFailure(.continue)) { ran.withLock { $0.append(check) } }
            graph.add("main-app", .milestone, after: "warm", check) { ran.withLock { $0.append("main-app") } }
            journal.prepare(&graph)
            return journal
        }
        var levels: [RecoveryLevel] = []
        while levels.last != .minimal, levels.count < 10 {
            var graph = OperationGraph("own")
            let journal = prepare(&graph)
            levels.append(journal.recovery.level)
            journal.launchBegins()
            journal.recordStart(of: check, attempt: 1)
            // In a minimal launch it waits for the check, in which that one dies.
            if try !graph.validated().dependencies(of: "warm").contains(check) { journal.recordStart(of: "warm", attempt: 1) }
        }
        #expect(levels.last == .minimal, "\(levels)")
        var graph = OperationGraph("own")
        let journal = prepare(&graph)
        #expect(try await journal.run(graph, options: LaunchOptions(clock: VirtualClock())).report.outcome == .completed)
        #expect(ran.withLock { $0 } == ["warm", "main-app", check])
    }

    @Test("fault P16: the check is made at every recovery level, whatever launches died in", arguments: RecoveryLevel.allCases)
    func everyLevel(level: RecoveryLevel) async throws {
        for scenario in Scenario.all {
            var graph = scenario.graph(.simulated())
            let skippable = graph.skippable()
            Recovery(level, skipping: ["splash", "force-update"], because: "launches crashed").apply(to: &graph, skippable: skippable)
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
            #expect(report["force-update"]?.outcome == .succeeded, "\(scenario)")
        }
    }
}
