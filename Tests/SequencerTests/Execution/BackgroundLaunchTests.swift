import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("A launch in the background of another", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BackgroundLaunchTests {
    /// A graph whose step begins a launch in the background that takes `duration`, and ends before it.
    private func graph(
        _ duration: Duration,
        _ background: Locked<RunningLaunch?>,
        then body: @escaping @Sendable (StepContext) async throws -> Void = { _ in }
    ) -> OperationGraph {
        var graph = OperationGraph("front")
        graph.add("begin", .timeout(.seconds(1))) { step in
            var later = OperationGraph("background")
            later.add("work") { work in
                try await work.sleep(for: duration)
                try await body(step)
            }
            let launch = try step.startInBackground(later, deadline: .seconds(30))
            background.withLock { $0 = launch }
        }
        graph.add("other") { step in try await step.sleep(for: .seconds(10)) }
        return graph
    }

    @Test("it outlives its step and the launch, on the same clock, to a deadline of its own", arguments: [20, 40])
    func outlives(seconds: Int) async throws {
        let clock = VirtualClock(patience: .seconds(300))
        let background = Locked<RunningLaunch?>(nil)
        let launch = try await graph(.seconds(seconds), background).run(options: LaunchOptions(clock: clock))
        #expect(launch.report.outcome == .completed && launch.report.makespan == .seconds(10))
        let report = await (try #require(background.withLock { $0 })).end().report
        #expect(report.makespan == .seconds(min(seconds, 30)))
        #expect((report.outcome == .completed) == (seconds == 20))
    }

    @Test("it is cancelled when the launch is, also after its step has ended")
    func cancelled() async throws {
        let background = Locked<RunningLaunch?>(nil)
        let box = LaunchBox()
        let mayGoOn = Locked<[Bool]>([])
        var graph = graph(.seconds(20), background)
        graph.add("cancel") { step in
            try await step.sleep(for: .seconds(5))
            mayGoOn.withLock { $0.append(step.mayGoOn) }
            try await box.launch().cancel()
            mayGoOn.withLock { $0.append(step.mayGoOn) }
        }
        let launch = try await box.run(graph, options: LaunchOptions(clock: VirtualClock(patience: .seconds(300))))
        #expect(launch.report.outcome == .cancelled && mayGoOn.withLock { $0 } == [true, false])
        #expect(await (try #require(background.withLock { $0 })).end().report.outcome == .cancelled)
    }

    @Test("it can stop the launch in the name of a step that has ended, and not when the launch is over", arguments: [5, 20])
    func abortsLate(seconds: Int) async throws {
        let background = Locked<RunningLaunch?>(nil)
        let isStopped = Locked<Bool?>(nil)
        let takeover = Locked(false)
        let graph = graph(.seconds(seconds), background) { step in
            let answer = step.abortLate(.forceUpdate) { takeover.withLock { $0 = true } }
            isStopped.withLock { $0 = answer }
        }
        let launch = try await graph.run(options: LaunchOptions(clock: VirtualClock(patience: .seconds(300))))
        _ = await (try #require(background.withLock { $0 })).end()
        let isLate = seconds == 20
        #expect(launch.report.outcome == (isLate ? .completed : .aborted(by: "begin", reason: .forceUpdate)))
        #expect(launch.report.makespan == .seconds(isLate ? 10 : 5))
        #expect(isStopped.withLock { $0 } == !isLate && takeover.withLock { $0 } == !isLate && launch.anomalies.isEmpty)
        #expect(launch.report["begin"]?.outcome == .succeeded)
    }

    @Test("a step may go on in the background after its timeout, and not when it was cancelled alone", arguments: [false, true])
    func mayGoOn(isCancelled: Bool) async throws {
        let mayGoOn = Locked<Bool?>(nil)
        let box = LaunchBox()
        var graph = OperationGraph("front")
        graph.add("step", .timeout(.seconds(2)), .onFailure(.continue)) { step in
            try? await step.sleep(for: .seconds(10))
            mayGoOn.withLock { $0 = step.mayGoOn }
        }
        graph.add("other") { step in
            try await step.sleep(for: .seconds(1))
            if isCancelled { try await box.launch().cancel("step") }
            try await step.sleep(for: .seconds(20))
        }
        _ = try await box.run(graph, options: LaunchOptions(clock: VirtualClock(patience: .seconds(300))))
        #expect(mayGoOn.withLock { $0 } == !isCancelled)
    }

    @Test("the budget leaves a step the time until what comes after it has to begin, without the time that a person took")
    func timeWithinBudget() async throws {
        let times = Locked<[Duration?]>([])
        var graph = OperationGraph("budget")
        graph.add("question", .interactive) { step in try await step.sleep(for: .seconds(5)) }
        let step = graph.add("step", .expected(.milliseconds(100))) { step in
            times.withLock { $0.append(step.timeWithinBudget) }
            try await step.sleep(for: .seconds(6))
            times.withLock { $0.append(step.timeWithinBudget) }
        }
        graph.add("main", .milestone, .expected(.milliseconds(500)), after: step) {}
        graph.add("aside", after: step) { aside in times.withLock { $0.append(aside.timeWithinBudget) } }
        for budget in [Budget(.seconds(3)), nil] {
            _ = try await graph.run(budget: budget, options: LaunchOptions(clock: VirtualClock(patience: .seconds(300))))
        }
        #expect(times.withLock { $0 } == [.milliseconds(2500), .milliseconds(1500), nil, nil, nil, nil])
    }
}
