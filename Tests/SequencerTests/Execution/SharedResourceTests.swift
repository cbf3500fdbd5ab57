import TestSupport
import Testing

@testable import Sequencer

/// Operations of lanes and of the main thread that need one resource: whichever thread comes first, the longest remaining path goes first.
@Suite("Resources between lanes and the main thread", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SharedResourceTests {
    private typealias Actions = LaunchStateMachine.Actions

    private func machine(usesQueue: Bool = false, _ build: (inout OperationGraph) -> Void) throws
        -> LaunchStateMachine
    {
        var graph = OperationGraph("shared")
        build(&graph)
        let settings = LaunchStateMachine.Configuration(workers: usesQueue ? 0 : 2, usesQueue: usesQueue)
        return LaunchStateMachine(graph: try graph.validated(), settings: settings)
    }

    private func run(_ node: Int) -> StepAssignment {
        StepAssignment(node: node, attempt: 1, kind: .run)
    }

    /// A short way and a long way to the end, each of which begins with `ui`: 0 is the short one.
    private func add(to graph: inout OperationGraph, isLongOnMain: Bool) {
        if isLongOnMain {
            graph.add("fonts", .expected(.milliseconds(300)), .exclusive(.userInterface)) {}
            graph.add("splash", .expected(.milliseconds(300)), .exclusive(.userInterface), on: .main) {}
        } else {
            graph.add("fonts", .expected(.milliseconds(300)), .exclusive(.userInterface), on: .main) {}
            graph.add("splash", .expected(.milliseconds(300)), .exclusive(.userInterface)) {}
        }
        graph.add("load", .expected(.milliseconds(700)), after: "splash") {}
    }

    @Test(
        "an operation of the main thread leaves its resource to one of a lane that outranks it, while a worker is on its way"
    )
    func mainLeavesIt() throws {
        var machine = try machine { add(to: &$0, isLongOnMain: false) }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.main, at: 1) == nil)
        #expect(machine.take(.worker, at: 2) == run(1))
        machine.actions = Actions()
        let (_, next) = machine.attemptEnded(run(1), .succeeded, thenTakeFor: .worker, at: 3)
        #expect(next == run(2) && machine.actions.mainTurns == 1)
        #expect(machine.take(.main, at: 4) == run(0))
    }

    @Test("the main thread does not wait for the app's queue, which may be suspended")
    func queue() throws {
        var machine = try machine(usesQueue: true) { add(to: &$0, isLongOnMain: false) }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.main, at: 1) == run(0))
    }

    @Test("the main thread does not wait for a worker while all of them are busy")
    func busyWorkers() throws {
        var machine = try machine { graph in
            add(to: &graph, isLongOnMain: false)
            for id in ["a", "b"] { graph.add(id, .expected(.seconds(2))) {} }
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 1) == run(3))
        #expect(machine.take(.worker, at: 2) == run(4))
        #expect(machine.take(.main, at: 3) == run(0))
    }

    @Test("what was left to an operation that is cancelled is taken by the one that left it")
    func cancelled() throws {
        var machine = try machine { graph in
            graph.add("fonts", .expected(.milliseconds(300)), .exclusive(.userInterface)) {}
            graph.add("splash", .expected(.milliseconds(400)), .exclusive(.userInterface), .onFailure(.continue), on: .main) {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 1) == nil)
        machine.actions = Actions()
        machine.cancelOperation(1, at: 2)
        #expect(machine.actions.workers == 1)
        #expect(machine.take(.worker, at: 3) == run(0))
    }

    @Test("nothing is left to an operation for which the main thread will not be free")
    func laterOnMain() throws {
        var machine = try machine { graph in
            add(to: &graph, isLongOnMain: true)
            graph.add("layout", .expected(.seconds(2)), on: .main) {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 1) == run(0))
    }

    @Test("what keeps the main thread gives back what was left to others there")
    func keptMainThread() throws {
        var machine = try machine { graph in
            add(to: &graph, isLongOnMain: true)
            graph.add("config", .expected(.milliseconds(1))) {}
            graph.add("layout", .expected(.seconds(2)), after: "config", on: .main) {}
        }
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 1) == run(3))
        #expect(machine.take(.worker, at: 2) == nil)
        #expect(machine.nodes[0].state == .parked)
        _ = machine.attemptEnded(run(3), .succeeded, thenTakeFor: .worker, at: 3)
        machine.actions = Actions()
        #expect(machine.take(.main, at: 4) == run(4))
        #expect(machine.nodes[0].state == .ready && machine.actions.workers == 1)
        #expect(machine.take(.worker, at: 5) == run(0))
    }
}
