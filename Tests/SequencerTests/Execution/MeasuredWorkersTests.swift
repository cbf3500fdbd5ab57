import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// How many workers there are where their threads are looked at: the state machine by itself.
@Suite("Measured workers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MeasuredWorkersTests {
    private typealias Assignment = LaunchStateMachine.Assignment
    private typealias Actions = LaunchStateMachine.Actions

    private func machine(
        _ settings: LaunchStateMachine.Configuration = .init(workers: 2, maximumWorkers: 64),
        _ build: (inout OperationGraph) -> Void
    ) throws -> LaunchStateMachine {
        var graph = OperationGraph("measured")
        build(&graph)
        return LaunchStateMachine(graph: try graph.validated(), settings: settings)
    }

    private func run(_ node: Int, attempt: Int = 1) -> Assignment { Assignment(node: node, attempt: attempt, kind: .run) }

    /// Lets the workers that were asked for take their operations.
    private func takeAll(_ machine: inout LaunchStateMachine) -> [Int] {
        var nodes: [Int] = []
        while machine.actions.workers > 0 {
            machine.actions.workers -= 1
            if let taken = machine.take(.worker, at: 0) { nodes.append(taken.node) }
        }
        return nodes
    }

    @Test("threads are looked at only while something waits for a worker")
    func begins() throws {
        var machine = try machine { graph in
            for index in 0..<2 { graph.add("free\(index)") {} }
            graph.add("then", after: "free0", "free1") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(takeAll(&machine) == [0, 1])
        #expect(!machine.actions.looksAtWorkers && !machine.isMeasuring)
        #expect(machine.measured([(run(0), true)]) == nil)
        #expect(machine.asleepWorkers == 0)
    }

    @Test("an operation that computes keeps its processor: nothing is started beside it")
    func computes() throws {
        var machine = try machine { graph in for index in 0..<6 { graph.add("free\(index)") {} } }
        machine.input(at: 0) { $0.begin() }
        #expect(takeAll(&machine) == [0, 1])
        #expect(machine.actions.looksAtWorkers)
        machine.actions = Actions()
        for _ in 0..<3 { #expect(machine.measured([(run(0), false), (run(1), false)]) == false) }
        #expect(machine.actions.workers == 0 && !machine.actions.looksAtWorkers)
    }

    @Test("one that waits makes room for another, and its worker ends when it is back: no more compute than there are processors")
    func sleeps() throws {
        var machine = try machine { graph in for index in 0..<6 { graph.add("free\(index)") {} } }
        machine.input(at: 0) { $0.begin() }
        _ = takeAll(&machine)
        #expect(machine.measured([(run(0), true), (run(1), false)]) == true)
        #expect(takeAll(&machine) == [2])
        #expect(machine.measured([(run(0), true), (run(1), false), (run(2), false)]) == false)
        #expect(machine.actions.workers == 0 && machine.asleepWorkers == 1)
        // Two others compute.
        #expect(machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 1).next == nil)
        #expect(machine.activeWorkers == 2 && machine.asleepWorkers == 0 && machine.actions.workers == 0)
        #expect(machine.attemptEnded(run(1), .succeeded, thenTakeFor: .worker, at: 2).next == run(3))
    }

    @Test("where all wait, twice as many again start, up to the bound")
    func triples() throws {
        var machine = try machine { graph in for index in 0..<100 { graph.add("free\(index)") {} } }
        machine.input(at: 0) { $0.begin() }
        var running = takeAll(&machine)
        var counts: [Int] = []
        while counts.last != running.count {
            counts.append(running.count)
            _ = machine.measured(running.map { (run($0), true) })
            running += takeAll(&machine)
        }
        #expect(counts == [2, 6, 18, 54, 64])
    }

    @Test("under a limit of lanes, too, one that waits leaves its processor: another that the milestone does not need starts")
    func lanes() throws {
        var machine = try machine(.init(lanes: 8, processors: 2, workers: 8)) { graph in
            for index in 0..<5 { graph.add("beside\(index)") {} }
            graph.add("need") {}
            graph.add("home", .milestone, after: "need") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(takeAll(&machine) == [5, 0])
        #expect(machine.actions.looksAtWorkers)
        machine.actions = Actions()
        #expect(machine.measured([(run(5), false), (run(0), false)]) == false)
        #expect(takeAll(&machine) == [])
        #expect(machine.measured([(run(5), true), (run(0), true)]) == true)
        #expect(takeAll(&machine) == [1, 2])
        // Awake again, they keep their processors, and nothing more starts.
        #expect(machine.measured([(run(5), false), (run(0), false), (run(1), true), (run(2), false)]) == true)
        #expect(takeAll(&machine) == [])
        // In virtual time code that computes sleeps as well, and is not looked at.
        var settings = LaunchStateMachine.Configuration(lanes: 8, processors: 2, workers: 8)
        settings.takesOneAtATime = true
        var other = try self.machine(settings) { graph in
            for index in 0..<5 { graph.add("beside\(index)") {} }
            graph.add("home", .milestone) {}
        }
        other.input(at: 0) { $0.begin() }
        _ = takeAll(&other)
        #expect(!other.mayMeasure && !other.isMeasuring)
    }

    @Test("less urgent operations do not count against one that the milestone needs, and nothing else starts in its place")
    func urgent() throws {
        var machine = try machine { graph in
            for index in 0..<4 { graph.add("beside\(index)") {} }
            graph.add("config") { await Task.yield() }
            graph.add("home", .milestone, after: "config") {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(takeAll(&machine) == [4, 0])
        // It suspends: the other processor is for what there is.
        #expect(machine.take(.worker, after: run(4), at: 1) == run(1))
        machine.actions = Actions()
        #expect(machine.attemptEnded(run(4), .succeeded, at: 2) == true)
        #expect(machine.actions.workers == 1 && machine.activeWorkers == 3)
        #expect(takeAll(&machine) == [5])
        // There is no third processor.
        #expect(machine.attemptEnded(run(5), .succeeded, thenTakeFor: .worker, at: 3).next == nil)
        #expect(machine.activeWorkers == 2 && machine.actions.workers == 0)
    }

    @Test("an operation that waits and is given up makes room once: its worker, which may never come back, is another's place")
    func givenUp() throws {
        var machine = try machine { graph in
            graph.add("stuck", .timeout(.nanoseconds(100)), .onFailure(.continue)) {}
            for index in 0..<6 { graph.add("free\(index)") {} }
        }
        machine.input(at: 0) { $0.begin() }
        _ = takeAll(&machine)
        #expect(machine.measured([(run(0), true), (run(1), false)]) == true)
        #expect(takeAll(&machine) == [2])
        machine.timePassed(to: 100)
        #expect(
            machine.nodes[0].outcome == .timedOut && machine.asleepWorkers == 0 && machine.activeWorkers == 2
                && machine.actions.workers == 0
        )
        #expect(machine.attemptEnded(run(0), .succeeded, thenTakeFor: .worker, at: 101).next == nil)
        #expect(machine.activeWorkers == 2 && machine.workersInCode == 2)
    }
}

/// In real time: the threads that steps block.
@Suite("As parallel as the graph allows", .serialized, .timeLimit(.minutes(30)), .real)
struct RealParallelTests {
    @Test("steps that wait for each other end, on any machine, without an option", arguments: [false, true])
    func barrier(isAsynchronous: Bool) async throws {
        // With one thread fewer the last would never be inside.
        let count = max(6, Worker.processors + 4)
        let inside = Locked(0)
        let gate = Gate()
        @Sendable func meet() {
            let isLast = inside.withLock { inside in
                inside += 1
                return inside == count
            }
            if isLast { gate.open() }
            gate.block()
        }
        var graph = OperationGraph("barrier")
        for number in 0..<count {
            // Before its first suspension an `async` step has its worker's thread.
            if isAsynchronous { graph.add("step-\(number)") { () async in meet() } } else { graph.add("step-\(number)") { meet() } }
        }
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed && inside.withLock { $0 } == count)
    }

    @Test("in the app's own queue, too, the milestone does not wait for others that compute")
    func ownQueue() async throws {
        let (isShown, late, begun) = (Locked(false), Locked(0), Gate())
        var graph = OperationGraph("queue")
        for number in 0..<Worker.processors + 4 {
            graph.add("computes-\(number)") {
                begun.open()
                let end = ContinuousClock.now + patience
                while !isShown.withLock({ $0 }), ContinuousClock.now < end {}
                if !isShown.withLock({ $0 }) { late.withLock { $0 += 1 } }
            }
        }
        // The others have every processor that is left to them when the second is ready.
        // It keeps its thread: those of the system's pool may all be busy with the others.
        let first = graph.add("first") { begun.block() }
        let second = graph.add("second", after: first) {}
        graph.add("home", .milestone, after: second) { isShown.withLock { $0 = true } }
        var options = LaunchOptions.patient
        options.queue = OperationQueue()
        let report = try await graph.run(options: options).report
        #expect(report.outcome == .completed && late.withLock { $0 } == 0)
    }
}
