import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// The life of an app around its launch: what comes later, changes, is tried again, or must not be cancelled.
@Suite("Public API: around the launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AroundLaunchTests {
    /// What has happened, in order.
    private actor Log {
        private(set) var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
    }

    private let log = Log()

    private func add(_ id: String, _ option: StepOption, seconds: Int, to graph: inout OperationGraph) -> Step<Void> {
        graph.add(id, option, .expected(.seconds(seconds))) { step in try await step.sleep(for: .seconds(seconds)) }
    }

    // MARK: Delays

    @Test("a step with a delay begins that long after it could, and holds neither lane nor resource until then")
    func delay() async throws {
        var graph = OperationGraph("delay")
        let home = add("home", .milestone, seconds: 1, to: &graph)
        let sync = add("sync", .exclusive("network"), seconds: 2, to: &graph)
        let later = add("prefetch", .all([.delay(.seconds(3)), .exclusive("network")]), seconds: 1, to: &graph)
        graph.addDependency(home, to: sync)
        graph.addDependency(home, to: later)
        let options = LaunchOptions(lanes: 1, deadline: .never, clock: VirtualClock())
        let report = try await graph.run(options: options).report
        let prefetch = try #require(report["prefetch"])
        #expect(report.outcome == .completed && report["sync"]?.end == .seconds(3))
        #expect(prefetch.ready == .seconds(1) && prefetch.start == .seconds(4) && prefetch.delay == .seconds(3))
        #expect(try JSONDecoder().decode(LaunchReport.self, from: JSONEncoder().encode(report)) == report)

        let plan = try await graph.plan(PlanOptions(lanes: 1))
        #expect(plan.milestoneEnd == .seconds(1) && plan.makespan == .seconds(5))
        #expect(plan["prefetch"]?.start == .seconds(4))
        let text = try graph.validated().json(pretty: false)
        #expect(text.contains(#""delayMs":3000"#))
    }

    @Test("a path counts the delay; a launch that only waits one out has not stalled, and can be cancelled")
    func delayedMilestone() async throws {
        var graph = OperationGraph("delay")
        let pause = graph.join("pause", .delay(.seconds(20)))
        let home = add("home", .milestone, seconds: 1, to: &graph)
        graph.addDependency(pause, to: home)
        #expect(try graph.validated().slack(of: "home") == .zero)
        let stalls = ExternalEvent<String>("stall")
        var options = virtual()
        options.stallWatch = StallWatch(after: .seconds(5)) { stalls.fulfill("\($0)") }
        let launch = try await graph.run(options: options)
        #expect(launch.report.outcome == .completed && launch.report.makespan == .seconds(21) && stalls.result == nil)

        let clock = VirtualClock()
        let cancelled = try cancel(graph, after: .seconds(3), on: clock, deadline: .never)
        let report = await cancelled.end().report
        #expect(report.outcome == .cancelled && report.makespan == .seconds(3))
        #expect(report["pause"]?.outcome == .cancelled)
    }

    @Test("a step of the prologue has no delay, and a delay is more than 0")
    @MainActor
    func wrongDelays() throws {
        var graph = OperationGraph("delay")
        graph.addPrologue("open-database", .delay(.seconds(1))) {}
        graph.add("home", .delay(.zero), .milestone) {}
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        #expect(error?.problems.count == 2)
    }

    /// Starts a launch, which is cancelled later, as when the app goes to the background.
    private func cancel(
        _ graph: OperationGraph,
        after delay: Duration,
        on clock: VirtualClock,
        deadline: LaunchOptions.Deadline
    ) throws -> RunningLaunch {
        try clock.hold {
            let launch = try graph.start(options: LaunchOptions(deadline: deadline, clock: clock))
            var world = OperationGraph("world")
            world.add("background") { step in
                try await step.sleep(for: delay)
                launch.cancel()
            }
            try world.start(options: LaunchOptions(clock: clock))
            return launch
        }
    }

    // MARK: Shields

    @Test("a shielded step that has begun outlives the cancel of its launch, which ends after it, or at its deadline")
    func cancellationShield() async throws {
        var graph = OperationGraph("shield")
        let clear = add("clear-data", .cancellationShield, seconds: 5, to: &graph)
        _ = add("sync", .onFailure(.continue), seconds: 60, to: &graph)
        graph.add("compact", .cancellationShield, after: clear) {}
        for deadline in [LaunchOptions.Deadline.never, .after(.seconds(3))] {
            let launch = try cancel(graph, after: .seconds(1), on: VirtualClock(), deadline: deadline)
            let report = await launch.end().report
            let isInTime = deadline == .never
            #expect(report.outcome == .cancelled && report.makespan == .seconds(isInTime ? 5 : 3))
            #expect(report["clear-data"]?.outcome == (isInTime ? .succeeded : .timedOut))
            #expect(report["sync"]?.outcome == .cancelled && report["compact"]?.start == nil)
        }
    }

    @Test("a shielded step that has not begun does not begin in a launch that fails; one that has is tried once")
    func shieldInFailure() async throws {
        var graph = OperationGraph("shield")
        graph.add("upload", .cancellationShield, .retry(attempts: 3, backoff: .zero)) { [log] step in
            await log.add("upload")
            try await step.sleep(for: .seconds(2))
            throw Trouble()
        }
        graph.add("log-in") { step in
            try await step.sleep(for: .seconds(1))
            throw Trouble()
        }
        graph.add("wait", .cancellationShield, .delay(.seconds(2))) { [log] in await log.add("wait") }
        let report = try await graph.run(options: virtual()).report
        #expect(report.outcome.isFailure(of: "log-in") && report.makespan == .seconds(2))
        #expect(await log.lines == ["upload"])
    }

    // MARK: Trying again

    @Test("a second try runs what failed and what was behind it, with the values of what had succeeded")
    func retrying() async throws {
        let network = LatestValue<Bool>("network")
        var graph = OperationGraph("retry")
        let configuration = graph.add("configuration") { [log] in
            await log.add("configuration")
            return 7
        }
        let near = graph.add("near", .delay(.seconds(1))) { [log] in
            await log.add("near")
            return "near"
        }
        let origin = graph.add("origin") { [log] in
            await log.add("origin")
            return "origin"
        }
        let mirror = graph.first("mirror", of: near, origin)
        let login = graph.add("log-in", using: configuration, after: mirror) { [log] number in
            await log.add("log-in")
            guard case .success(true)? = network.latest else { throw Trouble() }
            return "account \(number)"
        }
        let home = graph.add("home", .milestone, using: login, mirror, on: .main) { [log] account, mirror in
            await log.add("home")
            return "\(account) by \(mirror)"
        }
        graph.add("clean", .always) { [log] in await log.add("clean") }
        let first = try await graph.run(options: virtual())
        #expect(first.report.outcome.isFailure(of: "log-in"))
        #expect(await Set(log.lines) == ["configuration", "origin", "log-in", "clean"])

        network.set(true)
        let before = await log.lines.count
        let second = try await graph.retrying(first).run(options: virtual())
        #expect(second.report.outcome == .completed && second.report.budget.isMet)
        #expect(await Set(log.lines.dropFirst(before)) == ["log-in", "home", "clean"])
        #expect(try second[home] == "account 7 by origin" && second[configuration] == 7)
        #expect(second.report["configuration"]?.notes == ["taken over from the launch before"])
        let third = try await graph.retrying(second).run(options: virtual())
        #expect(third.report.outcome == .completed && third.report.milestone == "home")
        #expect(await log.lines.count == before + 4)
    }

    // MARK: Values

    @Test("a value that changes: the latest at once, then each change, and of several that come together the last")
    func latestValue() async throws {
        let token = LatestValue<String>("device-token")
        #expect(token.latest == nil && token.available.result == nil)
        var changes = token.changes.makeAsyncIterator()
        token.fail("no network")
        #expect(throws: (any Error).self) { try token.latest?.get() }
        guard case .failure(let error)? = await changes.next() else { throw Trouble() }
        #expect("\(error)" == "the event 'device-token' failed: no network")
        token.set("a")
        token.set("b")
        #expect(try await changes.next()?.get() == "b")
        for await late in token.changes {
            #expect(try late.get() == "b")
            break
        }
        let cancelled = Task { [changes] in
            var changes = changes
            return await changes.next() == nil
        }
        cancelled.cancel()
        #expect(await cancelled.value)
    }

    @Test("a step waits for a value through the failure of a registration, and a later launch has the latest value")
    func availableValue() async throws {
        let token = LatestValue<String>("device-token")
        var world = OperationGraph("system")
        world.add("register") { step in
            try await step.sleep(for: .seconds(1))
            token.fail("no network")
            try await step.sleep(for: .seconds(2))
            token.set("first")
            token.set("second")
        }
        var graph = OperationGraph("launch")
        let wait = graph.wait(for: token, .timeout(.seconds(5)))
        let home = graph.add("home", .milestone, using: wait) { $0 }
        let clock = VirtualClock()
        let launch = try clock.hold { [graph, world] in
            try world.start(options: LaunchOptions(clock: clock))
            return try graph.start(options: LaunchOptions(clock: clock))
        }
        let finished = await launch.end()
        #expect(try finished[home] == "first" && finished.report.makespan == .seconds(3))
        #expect(try token.available.result?.get() == "second")
        token.fail("unregistered")
        #expect(token.available.result == nil)
    }

    @Test("an optional of an optional value is one, also where the step was skipped, or left nil")
    func flatOptional() async throws {
        for (runs, stored) in [(true, "anna"), (true, nil), (false, "anna")] as [(Bool, String?)] {
            var graph = OperationGraph("optional")
            let account = graph.add("restore-account", .when { runs }) { stored }
            let name = account.optional
            let home = graph.add("home", .milestone, using: name) { name in name.map { "\($0)" } ?? "nobody" }
            let launch = try await graph.run(options: virtual())
            #expect(try launch[home] == (runs ? stored ?? "nobody" : "nobody"))
            #expect(try launch[name] == (runs ? stored : nil))
        }
    }

    // MARK: Entry points and takeovers

    @Test("a mailbox opens with an app's own milestone, and delivers what came before, also in an earlier process")
    func mailbox() async throws {
        let directory = StateDirectory.inMemory()
        #expect(EntryPointMailbox(in: directory).receive(.shortcut(ShortcutItem("play"))) == .stored)
        let mailbox = EntryPointMailbox(in: directory)
        #expect(mailbox.receive(.shortcut(ShortcutItem("inbox", needsLogin: true))) == .stored)
        let deliver: @Sendable () async -> Int = { [log] in await mailbox.deliver { await log.add("\($0)") } }
        #expect(await deliver() == 0)
        var graph = OperationGraph("launch")
        graph.add("home", .milestone, on: .main) { mailbox.open(for: nil) }
        #expect(try await graph.run(options: virtual()).report.outcome == .completed)
        #expect(await deliver() == 1)
        #expect(await log.lines == ["shortcut play"])
        mailbox.open(for: "anna")
        #expect(await deliver() == 1)
        #expect(await log.lines == ["shortcut play", "shortcut inbox"])
        mailbox.receive(.shortcut(ShortcutItem("search")))
        mailbox.stopDelivering()
        #expect(await deliver() == 0 && mailbox.waiting().count == 1)
    }

    @Test("that a launch was taken over is an event, which has come before the screen of the takeover is shown")
    @MainActor
    func takeover() async throws {
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        let bootstrap = try Bootstrap(BootstrapPlan.complete(), app: app, directory: .inMemory(), http: JSONService())
        let stage = bootstrap.environment(presenters: StartupPresenters()).stage
        #expect(stage.takenOver.result == nil && stage.isTakenOverBy == nil)
        let shown = ExternalEvent<String?>("shown")
        var graph = OperationGraph("launch")
        graph.add("license") { step in
            step.abort("license") { await stage.takeOver(by: "license") { shown.fulfill(stage.isTakenOverBy) } }
        }
        let report = try await graph.run(options: virtual()).report
        #expect(report.outcome == .aborted(by: "license", reason: "license"))
        #expect(try await stage.takenOver.value == "license")
        #expect(try await shown.value == "license")
        await stage.takeOver(by: "update") { Issue.record("a second takeover is shown") }
        #expect(stage.isTakenOverBy == "license")
    }

    // MARK: Prologues

    /// The journal as it is while a step runs is that of a process that dies there: each process begins with a copy.
    @Test("a crash loop in one of fifteen SDKs of a prologue is found by name, with a launch under the same journal")
    @MainActor
    func crashLoopInPrologue() async throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("sdks-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: base) }
        var news: [String] = []
        for process in 1...4 {
            let place = base.appendingPathComponent("\(process)")
            let next = base.appendingPathComponent("\(process + 1)")
            let journal = LaunchJournal.open(in: .open(at: place), version: "1")
            news.append(journal.news ?? "")
            var prologue = OperationGraph("process")
            for sdk in 1...15 {
                prologue.addPrologue("sdk-\(sdk)") {
                    // The others run before it, or never.
                    if sdk == 7 { try FileManager.default.copyItem(at: place, to: next) }
                }
            }
            journal.preparePrologue(&prologue)
            let process = try prologue.start(options: virtual())
            #expect(process.failure == nil)
            _ = await process.end()
            var graph = OperationGraph("launch")
            graph.add("home", .milestone, on: .main) {}
            journal.prepare(&graph)
            var options = virtual()
            options.admission = .unlimited
            #expect(try await journal.run(graph, options: options).report.outcome == .completed)
        }
        #expect(news[0] == "" && news[1].hasSuffix("crashed in sdk-7") && news[2] == news[1])
        #expect(news[3].hasSuffix("the last 3 launches crashed in sdk-7, which cannot be left out"))
    }
}

extension LaunchReport.Outcome {
    /// Whether the launch failed in this operation.
    fileprivate func isFailure(of operation: String) -> Bool {
        if case .failed(operation, _) = self { true } else { false }
    }
}
