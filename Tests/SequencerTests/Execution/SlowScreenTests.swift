import Dispatch
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// What is shown only if a step takes long: in virtual time, so to the millisecond.
@Suite("What is shown while a step takes long", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SlowScreenTests {
    /// A launch on a clock, and what happened at which millisecond of it.
    private struct Launch {
        var graph = OperationGraph("slow")
        let clock = VirtualClock()
        let journal = Journal()

        func note(_ what: String) { journal.note("\(Int(clock.now.offset.nanoseconds / 1_000_000)) \(what)") }

        /// Shows a screen after five seconds.
        func screen(forAtLeast minimum: Duration = .zero) -> StepOption {
            .ifSlower(than: .seconds(5), forAtLeast: minimum) { [self] step in
                note("\(step.operation) shown")
                await step.ended()
                // Without the time: on the main thread of a busy machine it may come as late as the grace.
                journal.note("hidden")
            }
        }

        static let grace = Duration.milliseconds(250)

        /// Whether a launch whose screen is hidden then has ended then: within the grace, see above.
        static func isEnd(_ makespan: Duration, _ end: Duration) -> Bool { (end...end + grace).contains(makespan) }

        func run() async throws -> LaunchReport {
            var options = LaunchOptions.virtual(grace: Self.grace)
            options.clock = clock
            return try await graph.run(options: options).report
        }
    }

    @Test(
        "it begins when the step has taken that long, and ends with the step; a step that ends by then shows nothing",
        arguments: [4_999, 5_000, 5_001, 9_000]
    )
    func begins(duration: Int) async throws {
        var launch = Launch()
        launch.graph.wait("migrate", duration, launch.screen())
        launch.graph.wait("main-app", 100, .milestone, after: "migrate")
        let report = try await launch.run()
        #expect(launch.journal.all == (duration <= 5_000 ? [] : ["5000 migrate shown", "hidden"]))
        #expect(report["migrate"]?.notes == (duration <= 5_000 ? [] : ["took longer than 5 s: that was shown"]))
        // Nothing waits for it.
        #expect(report["main-app"]?.start == .milliseconds(duration))
        #expect(report.makespan == .milliseconds(duration + 100) && report.operationAnomalies.isEmpty)
    }

    @Test("it is shown for at least as long as it is to be, while the launch goes on; the launch ends when it has gone")
    func minimum() async throws {
        var launch = Launch()
        launch.graph.wait("migrate", 5_200, launch.screen(forAtLeast: .seconds(1)))
        launch.graph.wait("main-app", 100, .milestone, after: "migrate")
        let report = try await launch.run()
        #expect(launch.journal.all == ["5000 migrate shown", "hidden"])
        #expect(report.budget.measured == .milliseconds(5_300))
        #expect(Launch.isEnd(report.makespan, .seconds(6)))
    }

    @Test("it is shown once, over all attempts and the pauses between them, and the computing of a fallback")
    func attempts() async throws {
        var launch = Launch()
        let options = StepOption.all([launch.screen(), .retry(attempts: 3, backoff: .seconds(1), multiplier: 1, jitter: 0)])
        launch.graph.add("fetch", options) { (step: StepContext) async throws -> Void in
            try await step.sleep(for: .seconds(3))
            throw Trouble()
        } fallback: { (_: StepContext, _: (any Error)?) -> Void in
        }
        // 0 to 3, 4 to 7, 8 to 11
        #expect(try await launch.run()["fetch"]?.outcome == .fellBack)
        #expect(launch.journal.all == ["5000 fetch shown", "hidden"])
    }

    private struct Trouble: Error {}

    @Test("the time in which a person is waited for does not count, before it is shown; what only asks shows nothing")
    func person() async throws {
        var launch = Launch()
        launch.graph.add("login", launch.screen()) { step in
            try await step.sleep(for: .seconds(2))
            try await step.waitForPerson { try await step.sleep(for: .seconds(60)) }
            try await step.sleep(for: .seconds(4))
        }
        launch.graph.wait("ask", 50_000, .interactive, launch.screen())
        _ = try await launch.run()
        #expect(launch.journal.all == ["65000 login shown", "hidden"])
    }

    @Test("an abort ends it at once, whatever its minimum, and nothing begins after that")
    func abort() async throws {
        var launch = Launch()
        launch.graph.wait("migrate", 60_000, launch.screen(forAtLeast: .seconds(30)))
        launch.graph.add("late") { [journal = launch.journal] step in
            try await step.sleep(for: .milliseconds(5_500))
            step.abort(.forceUpdate) { journal.note("takeover") }
        }
        launch.graph.wait("slower", 60_000, .ifSlower(than: .milliseconds(5_600)) { _ in Issue.record("began after the abort") })
        let report = try await launch.run()
        #expect(report.outcome == .aborted(by: "late", reason: .forceUpdate))
        #expect(launch.journal.all.contains("5000 migrate shown") && launch.journal.all.contains("hidden"))
        #expect(Launch.isEnd(report.makespan, .milliseconds(5_500)))
    }

    @Test("the cancel of the step alone ends it at once, and it does not begin after that, though the step goes on")
    func cancelledAlone() async throws {
        var launch = Launch()
        let box = LaunchBox()
        for id in ["shown", "late"] {
            launch.graph.add(id, launch.screen(forAtLeast: .seconds(30)), .onFailure(.continue)) { step in
                if id == "late" { try await step.sleep(for: .seconds(1)) }
                // Does not heed the cancel.
                await Task.detached { try? await step.sleep(for: .seconds(60)) }.value
            }
        }
        launch.graph.add("stops") { step in
            try await step.sleep(for: .milliseconds(4_500))
            try await box.launch().cancel("late")
            try await step.sleep(for: .seconds(1))
            try await box.launch().cancel("shown")
        }
        var options = LaunchOptions.virtual(grace: .seconds(2))
        options.clock = launch.clock
        let report = try await box.run(launch.graph, options: options).report
        #expect(report["shown"]?.outcome == .cancelled && report["late"]?.outcome == .cancelled)
        #expect(launch.journal.all == ["5000 shown shown", "hidden"])
    }

    @Test(
        "what is only shown still is no reason to fail: the deadline, or a cancel, ends it, and the launch has completed",
        arguments: [false, true]
    )
    func onlyShown(isCancelled: Bool) async throws {
        var launch = Launch()
        launch.graph.wait("migrate", 5_500, launch.screen(forAtLeast: .seconds(60)))
        var options = LaunchOptions.virtual(deadline: .seconds(20))
        options.clock = launch.clock
        options.stallWatch = StallWatch(after: .milliseconds(5_600)) { _ in Issue.record("a stall") }
        let running = try launch.clock.hold {
            let running = try launch.graph.start(options: options)
            guard isCancelled else { return running }
            var canceller = OperationGraph("canceller")
            canceller.add("cancel") { step in
                try await step.sleep(for: .seconds(7))
                running.cancel()
            }
            var others = LaunchOptions.virtual()
            others.clock = launch.clock
            try canceller.start(options: others)
            return running
        }
        let report = await running.end().report
        #expect(report.outcome == .completed && report["migrate"]?.outcome == .succeeded)
        #expect(launch.journal.all.first == "5000 migrate shown")
        #expect(report.makespan == .seconds(isCancelled ? 7 : 20))
    }

    @Test("time does not move while the main thread is about to wait: the end of the wait would not be known")
    func aboutToWait() async throws {
        let (clock, pool) = (VirtualClock(), DispatchQueue(label: "pool"))
        var graph = OperationGraph("slow")
        graph.wait("other", 1_000)
        graph.add("screen", on: .main) { _ in
            let time = await waitWithoutHoldingTime(clock.scheduler) { tell in
                // Others have turns meanwhile.
                for _ in 0..<500 {
                    let turn = DispatchSemaphore(value: 0)
                    pool.async { turn.signal() }
                    turn.wait()
                }
                tell(clock.now.offset)
            }
            #expect(time == .zero)
        }
        #expect(try await graph.run(options: LaunchOptions(clock: clock)).report.outcome == .completed)
    }

    @Test("its durations have a range")
    func validation() throws {
        for (limit, minimum) in [
            (Duration.zero, Duration.zero), (.seconds(86_401), .zero), (.seconds(1), .seconds(-1)), (.seconds(1), .seconds(86_401)),
        ] {
            var graph = OperationGraph("slow")
            graph.add("migrate", .ifSlower(than: limit, forAtLeast: minimum) { _ in }) {}
            let error = #expect(throws: GraphError.self) { try graph.validated() }
            #expect(error?.problems.map(\.code) == [.invalidOption])
        }
    }

    // MARK: The decisions alone

    @Test("it ends when the launch has failed and shows that, however long it was to be shown, and none begins then")
    func failed() async throws {
        var launch = Launch()
        struct Trouble: Error {}
        launch.graph.add("migrate", .onFailure(.skipDependents), launch.screen(forAtLeast: .seconds(60))) { step in
            try await step.sleep(for: .seconds(6))
            throw Trouble()
        }
        launch.graph.add("main-app", .milestone, after: "migrate") {}
        launch.graph.wait("other", 8_000, .ifSlower(than: .seconds(7)) { [launch] step in launch.note("\(step.operation) shown") })
        var options = LaunchOptions.virtual()
        options.clock = launch.clock
        options.failureTakeover = { [launch] _ in launch.note("failure") }
        let report = try await launch.graph.run(options: options).report
        #expect(report.outcome.name == "failed")
        #expect(launch.journal.all.prefix(1) == ["5000 migrate shown"])
        #expect(Set(launch.journal.all.dropFirst()) == ["hidden", "6000 failure"])
    }
}
