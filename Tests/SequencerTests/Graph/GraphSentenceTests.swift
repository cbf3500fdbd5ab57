import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// What is wrong with a graph, and what is said of it.
@Suite("Sentences about graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphSentenceTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        var testDescription: String { sentences[0] }
        let code: GraphProblem.Code
        /// Of each problem the steps that it is about.
        let positions: [[Int]]
        let sentences: [String]
        let build: @Sendable (inout OperationGraph) throws -> Void

        init(
            _ code: GraphProblem.Code,
            _ positions: [[Int]],
            _ sentences: [String],
            _ build: @escaping @Sendable (inout OperationGraph) throws -> Void
        ) {
            (self.code, self.positions, self.sentences, self.build) = (code, positions, sentences, build)
        }
    }

    @Test(
        "fault G1, G2, G4, G6, G19: each problem of a graph is a sentence, about the steps at their positions",
        arguments: names + cycles + operations + values + options
    )
    func sentences(_ mistake: Mistake) throws {
        var graph = OperationGraph("graph")
        try mistake.build(&graph)
        #expect(graph.complaints == mistake.sentences)
        #expect(graph.problems.map(\.positions) == mistake.positions)
        #expect(graph.problems.allSatisfy { $0.code == mistake.code })
    }

    private static let names: [Mistake] = [
        Mistake(
            .duplicateIdentifier,
            [[0, 2], [0, 3]],
            [
                "operations 1 and 3 have the same identifier 'login'; each needs its own",
                "operations 1 and 4 have the same identifier 'login'; each needs its own",
            ]
        ) { graph in
            for id in ["login", "splash", "login", "login"] { graph.join(id) }
        },
        Mistake(.selfDependency, [[1]], ["login waits for itself; remove 'login' from its dependencies"]) { graph in
            graph.join("splash")
            graph.join("login", after: "splash", "login")
        },
        Mistake(
            .unknownDependency,
            [[1], [2]],
            [
                "login reads 'fetch-config' by a handle of another graph, and this graph has no such operation; did you mean 'fetch-confog'?",
                "main-app waits for 'splash' by a handle of another graph, and this graph has no such operation",
            ]
        ) { graph in
            var other = OperationGraph("other")
            let (config, splash) = (other.add("fetch-config") { 1 }, other.add("splash") {})
            graph.add("fetch-confog") { 1 }
            graph.add("login", using: config) { _ in }
            graph.add("main-app", after: splash) {}
        },
        Mistake(
            .unknownDependency,
            [[1], [2], [3], [4], []],
            ["reads reads", "may-read waits for", "waits waits for", "asks reads", "fetch-config waits for"].map {
                "\($0) 'fetch-config' by a handle of another graph; use the handle that this graph returned"
            }
        ) { graph in
            var other = OperationGraph("other")
            other.add("splash") {}
            let foreign = other.add("fetch-config") { 1 }
            let config = graph.add("fetch-config") { 2 }
            graph.add("reads", using: foreign) { $0 }
            graph.add("may-read", using: foreign.optional) { $0 }
            graph.add("waits", after: config, foreign) {}
            graph.add("asks", .when(foreign) { $0 == 2 }) {}
            graph.addDependency(config, to: foreign)
        },
    ]

    private static let cycles: [Mistake] = [
        // b and c wait in a circle, and d with them; a1 and a2 wait in another one, which all of them wait for.
        Mistake(
            .cycle,
            [[0, 1], [3, 4]],
            [
                "cycle: b → c → b (each waits for the next; 1 more operation waits in a circle with these)",
                "cycle: a1 → a2 → a1 (each waits for the next)",
            ]
        ) { graph in
            graph.join("b", after: "a1", "c")
            graph.join("c", after: "b", "d")
            graph.join("d", after: "c")
            graph.join("a1", after: "a2")
            graph.join("a2", after: "a1")
            graph.join("e", after: "d")
        },
        Mistake(.cycle, [[0, 2, 1]], ["cycle: first → join → second → first (each waits for the next)"]) { graph in
            let (first, second) = (named("first"), named("second"))
            second.addDependency(first)
            graph.add(first, after: "join")
            graph.add(second)
            graph.join("join", after: "second")
        },
    ]

    private static let operations: [Mistake] = [
        Mistake(.foreignOperation, [[0, 2]], ["'splash' and 'again' are the same Operation; an Operation runs once"]) { graph in
            let operation = named("splash")
            graph.add(operation)
            graph.join("login")
            graph.add(operation, id: "again")
        },
        Mistake(
            .foreignOperation,
            [[0], [1]],
            [
                "finished: its Operation has finished already; an Operation runs once, make a new one",
                "running: its Operation runs already; an Operation runs once, make a new one",
            ]
        ) { graph in
            let (finished, running) = (named("finished"), NeverEndingOperation())
            finished.start()
            running.start()
            graph.add(finished)
            graph.add(running, id: "running")
        },
        Mistake(
            .foreignOperation,
            [[0]],
            ["splash has a retry, but an Operation runs once; add it with addOperation, which makes one for each attempt"]
        ) { graph in
            graph.add(named("splash"), .retry(attempts: 2))
            graph.addOperation("login", .retry(attempts: 2)) { _ in BlockOperation {} }
        },
        // Values that have operations in them are values.
        Mistake(
            .foreignOperation,
            [[0], [1]],
            ["tutorial", "on-main"].map {
                "\($0) returns an operation, NeverEndingOperation, as its value, and nobody runs a value; add it with addOperation, "
                    + "or with addValueOperation if it leaves a value"
            }
        ) { graph in
            graph.add("tutorial") { NeverEndingOperation() }
            graph.add("on-main", on: .main) { NeverEndingOperation() }
            graph.add("several") { [NeverEndingOperation()] }
        },
    ]

    private static let values: [Mistake] = [
        Mistake(
            .valueType,
            [[1, 0], [6, 4]],
            [("reads", "tutorial"), ("main-app", "together")].map { reader, step in
                "\(reader) reads from '\(step)', which leaves no value when its condition is false; read its optional value, "
                    + "or give \(reader) a condition too"
            }
        ) { graph in
            let tutorial = graph.add("tutorial", .when { false }, fallback: 0) { 1 }
            graph.add("reads", using: tutorial) { _ in }
            graph.add("may-read", using: tutorial.optional) { _ in }
            graph.add("waits", after: tutorial) {}
            let together = graph.add("together", .when { false }, using: tutorial) { $0 }
            graph.add("asks", .when(tutorial) { $0 > 0 }) {}
            graph.add("main-app", .milestone, using: together, on: .main) { _ in }
        },
        Mistake(
            .valueType,
            [[0, 2], [1, 2]],
            ["login", "banner"].map { "\($0) reads String from 'country-code', which produces Int" }
        ) { graph in
            let country = graph.add("country") { "CH" }
            graph.add("login", using: country) { $0 }
            graph.add("banner", using: country.optional) { $0 }
            graph.add("country-code") { 41 }
            try graph.replace("country", with: "country-code")
        },
    ]

    private static let options: [Mistake] = [
        Mistake(
            .severalMilestones,
            [[1, 2], [1, 3]],
            ["login", "tutorial"].map { "'main-app' and '\($0)' are both marked as milestone; there can be one" }
        ) { graph in
            graph.join("splash")
            for id in ["main-app", "login", "tutorial"] { graph.join(id, .milestone) }
        },
        Mistake(.invalidOption, [[0]], ["config: \(OperationGraph.cuttableWithoutFallback)"]) { graph in
            graph.add("config", .cuttable) { 1 }
        },
        Mistake(
            .invalidOption,
            [[0]],
            ["number: it is to fulfil the event 'name' with a value of type String, and produces Int"]
        ) { graph in
            graph.add("number", .fulfills(ExternalEvent<String>("name"))) { 7 }
        },
    ]

    private static func named(_ name: String) -> Operation {
        let operation = BlockOperation {}
        operation.name = name
        return operation
    }
}

private final class NeverEndingOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: holds nothing.
    override func main() {}
}
