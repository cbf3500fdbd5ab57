import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A version policy that comes when the launch waits for it no longer.
@Suite("A late update check", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLateUpdateTests {
    private typealias Answer = (policy: Result<UpdatePolicy, NetworkError>, delay: Duration)

    /// Answers after a while of virtual time.
    private final class SlowPolicies: UpdatePolicyService {
        let clock: VirtualClock
        /// One for each time it is asked; the last one for all further times.
        let answers: Locked<[Answer]>
        let cancelled = Locked(0)

        init(_ answers: [Answer], by clock: VirtualClock) {
            self.answers = Locked(answers)
            self.clock = clock
        }

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
            let (answer, delay) = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            do {
                try await clock.sleep(for: delay)
            } catch {
                cancelled.withLock { $0 += 1 }
                throw error
            }
            return try answer.get()
        }
    }

    /// An app of version 0.1 whose service is slow.
    private final class App: Sendable {
        let clock = VirtualClock(patience: .seconds(300))
        let person = AgreeablePerson()
        let told = Locked<[UpdateDecision]>([])
        let policies: SlowPolicies
        let environment: StartupEnvironment
        /// Its service, and its files.
        private let device: SampleDevice

        convenience init(
            _ answer: Result<UpdatePolicy, NetworkError>,
            after delay: Duration,
            on device: SampleDevice,
            allowance: Duration = .seconds(2)
        ) {
            self.init([(answer, delay)], on: device, allowance: allowance)
        }

        init(_ answers: [Answer], on device: SampleDevice, allowance: Duration = .seconds(2)) {
            self.device = device
            policies = SlowPolicies(answers, by: clock)
            var environment = device.environment(StartupPresenters(all: person), version: SemanticVersion(0, 1))
            environment.services.updates = policies
            environment.updateAllowance = allowance
            environment.lateUpdateDecision = { [told] decision in told.withLock { $0.append(decision) } }
            self.environment = environment
        }

        deinit { environment.devices.closeAll() }

        /// The other screens than the splash.
        var screens: [String] { person.shown.filter { $0 != "splash" } }

        func launch(_ scenario: Scenario = .regular, budget: Budget = .seconds(3)) async throws -> LaunchReport {
            try await launch(environment.graph(scenario), budget: budget)
        }

        func launch(_ graph: OperationGraph, budget: Budget = .seconds(3)) async throws -> LaunchReport {
            try await graph.run(budget: budget, options: options).report
        }

        var options: LaunchOptions { LaunchOptions(grace: .seconds(60), clock: clock) }
    }

    private static let required = UpdatePolicy(minimumVersion: SemanticVersion(1), message: "Please update.")
    private static let decision = UpdateDecision.required(minimum: SemanticVersion(1), message: "Please update.")
    private static let wentOn = "the launch went on without an answer to the update check, which goes on in the background"

    /// A device that knows an account, a speaker, and a policy that rules out nothing.
    private func device() async throws -> SampleDevice {
        let device = try SampleDevice()
        #expect(try await device.launch().report.outcome == .completed)
        try device.directory().launchState().recordUpdatePolicy(try JSONEncoder().encode(UpdatePolicy()))
        return device
    }

    @Test("A10, A11: a policy that takes 900 ms stops the launch of a version that it rules out")
    func soon() async throws {
        let app = App(.success(Self.required), after: .milliseconds(900), on: try await device())
        let report = try await app.launch()
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate) && report.makespan == .milliseconds(900))
        #expect(app.screens == ["update"] && !app.environment.lateUpdateCheck.isPending && app.told.withLock { $0 }.isEmpty)
    }

    @Test("fault O22: a policy that takes 5 s takes the main screen over, once, and the next launch knows it")
    func afterTheLaunch() async throws {
        let device = try await device()
        let app = App(.success(Self.required), after: .seconds(5), on: device)
        let report = try await app.launch()
        #expect(report.outcome == .completed && report.budget.isMet && report.anomalies.isEmpty)
        #expect(report["force-update"]?.end == .seconds(2) && report["force-update"]?.notes == [Self.wentOn])
        #expect(report["force-update"]?.outcome == .succeeded)
        await app.environment.lateUpdateCheck.end()
        #expect(app.screens == ["main", "update"] && app.told.withLock { $0 } == [Self.decision])
        #expect(app.environment.stage.isTakenOverBy == "force-update")
        #expect(!app.environment.lateUpdateCheck.isPending)

        let next = App(.failure(unreachable), after: .zero, on: device)
        #expect(try await next.launch().outcome == .aborted(by: "force-update", reason: .forceUpdate) && next.screens == ["update"])
    }

    @Test("A10, A11: a late verdict aborts a launch that still runs, whatever shows, and nothing else is shown")
    func whileTheLaunchRuns() async throws {
        let app = App(.success(Self.required), after: .seconds(5), on: try await device())
        var steps = StartupSteps(app.environment)
        let isAsked = Locked(false)
        steps[.tutorial] = { [stage = app.environment.stage] step, _ in
            try await stage.present(by: step.operation) {
                isAsked.withLock { $0 = true }
                try await step.sleep(for: .seconds(20))
            }
        }
        let report = try await app.launch(Scenario.regular.graph(steps))
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate) && report.makespan == .seconds(5))
        #expect(isAsked.withLock { $0 } && app.screens == ["update"] && report.anomalies.isEmpty)
        #expect(app.told.withLock { $0 }.isEmpty)
    }

    @Test(
        "fault O22: a late verdict takes the screen over after a launch that failed or was aborted",
        arguments: [false, true]
    )
    func afterAnotherEnd(isAborted: Bool) async throws {
        struct Failure: Error {}
        let app = App(.success(Self.required), after: .seconds(5), on: try await device())
        var graph = app.environment.graph(.regular)
        graph.add("other") { step in
            try await step.sleep(for: .seconds(1))
            if isAborted { step.abort("something else") } else { throw Failure() }
        }
        let report = try await app.launch(graph)
        #expect(report["force-update"]?.outcome == .cancelled)
        // From its failure a launch waits for the check as long as the check may take, so that an update has the screen in the failure's place.
        #expect(report.makespan == .seconds(isAborted ? 1 : 3))
        await app.environment.lateUpdateCheck.end()
        #expect(app.screens == ["update"] && app.told.withLock { $0 } == [Self.decision])
    }

    @Test("A34: cancelling the launch, or the check alone, ends the check: nothing is shown later", arguments: [nil, "force-update"])
    func cancelled(operation: String?) async throws {
        let app = App(.success(Self.required), after: .seconds(5), on: try await device())
        var graph = app.environment.graph(.regular)
        let box = LaunchBox()
        graph.add("other") { step in
            // The check alone while the launch waits for it, the launch when it does not any more.
            try await step.sleep(for: .seconds(operation == nil ? 3 : 1))
            if let operation { try await box.launch().cancel(operation) } else { try await box.launch().cancel() }
        }
        let report = try await box.run(graph, budget: .seconds(3), options: app.options).report
        await app.environment.lateUpdateCheck.end()
        // The launch that is cancelled has its main screen.
        #expect(report.outcome == .completed && report.afterMilestone?.outcome == (operation == nil ? .cancelled : nil))
        await eventually { app.policies.cancelled.withLock { $0 } == 1 }
        #expect(!app.environment.lateUpdateCheck.isPending && app.screens == ["main"] && app.told.withLock { $0 }.isEmpty)
        let kept = try JSONDecoder().decode(UpdatePolicy.self, from: try #require(app.environment.state.lastUpdatePolicy.value))
        #expect(kept.decision(for: SemanticVersion(0, 1), at: Date()) == .mayContinue)
    }

    @Test("the launch waits as long as it is allowed to, and no longer than its budget leaves")
    func allowance() async throws {
        let device = try await device()
        let short = App(.success(UpdatePolicy()), after: .seconds(5), on: device, allowance: .milliseconds(500))
        #expect(try await short.launch()["force-update"]?.end == .milliseconds(500))
        // The main screen is expected to take 100 ms.
        let tight = App(.success(UpdatePolicy()), after: .seconds(5), on: device)
        let report = try await tight.launch(budget: .seconds(1))
        #expect(report["force-update"]?.end == .milliseconds(900) && report.budget.isMet && report.outcome == .completed)
        let long = App(.success(Self.required), after: .seconds(5), on: device, allowance: .seconds(10))
        #expect(try await long.launch(budget: .seconds(20)).outcome == .aborted(by: "force-update", reason: .forceUpdate))
    }

    @Test("fault O22: no budget takes the check's least time, also where all of it was spent before the launch", arguments: [false, true])
    func spentBudget(isFromProcessStart: Bool) async throws {
        let device = try await device()
        let budget = Budget(.milliseconds(1), fromProcessStart: isFromProcessStart)
        let app = App(.success(Self.required), after: .milliseconds(400), on: device)
        #expect(try await app.launch(budget: budget).outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(app.screens == ["update"])
        // An app that allows less gets less.
        let hasty = App(.success(UpdatePolicy()), after: .seconds(5), on: try await self.device(), allowance: .milliseconds(100))
        #expect(try await hasty.launch(budget: budget)["force-update"]?.end == .milliseconds(100))
    }

    /// Launches, and comes back to the app after 3 s.
    private func comeBack(_ app: App) async throws {
        var graph = app.environment.graph(.regular)
        // Within the launch: when none runs any more, time goes on to the late answer at once.
        graph.add("come back") { [app] step in
            try await step.sleep(for: .seconds(3))
            #expect(try await app.launch(.warmResume).outcome == .completed)
        }
        #expect(try await app.launch(graph).outcome == .completed)
        await app.environment.lateUpdateCheck.end()
    }

    private func keptPolicy(_ app: App) throws -> UpdatePolicy {
        try JSONDecoder().decode(UpdatePolicy.self, from: try #require(app.environment.state.lastUpdatePolicy.value))
    }

    @Test("fault O22: a launch in the same environment asks again; if it gets no answer, the late one to the launch before counts")
    func askedAgain() async throws {
        let app = App([(.success(Self.required), .seconds(6)), (.failure(unreachable), .zero)], on: try await device())
        try await comeBack(app)
        #expect(app.screens == ["main", "active", "update"] && app.told.withLock { $0 } == [Self.decision])
        #expect(try keptPolicy(app).minimumVersion == SemanticVersion(1))
        #expect(app.policies.cancelled.withLock { $0 } == 0)
    }

    @Test("fault O22: the answer to a later check counts, in time or late, and not that to an earlier one", arguments: [0, 5])
    func answeredOutOfTurn(seconds: Int) async throws {
        let allowed = UpdatePolicy(minimumVersion: SemanticVersion(0, 1))
        let app = App([(.success(Self.required), .seconds(9)), (.success(allowed), .seconds(seconds))], on: try await device())
        try await comeBack(app)
        #expect(app.screens == ["main", "active"] && app.told.withLock { $0 }.isEmpty)
        #expect(try keptPolicy(app).minimumVersion == SemanticVersion(0, 1))
        await eventually { app.policies.cancelled.withLock { $0 } == 1 }
    }

    @Test("fault O22: two checks that say the same, one after the other, show and tell it once")
    func saidTwice() async throws {
        let app = App([(.success(Self.required), .seconds(6)), (.success(Self.required), .seconds(4))], on: try await device())
        try await comeBack(app)
        #expect(app.screens == ["main", "active", "update"] && app.told.withLock { $0 } == [Self.decision])
    }

    @Test("however often a person comes back, few checks go on")
    func many() async throws {
        let app = App(.success(UpdatePolicy()), after: .seconds(25), on: try await device())
        var graph = app.environment.graph(.regular)
        graph.add("come back") { [app] (_: StepContext) async throws in
            for _ in 0..<10 { #expect(try await app.launch(.warmResume).outcome == .completed) }
        }
        #expect(try await app.launch(graph).outcome == .completed)
        await app.environment.lateUpdateCheck.end()
        await eventually { app.policies.cancelled.withLock { $0 } == 3 }
        #expect(!app.environment.lateUpdateCheck.isPending)
    }

    @Test("fault O8: the wait for the check needs no thread of the pool, so that time passes in a launch though all of them are blocked")
    func blockedPool() async {
        // In a process of its own: nothing else would get on.
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            for quality in [DispatchQoS.QoSClass.userInteractive, .userInitiated, .default, .utility, .background] {
                for _ in 0..<256 { DispatchQueue.global(qos: quality).async { gate.block() } }
            }
            let clock = VirtualClock(patience: .milliseconds(50))
            var graph = OperationGraph("blocked")
            graph.add("check") { step in
                let check = UpdateCheck(1, isAwaited: true) { _ in }
                try check.begin("check", in: step, deadline: .seconds(30)) {
                    try await clock.sleep(for: .seconds(5))
                    return UpdatePolicy()
                }
                #expect(await check.answer(within: .seconds(2), in: step) == nil)
            }
            try graph.start(options: LaunchOptions(clock: clock)) { launch in
                let isInTime = launch.report.makespan == .seconds(2) && launch.report.anomalies.isEmpty
                exit(isInTime ? EXIT_SUCCESS : EXIT_FAILURE)
            }
            await gate.wait()
        }
    }

    @Test("nothing of the launch is left when the check has ended, also by a service that never answers", arguments: [5, 1000])
    func memory(seconds: Int) async throws {
        weak var stage: Stage?
        weak var mailbox: EntryPointMailbox?
        do {
            let app = App(.success(Self.required), after: .seconds(seconds), on: try await device())
            (stage, mailbox) = (app.environment.stage, app.environment.mailbox)
            #expect(try await app.launch().outcome == .completed)
            #expect(stage != nil)
            await app.environment.lateUpdateCheck.end()
            #expect(app.screens == (seconds == 5 ? ["main", "update"] : ["main"]))
        }
        await eventually { stage == nil && mailbox == nil }
    }
}
