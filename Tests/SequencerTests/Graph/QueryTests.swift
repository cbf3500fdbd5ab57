import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Questions to a graph", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct QueryTests {
    /// `splash` and `force-update` at once, `fetch-config` and `tutorial` after `splash`, `login` after `fetch-config`, `main-app` last.
    private let launch: ValidatedGraph

    init() throws {
        var graph = OperationGraph("launch")
        let splash = graph.add("splash", .expected(.milliseconds(400)), .exclusive(.userInterface)) {}
        let update = graph.add("force-update", .expected(.milliseconds(300))) {}
        let config = graph.add("fetch-config", .expected(.milliseconds(350)), after: splash) {}
        let tutorial = graph.add("tutorial", .expected(.milliseconds(100)), .exclusive("ui"), after: splash) {}
        let login = graph.add("login", .expected(.milliseconds(200)), .exclusive(.userInterface, "network"), after: config) {}
        graph.add("main-app", .expected(.milliseconds(50)), .milestone, after: login, update, tutorial, splash) {}
        launch = try graph.validated()
    }

    @Test("an edge is written and printed the same way")
    func edgeLiterals() {
        let edge: ValidatedGraph.Edge = "login after fetch config"
        #expect(edge == .init("login", after: "fetch config"))
        #expect(edge.description == "login after fetch config")
        #expect("login" as ValidatedGraph.Edge == .init("login", after: ""))
        #expect(["b after a", "a after c", "a after b"].sorted() as [ValidatedGraph.Edge] == ["a after b", "a after c", "b after a"])
    }

    @Test("an implied dependency whose value is read stays, also when it is read as an optional")
    func reductionKeepsValues() throws {
        var graph = OperationGraph("values")
        let config = graph.add("config") { 1 }
        let country = graph.add("country") { 2 }
        let login = graph.add("login", using: config, after: config, country) { $0 }
        graph.add("main", using: config, country.optional, after: login, config, country) { _, _ in }
        graph.join("end", after: "config", "main")
        let valid = try graph.validated()
        #expect(valid.impliedEdges == ["main after config", "main after country", "end after config"])
        let reduced = valid.reduced()
        #expect(
            reduced.edges == [
                "login after config", "login after country", "main after config", "main after country", "main after login",
                "end after main",
            ]
        )
        #expect(reduced.graph.dependencies.edges.count == 6)
        #expect(reduced.graph.dependencies.edges.filter(\.needsValue).count == 2)
        #expect(try reduced.graph.validated().edges == reduced.edges)
    }

    @Test("what a step waits for beside the value of its condition is not implied for those after it: it may be skipped before")
    func impliedByCondition() throws {
        for readsValue in [true, false] {
            var graph = OperationGraph("implied")
            let flags = graph.add("flags") { true }
            let sync = graph.add("sync") {}
            let condition = readsValue ? StepOption.when(flags) { $0 } : .when { true }
            let tips = graph.add("tips", condition, after: flags, sync) {}
            graph.add("main", after: tips, flags, sync) {}
            #expect(try graph.validated().impliedEdges == (readsValue ? ["main after flags"] : ["main after flags", "main after sync"]))
        }
    }

    @Test("a question about an unknown operation throws, with the nearest name")
    func unknownNames() {
        func error(_ message: String) -> GraphError { GraphError(graph: "launch", problems: [GraphProblem(.unknownStep, message)]) }
        let login = error("there is no operation 'logn'; did you mean 'login'?")
        #expect(throws: login) { try launch.dependencies(of: "logn") }
        #expect(throws: login) { try launch.dependents(of: "logn") }
        #expect(throws: login) { try launch.ancestors(of: "logn") }
        #expect(throws: login) { try launch.descendants(of: "logn") }
        #expect(throws: login) { try launch.slack(of: "logn") }
        #expect(throws: login) { try launch.canOverlap("splash", "logn") }
        #expect(throws: login) { try launch.canOverlap("logn", "splash") }
        #expect(throws: error("there is no operation 'database'")) { try launch.dependencies(of: "database") }
        #expect(throws: error("there is no operation ''")) { try launch.dependencies(of: "") }
        #expect(throws: error("there is no operation '\\u{1B}'")) { try launch.dependencies(of: "\u{1B}") }
        #expect(login.description == "launch: there is no operation 'logn'; did you mean 'login'?")
    }

    @Test("when an operation can start at the earliest, and what it waits for until then; the first one where two end at once")
    func earliestStart() throws {
        func start(_ graph: ValidatedGraph, _ id: String) -> (time: Duration, path: [String]) {
            let (end, path) = graph.path(to: graph.position(of: id)) { $0.expected }
            return (end - (path.last.flatMap { graph.policy($0).expected } ?? .zero), path.dropLast().map(graph.id))
        }
        let (time, path) = start(launch, "main-app")
        #expect(time == .milliseconds(950) && path == ["splash", "fetch-config", "login"])
        #expect(start(launch, "splash") == (.zero, []))
        var graph = OperationGraph("tie")
        let first = graph.add("first", .expected(.milliseconds(10))) {}
        let second = graph.add("second", .expected(.milliseconds(10))) {}
        graph.join("last", after: first, second)
        #expect(start(try graph.validated(), "last") == (.milliseconds(10), ["first"]))
    }

    @Test("how long it takes from an operation's start to the end, to the nanosecond")
    func remaining() {
        let durations = [400, 300, 350, 100, 200, 50]
        #expect(launch.remaining { Nanoseconds(durations[$0]) } == [1000, 350, 600, 150, 250, 50])
    }

    @Test("implied edges of a graph with more operations than fit in one block, found by blocks")
    func manyImpliedEdges() throws {
        var graph = OperationGraph("blocks")
        for number in 0..<700 {
            graph.join("a\(number)")
            graph.join("b\(number)", after: "a\(number)")
        }
        for number in 0..<700 { graph.join("c\(number)", after: "b\(number)", "a\(number)", "b\((number + 350) % 700)") }
        let valid = try graph.validated()
        #expect(valid.impliedEdges == Set((0..<700).map { ValidatedGraph.Edge("c\($0)", after: "a\($0)") }))
    }
}
