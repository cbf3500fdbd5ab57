import Foundation
import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

/// With more lanes than processors, what nobody waits for leaves the processors to the milestone.
@Suite("Fewer processors than lanes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ProcessorShareTests {
    /// `a` → `b` → `home`, 150 ms each, beside six others of 300 ms.
    private static func graph(isComputing: Bool = true, hasMilestone: Bool = true) -> OperationGraph {
        var graph = OperationGraph("busy")
        for number in 1...6 { graph.addTimed("other-\(number)", 300, computes: isComputing) }
        graph.addTimed("a", 150, computes: isComputing)
        graph.addTimed("b", 150, after: "a", computes: isComputing)
        graph.addTimed("home", 150, .all(hasMilestone ? [.milestone] : []), after: "b", computes: isComputing)
        return graph
    }

    private static func report(_ graph: OperationGraph, lanes: Int? = 8, processors: Int?) async throws -> LaunchReport {
        var options = LaunchOptions.virtual(lanes: lanes)
        options.processors = processors
        return try await graph.run(options: options).report
    }

    /// How many of the others started before the milestone had ended.
    private static func early(_ report: LaunchReport) -> [Duration] {
        let end = report["home"]?.end ?? .zero
        return report.operations.filter { $0.id.hasPrefix("other") }.compactMap(\.start).filter { $0 < end }.sorted()
    }

    @Test("until the milestone has ended, others that compute start only while fewer run than there are processors", arguments: [nil, 8])
    func others(lanes: Int?) async throws {
        let report = try await Self.report(Self.graph(), lanes: lanes, processors: 2)
        #expect(report["home"]?.end == .milliseconds(450))
        #expect(Self.early(report) == [.zero, .milliseconds(300)])
        // When it has ended, as many as there are lanes.
        #expect(report.operations.filter { $0.start == .milliseconds(450) }.count == 4)
        #expect(Self.early(try await Self.report(Self.graph(), lanes: lanes, processors: 1)) == [])
        #expect(Self.early(try await Self.report(Self.graph(), lanes: lanes, processors: 4)).count == 3 + 3)
    }

    @Test("what is suspended does not count; without a milestone, and without a limit, everything starts at once")
    func noOthers() async throws {
        let all = Array(repeating: Duration.zero, count: 6)
        #expect(Self.early(try await Self.report(Self.graph(isComputing: false), processors: 1)) == all)
        #expect(Self.early(try await Self.report(Self.graph(hasMilestone: false), processors: 1)) == all)
        #expect(Self.early(try await Self.report(Self.graph(), processors: nil)) == all)
    }

    @Test(
        "where nothing has ended for a second, as many others start as there are processors: the milestone may wait for one of them unseen"
    )
    func nothingGoesOn() async throws {
        var graph = OperationGraph("unseen")
        graph.add("home", .milestone, .suspends(false)) { step in try await step.compute(for: .seconds(5)) }
        for number in 1...5 {
            graph.add("other-\(number)", .suspends(false)) { step in try await step.compute(for: .seconds(10)) }
        }
        let starts = try await Self.report(graph, processors: 2).operations.compactMap(\.start).sorted()
        #expect(starts == [.zero, .zero, .seconds(1), .seconds(1), .seconds(2), .seconds(2)])
    }

    /// A milestone that waits, and others, added at the end, that compute.
    private static func machine(processors: Int, _ add: (inout OperationGraph) -> Void) throws -> LaunchStateMachine {
        var graph = OperationGraph("share")
        graph.add("home", .milestone, .suspends(true)) { (step: StepContext) async throws in try await step.sleep(for: .seconds(1)) }
        add(&graph)
        let settings = LaunchStateMachine.Configuration(lanes: 8, processors: processors, workers: 8)
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: settings)
        machine.input(at: 0) { $0.begin() }
        return machine
    }

    @Test("an operation that timed out counts until its code has come back")
    func timedOut() throws {
        var machine = try Self.machine(processors: 1) { graph in
            graph.add("spins", .timeout(.nanoseconds(100)), .onFailure(.continue)) {}
            graph.add("next") {}
        }
        #expect(machine.take(.worker, at: 0)?.node == 0)
        let spinsTaken = machine.take(.worker, at: 0)
        let spins = try #require(spinsTaken)
        #expect(spins.node == 1 && machine.take(.worker, at: 0) == nil)
        machine.timePassed(to: 100)
        #expect(machine.nodes[1].outcome == .timedOut && machine.processors?.hasRoom(for: 0) == false)
        // Its thread comes back, and is no worker any more.
        #expect(machine.take(.worker, after: spins, at: 200) == nil)
        #expect(machine.processors?.hasRoom(for: 0) == true)
        #expect(machine.take(.worker, at: 200)?.node == 2)
    }

    @Test("code that was given up, and the fallback after it, count each until it has come back")
    func timedOutWithFallback() throws {
        var machine = try Self.machine(processors: 2) { graph in
            graph.add("spins", .timeout(.nanoseconds(100))) { () -> Int in
                1
            } fallback: { _, _ in
                2
            }
        }
        #expect(machine.take(.worker, at: 0)?.node == 0)
        let spinsTaken = machine.take(.worker, at: 0)
        let spins = try #require(spinsTaken)
        machine.timePassed(to: 100)
        let fallback = try #require(machine.actions.fallbacks.first)
        #expect(fallback.kind == .computeFallback && machine.processors?.hasRoom(for: 0) == false)
        #expect(machine.attemptEnded(fallback, .succeeded, at: 110) == true)
        #expect(machine.processors?.hasRoom(for: 0) == true)
        #expect(machine.replacedWorkers.filter(\.keepsProcessor).map(\.code) == [spins])
        #expect(machine.take(.worker, after: spins, at: 200) == nil)
        #expect(machine.replacedWorkers.isEmpty)
    }

    @Test(
        "of those that wait for a resource and would wait for a processor as well, one does, and wakes the next, also when it is cancelled",
        arguments: [false, true]
    )
    func oneForAll(isCancelled: Bool) throws {
        let others = 50
        var graph = OperationGraph("parked")
        let holder = graph.add("holder", .exclusive("R"), .expected(.nanoseconds(10))) {}
        let soon = graph.add("soon", .expected(.nanoseconds(5))) { await Task.yield() }
        let two = ["a", "b"].map { graph.add($0, .expected(.nanoseconds(40)), after: soon) {} }
        graph.add("home", .milestone, after: holder, two) {}
        for number in 0..<others { graph.add("other\(number)", .exclusive("R"), .expected(.nanoseconds(10)), .onFailure(.continue)) {} }
        let settings = LaunchStateMachine.Configuration(processors: 2, workers: 200)
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: settings)
        machine.input(at: 0) { $0.begin() }
        func count(_ state: LaunchStateMachine.NodeState) -> Int { machine.nodes[5...].count { $0.state == state } }
        // There is a processor for another one, but not the resource.
        let first = [machine.take(.worker, at: 0), machine.take(.worker, at: 0)].compactMap(\.self)
        try #require(Set(first.map(\.node)) == [0, 1] && machine.take(.worker, at: 0) == nil)
        #expect(count(.parked) == others)
        let (holds, comesSoon) = (first[0].node == 0 ? first[0] : first[1], first[0].node == 0 ? first[1] : first[0])
        #expect(machine.attemptEnded(comesSoon, .succeeded, at: 5) == true)
        let needed = [machine.take(.worker, at: 5), machine.take(.worker, at: 5)].compactMap(\.self)
        try #require(Set(needed.map(\.node)) == [2, 3])
        // Now there is the resource, and no processor.
        #expect(machine.attemptEnded(holds, .succeeded, at: 10) == true)
        #expect(machine.take(.worker, at: 10) == nil)
        #expect(count(.aside) == 1 && count(.parked) == others - 1)
        if isCancelled {
            let aside = try #require(machine.nodes.indices.first { machine.nodes[$0].state == .aside })
            machine.cancelOperation(aside, at: 20)
            #expect(machine.take(.worker, at: 20) == nil)
            #expect(count(.aside) == 1)
        }
        #expect(machine.attemptEnded(needed[0], .succeeded, at: 45) == true)
        let nextTaken = machine.take(.worker, at: 45)
        let next = try #require(nextTaken)
        #expect(next.node >= 5 && machine.take(.worker, at: 45) == nil)
        #expect(machine.attemptEnded(next, .succeeded, at: 55) == true)
        #expect((machine.take(.worker, at: 55)?.node ?? -1) >= 5)
    }

    @Test("in real time processors are scarce where lanes are more; not where workers are measured; in a queue of the app's always")
    func scarce() {
        var options = LaunchOptions()
        #expect(options.scarceProcessors == nil)
        options.processors = Worker.processors
        #expect(options.scarceProcessors == nil)
        options.lanes = Worker.processors + 1
        #expect(options.scarceProcessors == Worker.processors)
        options.processors = nil
        #expect(options.scarceProcessors == Worker.processors)
        (options.lanes, options.processors) = (nil, 1)
        #expect(options.scarceProcessors == nil && options.settings(for: nil).workers == 1)
        options.lanes = 2
        #expect(options.scarceProcessors == 1)
        (options.queue, options.lanes) = (OperationQueue(), nil)
        #expect(options.scarceProcessors == 1)
    }

    @Test("a condition that is asked counts as the step that it lets start", arguments: [true, false])
    func conditions(answer: Bool) throws {
        var graph = OperationGraph("conditions")
        graph.add("home", .milestone) { await Task.yield() }
        for number in 1...4 { graph.add("other-\(number)", .when { answer }) {} }
        var settings = LaunchStateMachine.Configuration()
        (settings.lanes, settings.processors, settings.workers) = (8, 1, 8)
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: settings)
        machine.input(at: 0) { $0.begin() }
        let taken = (0..<machine.actions.workers).compactMap { _ in machine.take(.worker, at: 0) }
        #expect(taken.map(\.kind) == [.run, .checkCondition])
        let asked = try #require(taken.last)
        #expect(machine.conditionAnswered(asked.node, answer, at: 1) == answer)
        // Who runs keeps a processor; where the answer was no, it is another one's.
        #expect(machine.processors?.hasRoom(for: 0) == !answer)
    }

    @Test(
        "one that is cancelled, or whose launch is, while it leaves the processors to the milestone, never starts",
        arguments: [false, true]
    )
    func cancelled(isLaunch: Bool) async throws {
        let box = LaunchBox()
        var graph = OperationGraph("cancelled")
        graph.add("home", .milestone, .suspends(false)) { step in try await step.compute(for: .milliseconds(500)) }
        graph.add("other", .onFailure(.continue), .suspends(false)) { step in try await step.compute(for: .milliseconds(500)) }
        graph.add("cancels") { step in
            try await step.sleep(for: .milliseconds(100))
            if isLaunch { try await box.launch().cancel() } else { try await box.launch().cancel("other") }
        }
        var options = LaunchOptions.virtual(lanes: 4)
        options.processors = 1
        let report = try await box.run(graph, options: options).report
        #expect(report["other"]?.outcome == .cancelled && report["other"]?.start == nil)
    }

    @Test("one that waits for the main thread takes no room from one that waits for a lane")
    func mainAndLanes() async throws {
        var graph = OperationGraph("sample")
        graph.addTimed("P", 50, computes: false)
        graph.addTimed("N", 300, after: "P", onMain: true, computes: true)
        graph.addTimed("home", 100, .milestone, after: "N", computes: false)
        graph.addTimed("K1", 100, computes: true)
        graph.addTimed("K2", 100, computes: true)
        graph.addTimed("S", 100, computes: false)
        graph.addTimed("M", 90, onMain: true, computes: true)
        graph.addTimed("L", 40, computes: true)
        #expect(try await graph.starts(processors: 2, isPlanned: true)["L"] == 100)
    }

    @Test("where more run than there are processors, for the milestone needs them, another one starts after a second all the same")
    func manyNeeded() async throws {
        var graph = OperationGraph("sample")
        for number in 1...6 { graph.addTimed("needed-\(number)", 5_000, computes: true) }
        graph.addTimed("home", 100, .milestone, after: (1...6).map { "needed-\($0)" }, computes: false)
        graph.addTimed("other", 10, computes: true)
        #expect(try await graph.starts(lanes: 64, processors: 1, isPlanned: true)["other"] == 1_000)
    }

    @Test("those that were cancelled while they waited take nobody's place")
    func cancelledBefore() async throws {
        let box = LaunchBox()
        var graph = OperationGraph("sample")
        graph.addTimed("home", 5_000, .milestone, computes: false)
        graph.addTimed("K", 500, computes: true)
        for number in 1...20 { graph.addTimed("A\(number)", 400, .onFailure(.continue), computes: true) }
        graph.addTimed("B", 300, computes: true)
        graph.add("cancels") { step in
            try await step.sleep(for: .milliseconds(100))
            for number in 1...20 { try await box.launch().cancel("A\(number)") }
        }
        var options = LaunchOptions.virtual(lanes: 64)
        options.processors = 1
        let report = try await box.run(graph, options: options).report
        #expect(report["B"]?.start == .milliseconds(500))
    }
}
