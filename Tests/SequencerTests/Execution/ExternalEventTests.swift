import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Steps that wait for something outside of their graph.
@Suite("Events from outside: steps", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExternalEventTests {
    /// Waits, then brings the event about.
    private func fulfil(_ event: ExternalEvent<String>, after seconds: Int, in graph: inout OperationGraph) {
        graph.add("connect") { launch in
            try await launch.sleep(for: .seconds(seconds))
            event.fulfill("main")
        }
    }

    // MARK: It comes

    @Test("a step reads the value of an event that another step fulfils; the wait has no lane, not even the only one", arguments: [nil, 1])
    func comes(lanes: Int?) async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("launch")
        let connected = graph.wait(for: window)
        let shown = graph.add("show", .milestone, using: connected) { "\($0) is shown" }
        fulfil(window, after: 2, in: &graph)
        let launch = try await graph.run(options: .virtual(lanes: lanes))
        let report = launch.report
        #expect(report.outcome == .completed)
        #expect(try launch[shown] == "main is shown")
        #expect(report.makespan == .seconds(2) && report.criticalPath == ["window", "show"])
        #expect(report.lanes == 1 && report["window"]?.lane == nil)
        #expect(report["window"]?.start == .zero && report["window"]?.end == .seconds(2))
        #expect(report["window"]?.notes == ["waits for the event 'window'"])
        #expect(report.operationAnomalies.isEmpty)
    }

    @Test("what has come before the launch is not waited for: a chain of ten thousand costs no stack and no time")
    func cameBefore() async throws {
        var graph = OperationGraph("chain")
        var last = graph.add("first") {}
        for number in 0..<10_000 {
            let event = ExternalEvent<Void>("event-\(number)")
            event.fulfill()
            last = graph.wait(for: event, after: last)
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed && report.makespan == .zero)
        #expect(report[last.id]?.outcome == .succeeded)
    }

    // MARK: It does not come

    @Test("what has failed stays so, and names the reason; a fallback takes its place")
    func fails() async throws {
        let permission = ExternalEvent<String>("permission")
        #expect(permission.fail("denied"))
        #expect(!permission.fulfill("granted") && !permission.fail("again"))
        var graph = OperationGraph("failed")
        let fallback = graph.wait(for: permission, id: "kept", fallback: "none")
        graph.wait(for: permission)
        let launch = try await graph.run(options: .virtual())
        let message = "the event 'permission' failed: denied"
        #expect(launch.report.outcome == .failed(operation: "permission", message: message))
        #expect(try launch[fallback] == "none")
        #expect(launch.report["kept"]?.message == message + "; its fallback was used")
    }

    @Test("a step waits until its timeout; what comes later is no anomaly, and others get it")
    func timeout() async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("late")
        graph.wait(for: window, id: "impatient", .timeout(.seconds(2)), .onFailure(.continue))
        let fallback = graph.wait(for: window, id: "fallback", .timeout(.seconds(1)), fallback: "none")
        let patient = graph.wait(for: window, id: "patient")
        fulfil(window, after: 3, in: &graph)
        let launch = try await graph.run(options: .virtual())
        let report = launch.report
        #expect(report.outcome == .completed && report.makespan == .seconds(3))
        #expect(report["impatient"]?.outcome == .timedOut && report["impatient"]?.end == .seconds(2))
        #expect(report["impatient"]?.message == "the event 'window' did not come within its timeout of 2 s")
        #expect(report["fallback"]?.message == "the event 'window' did not come within its timeout of 1 s; its fallback was used")
        #expect(try launch[fallback] == "none" && launch[patient] == "main")
        #expect(report.operationAnomalies.isEmpty && report.stragglers.isEmpty && launch.anomalies.isEmpty)
    }

    @Test("a launch that waits for ever ends at its deadline, and names the event")
    func deadline() async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("deadline")
        graph.wait("after", 10, after: graph.wait(for: window))
        let report = try await graph.run(options: .virtual(deadline: .seconds(30))).report
        #expect(report.outcome == .failed(operation: "window", message: "the event 'window' had not come at the launch's deadline"))
        #expect(report.makespan == .seconds(30) && report.stragglers.isEmpty)
        #expect(report["window"]?.outcome == .timedOut && report["after"]?.outcome == .cancelled)
        #expect(window.result == nil)
    }

    @Test("without a deadline, a launch in virtual time ends when nothing is left that could fulfil the event", arguments: [false, true])
    func hopeless(isAwaitedInside: Bool) async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("hopeless")
        if isAwaitedInside { graph.add("window") { try await window.value } } else { graph.wait(for: window) }
        graph.wait("work", 500, .onFailure(.continue))
        let report = try await graph.run(options: .virtual()).report
        let message = "the event 'window' cannot come: nothing is left on the virtual clock that could fulfil it"
        #expect(report.outcome == .failed(operation: "window", message: message))
        #expect(report.makespan == .milliseconds(500))
        #expect(window.result == nil && window.fulfill("main"))
    }

    @Test("waits that are hopeless end one at a time: the first one's step goes on, and brings about what the second one waits for")
    func hopelessOneByOne() async throws {
        let (permission, window) = (ExternalEvent<String>("permission"), ExternalEvent<String>("window"))
        let never = ExternalEvent<String>("never")
        var graph = OperationGraph("one by one")
        let asked = graph.add("asked", .onFailure(.continue)) { _ = try await permission.value }
        graph.add("answers", after: asked) { launch in
            try await launch.sleep(for: .seconds(1))
            window.fulfill("main")
        }
        let shown = graph.add("shown") { launch in
            // After the other wait has begun.
            try await launch.sleep(for: .milliseconds(1))
            return try await window.value
        }
        graph.add("lost", .onFailure(.continue), after: shown) { _ = try await never.value }
        let launch = try await graph.run(options: .virtual())
        #expect(launch.report.outcome == .completed)
        #expect(launch.report["asked"]?.outcome == .failed && launch.report["lost"]?.outcome == .failed)
        #expect(try launch[shown] == "main")
        #expect(launch.report.makespan == .milliseconds(1_001))
        #expect(launch.report.operationAnomalies.isEmpty)
    }

    @Test("a wait is not hopeless as long as a step that waits in real time may end it")
    func hopefulInRealTime() async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("hopeful")
        let shown = graph.wait(for: window)
        graph.add("device") {
            // Much longer than the clock's patience: the clock goes on without it, to nothing.
            try await Task.sleep(for: .milliseconds(200))
            window.fulfill("main")
        }
        let clock = VirtualClock(patience: .milliseconds(20))
        let launch = try await graph.run(options: LaunchOptions(deadline: .never, clock: clock))
        #expect(launch.report.outcome == .completed)
        #expect(try launch[shown] == "main")
    }

    @Test("a wait that is cancelled ends at once; the event is left to others")
    func cancelled() async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("cancelled")
        graph.wait("after", 10, after: graph.wait(for: window, .onFailure(.continue)))
        let box = LaunchBox()
        graph.add("cancels") { launch in
            try await launch.sleep(for: .seconds(1))
            try await box.launch().cancel("window")
        }
        let report = try await box.run(graph, options: .virtual()).report
        #expect(report.outcome == .completed && report.makespan == .milliseconds(1_010))
        #expect(report["window"]?.outcome == .cancelled && report["window"]?.end == .seconds(1))
        #expect(report["window"]?.message == "cancelled before the event 'window' had come")
        #expect(window.result == nil)
    }

    @Test("an abort ends the waits of its launch, without a grace period; the next launch gets the event")
    func aborted() async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("aborted")
        graph.wait(for: window)
        graph.add("update") { launch in
            try await launch.sleep(for: .seconds(1))
            launch.abort(.forceUpdate)
        }
        let first = try await graph.run(options: .virtual()).report
        #expect(first.outcome == .aborted(by: "update", reason: .forceUpdate))
        #expect(first["window"]?.outcome == .cancelled && first.makespan == .seconds(1))
        #expect(window.result == nil)

        var next = OperationGraph("next")
        let connected = next.wait(for: window)
        fulfil(window, after: 1, in: &next)
        let launch = try await next.run(options: .virtual())
        #expect(try launch[connected] == "main")
    }
}

/// Who is told of an event, in which order.
@Suite("Events from outside: decisions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExternalEventDecisionTests {
    @Test("steps are told before tasks, tasks before blocks, and in each of these who came first; nobody twice")
    func order() {
        let told = Journal()
        let event = EventStorage("event")
        let ranks: [(EventStorage.Rank, String)] = [
            (.whenIdle, "idle"), (.soon, "soon"), (.task, "task 1"), (.atOnce, "at once"), (.launch, "launch"), (.task, "task 2"),
            (.task, "gone"),
        ]
        for (rank, name) in ranks {
            let ticket = event.takeTicket()
            event.add(ticket, rank) { _ in told.note(name) }
            if name == "gone" { event.remove(ticket) }
        }
        #expect(told.all.isEmpty && event.settle(.success(1)))
        #expect(told.all == ["launch", "task 1", "task 2", "at once", "soon", "idle"])
        #expect(!event.settle(.success(2)))
        event.add(event.takeTicket(), .task) { _ in told.note("late") }
        #expect(told.all.count == 7 && told.all.last == "late")
    }
}
