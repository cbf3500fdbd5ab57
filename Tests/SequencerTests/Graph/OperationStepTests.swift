import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Graphs with Foundation operations", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OperationStepTests {
    private func named(_ name: String) -> Operation {
        let operation = BlockOperation {}
        operation.name = name
        return operation
    }

    @Test("the identifier is the one that is given, else the operation's name, else its type's")
    func identifiers() {
        var graph = OperationGraph("graph")
        let splash = graph.add(named("splash"))
        let update = graph.add(named("ignored"), id: "force-update", .timeout(.seconds(1)))
        let tutorial = graph.add(PresentTutorialOperation(), after: splash, update)
        let unnamed = PresentTutorialOperation()
        unnamed.name = ""
        graph.add(unnamed, id: "again", after: tutorial)
        graph.addOperation("made", after: tutorial) { _ in BlockOperation {} }
        #expect(graph.identifiers == ["splash", "force-update", "present-tutorial", "again", "made"])
        #expect(tutorial.id == "present-tutorial")
        #expect(graph.complaints == [])
        #expect(OperationGraph.identifier(for: unnamed) == "present-tutorial")
    }

    @Test(
        "identifiers from type names",
        arguments: [
            (PresentTutorialOperation.self, "present-tutorial"),
            (BlockOperation.self, "block"),
            (Operation.self, "operation"),
            (ConcurrentOperation.self, "concurrent"),
            (HTTPOperation.self, "http"),
            (HTTPFetchOperation<Int>.self, "http-fetch"),
            (ConnectV2Speaker.self, "connect-v2-speaker"),
            (fetch_config.self, "fetch_config"),
            (LoginOperationUI.self, "login-operation-ui"),
            (Öffnen.self, "öffnen"),
        ] as [(Operation.Type, String)]
    )
    func typeNames(type: Operation.Type, identifier: String) {
        #expect(OperationGraph.identifier(for: type) == identifier)
    }

    @Test("two operations of one type need identifiers of their own")
    func sameType() {
        var graph = OperationGraph("graph")
        graph.add(PresentTutorialOperation())
        graph.add(PresentTutorialOperation())
        #expect(graph.complaints == ["operations 1 and 2 have the same identifier 'present-tutorial'; each needs its own"])
    }

    @Test("dependencies made with addDependency are dependencies of the graph")
    func operationDependencies() throws {
        let (splash, tutorial, main) = (named("splash"), named("tutorial"), named("main-app"))
        tutorial.addDependency(splash)
        main.addDependency(tutorial)
        main.addDependency(splash)
        var graph = OperationGraph("graph")
        graph.add(main, after: "login")
        graph.add(tutorial)
        graph.add("login", after: graph.add(splash)) {}
        let valid = try graph.validated()
        #expect(
            valid.edges == [
                "tutorial after splash", "main-app after tutorial", "main-app after splash", "main-app after login", "login after splash",
            ]
        )
        #expect(valid.impliedEdges == ["main-app after splash"])
        #expect(valid.reduced().edges == valid.edges.subtracting(["main-app after splash"]))
    }

    @Test("an operation with an injected fault keeps its dependencies, and those on it", arguments: [["a"], ["b"], ["a", "b"]])
    func injectedFault(steps: [String]) async throws {
        let (a, b) = (named("a"), named("b"))
        b.addDependency(a)
        var graph = OperationGraph("graph")
        graph.add(b)
        graph.add(a)
        for step in steps { try graph.inject(.delay(.seconds(1)), into: step) }
        #expect(try graph.validated().edges == ["b after a"])
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock(), seed: 1)).report
        #expect(report.outcome == .completed)
        #expect(a.isFinished && b.isFinished)
        #expect(report.makespan == .seconds(steps.count))
    }

    @Test("fault G1: a cycle through addDependency is found")
    func operationCycle() {
        let (first, second) = (named("first"), named("second"))
        second.addDependency(first)
        var graph = OperationGraph("graph")
        graph.add(first, after: "join")
        graph.add(second)
        graph.join("join", after: "second")
        #expect(graph.complaints == ["cycle: first → join → second → first (each waits for the next)"])
        second.removeDependency(first)
    }

    @Test("fault G5: an operation that waits for one outside the graph is refused, for that might never end")
    func outsideDependency() {
        let (outside, unnamed, inside) = (named("outside"), PresentTutorialOperation(), named("inside"))
        inside.addDependency(outside)
        inside.addDependency(unnamed)
        var graph = OperationGraph("graph")
        graph.join("splash")
        graph.add(inside)
        #expect(
            graph.problems == [
                GraphProblem(
                    .foreignOperation,
                    positions: [1],
                    "inside waits, by addDependency, for the Operation 'outside', which is not in the graph; add it"
                ),
                GraphProblem(
                    .foreignOperation,
                    positions: [1],
                    "inside waits, by addDependency, for the Operation 'present-tutorial', which is not in the graph; add it"
                ),
            ]
        )
        outside.start()
        unnamed.start()
        #expect(graph.problems == [], "it has finished, and holds nobody back")
    }

    @Test("fault G19: an operation can be one step only")
    func sameInstance() {
        let operation = named("splash")
        var graph = OperationGraph("graph")
        graph.add(operation)
        graph.join("login")
        graph.add(operation, id: "again")
        #expect(
            graph.problems == [
                GraphProblem(
                    .foreignOperation,
                    positions: [0, 2],
                    "'splash' and 'again' are the same Operation; an Operation runs once"
                )
            ]
        )
    }

    @Test("an operation that has finished or runs already is refused")
    func startedBefore() {
        let finished = named("finished")
        finished.start()
        let running = NeverEndingOperation()
        running.start()
        var graph = OperationGraph("graph")
        graph.add(finished)
        graph.add(running)
        #expect(
            graph.problems == [
                GraphProblem(
                    .foreignOperation,
                    positions: [0],
                    "finished: its Operation has finished already; an Operation runs once, make a new one"
                ),
                GraphProblem(
                    .foreignOperation,
                    positions: [1],
                    "never-ending: its Operation runs already; an Operation runs once, make a new one"
                ),
            ]
        )
        running.finish()
    }

    @Test("fault O7: an operation that was cancelled, or finished in advance, before it was started is a valid step")
    func cancelledBefore() {
        let cancelled = named("cancelled")
        cancelled.cancel()
        let early = NeverEndingOperation()
        early.finish()
        var graph = OperationGraph("graph")
        graph.add(cancelled)
        graph.add(early)
        #expect(graph.complaints == [])
    }

    @Test("an operation that exists cannot be retried; one that is made can")
    func retry() {
        var graph = OperationGraph("graph")
        graph.add(named("splash"), .retry(attempts: 2))
        graph.addOperation("login", .retry(attempts: 2)) { _ in BlockOperation {} }
        #expect(
            graph.problems == [
                GraphProblem(
                    .foreignOperation,
                    positions: [0],
                    "splash has a retry, but an Operation runs once; add it with addOperation, which makes one for each attempt"
                )
            ]
        )
    }

    @Test("an operation that a closure returns as its step's value is refused: nobody would run it", arguments: [false, true])
    func returned(onMain: Bool) throws {
        var graph = OperationGraph("graph")
        if onMain {
            graph.add("tutorial", on: .main) { PresentTutorialOperation() }
        } else {
            graph.add("tutorial") { PresentTutorialOperation() }
        }
        // Values that have operations in them are values.
        graph.add("several") { [PresentTutorialOperation()] }
        #expect(
            graph.problems == [
                GraphProblem(
                    .foreignOperation,
                    positions: [0],
                    "tutorial returns an operation, PresentTutorialOperation, as its value, and nobody runs a value; add it with addOperation, or with "
                        + "addValueOperation if it leaves a value"
                )
            ]
        )
    }
}

private class PresentTutorialOperation: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class HTTPOperation: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class HTTPFetchOperation<Value>: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class ConnectV2Speaker: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class fetch_config: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class LoginOperationUI: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class Öffnen: Operation, @unchecked Sendable {
    // @unchecked: holds nothing.
}

private final class NeverEndingOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: holds nothing.
    override func main() {}
}
