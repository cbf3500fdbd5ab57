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
