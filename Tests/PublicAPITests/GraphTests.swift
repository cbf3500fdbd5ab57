import Sequencer
import SequencerAnalysis
import TestSupport
import Testing

/// Building graphs, and asking them, as an app does.
@Suite("Public API: graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphTests {
    private func problems(_ build: (inout OperationGraph) -> Void) -> [GraphProblem] {
        var graph = OperationGraph("wrong")
        build(&graph)
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        return error?.problems ?? []
    }

    @Test("a cycle is refused with its whole way round")
    func cycle() throws {
        let problem = try #require(
            problems { graph in
                graph.add("a", after: "c") {}
                graph.add("b", after: "a") {}
                graph.add("c", after: "b") {}
            }
            .first
        )
        let ways = ["a → c → b → a", "b → a → c → b", "c → b → a → c"]
        #expect(ways.map { "cycle: \($0) (each waits for the next)" }.contains("\(problem)"), "\(problem)")
        #expect("\(problem.code)" == "cycle")
    }

    @Test("a dependency that is not there is named, with the nearest one that is")
    func unknown() throws {
        let problem = try #require(
            problems { graph in
                graph.add("fetch-config") {}
                graph.add("login", after: "fetch-confg") {}
            }
            .first
        )
        #expect("\(problem.code)" == "unknownDependency")
        #expect("\(problem)" == "login waits for 'fetch-confg', which is not in the graph; did you mean 'fetch-config'?")
    }

    @Test("an option that a step can have once is refused when it is given twice, also by way of a list")
    func optionTwice() {
        let slow = StepOption.ifSlower(than: .seconds(1)) { _ in }
        let options: [(String, StepOption)] = [
            ("title", .title("Login")), ("onFailure", .onFailure(.continue)), ("timeout", .timeout(.seconds(1))),
            ("retry", .retry(attempts: 2)), ("qualityOfService", .qualityOfService(.utility)), ("expected", .expected(.seconds(1))),
            ("substitute", .substitute(1)), ("ifSlower", slow),
        ]
        for (name, option) in options {
            let problems = problems { $0.add("login", option, .essential, .all([.interactive, option])) { 1 } }
            #expect(problems.map(\.code.description) == ["invalidOption"])
            #expect(problems.map(\.description) == ["login: the option '\(name)' is given twice; a step has one, so remove the other"])
        }
    }

    @Test("a circle by two events is refused; one that another racer opens is not")
    func circlesOfEvents() throws {
        func isRefused(_ build: (inout OperationGraph) -> Void) -> Bool {
            var graph = OperationGraph("circle")
            build(&graph)
            do {
                _ = try graph.validated()
                return false
            } catch { return error.problems.map(\.code.description) == ["cycle"] }
        }
        let (opened, closed) = (ExternalEvent<Void>("opened"), ExternalEvent<Void>("closed"))
        #expect(
            isRefused { graph in
                let first = graph.wait(for: opened)
                let between = graph.add("between", after: first) {}
                graph.add("close", .fulfills(closed), after: between) {}
                graph.add("open", .fulfills(opened), after: graph.wait(for: closed)) {}
            }
        )
        for hasOther in [false, true] {
            let isCircle = isRefused { graph in
                let (wait, other) = (graph.wait(for: opened), graph.add("other") {})
                let either = hasOther ? graph.first("either", of: wait, other) : graph.first("either", of: wait)
                graph.add("open", .fulfills(opened), after: either) {}
            }
            #expect(isCircle != hasOther)
        }
        #expect(isRefused { graph in graph.wait(for: opened, .fulfills(opened)) })
        #expect(!isRefused { graph in graph.wait(for: opened, .fulfills(opened), .timeout(.seconds(1)), .onFailure(.continue)) })
    }

    @Test("a circle by an event is refused: a step waits for what one behind it is to fulfil")
    func eventCircle() throws {
        let session = ExternalEvent<String>("session")
        func build(_ options: StepOption...) -> OperationGraph {
            var graph = OperationGraph("events")
            let signedIn = graph.wait(for: session, .all(options))
            let window = graph.add("open-window", after: signedIn) {}
            graph.add("log-in", .fulfills(session), after: window) { "Anna" }
            return graph
        }
        for options in [[], [.timeout(.seconds(9))], [.onFailure(.continue)]] as [[StepOption]] {
            let error = #expect(throws: GraphError.self) { try build(.all(options)).validated() }
            #expect(
                error?.problems.map(\.description) == [
                    "cycle: session → log-in → open-window → session (each waits for the next; session for an event that log-in fulfils)"
                ]
            )
        }
        // It asks for a while whether another launch brings it about.
        for limit in [StepOption.timeout(.seconds(1)), .retry(attempts: 2, timeout: .seconds(1))] {
            #expect(throws: Never.self) { try build(limit, .onFailure(.continue)).validated() }
        }
    }

    @Test("the steps that the milestone needs and that could hang until the deadline are listed")
    func withoutTimeout() throws {
        var graph = OperationGraph("timeouts")
        let flags = graph.add("flags", .retry(attempts: 3, timeout: .seconds(1))) {}
        let config = graph.add("config", .timeout(.seconds(1)), after: flags) {}
        let account = graph.add("account", after: config) {}
        let asked = graph.add("ask", .interactive, after: account) {}
        let all = graph.join("all", after: asked)
        let window = graph.wait(for: ExternalEvent<Void>("window"))
        let (near, far) = (graph.add("near", .timeout(.seconds(1))) { 1 }, graph.add("far", .timeout(.seconds(1))) { 2 })
        let number = graph.first("number", of: near, far)
        graph.add("main", .milestone, after: all, window, number) {}
        graph.add("log") {}
        #expect(try graph.validated().operationsWithoutTimeout == ["account", "window", "main"])
        graph.remove("main")
        #expect(try graph.validated().operationsWithoutTimeout.isEmpty)
    }

    @Test("all problems of a graph are named at once: a name used twice, a step after itself, two milestones")
    func several() {
        let problems = problems { graph in
            graph.add("twice") {}
            graph.add("twice") {}
            graph.add("self", after: "self") {}
            graph.add("first", .milestone) {}
            graph.add("second", .milestone) {}
        }
        #expect(Set(problems.map(\.code.description)) == ["duplicateIdentifier", "selfDependency", "severalMilestones"])
        #expect(
            Set(problems.map(\.description)) == [
                "operations 1 and 2 have the same identifier 'twice'; each needs its own",
                "self waits for itself; remove 'self' from its dependencies",
                "'first' and 'second' are both marked as milestone; there can be one",
            ]
        )
    }

    @Test("an option that cannot be is refused before anything runs")
    func options() async {
        var graph = OperationGraph("wrong")
        graph.add("step", .timeout(.seconds(-1))) { Issue.record("it runs") }
        let error = await #expect(throws: GraphError.self) { try await graph.run() }
        #expect(error?.problems.map(\.code.description) == ["invalidOption"] && error?.description.contains("timeout") == true)
    }

    @Test("levels, edges, ancestors and what may overlap are known without running anything")
    func queries() throws {
        var graph = OperationGraph("shape")
        let config = graph.add("config") { Issue.record("it runs") }
        graph.add("flags", after: config) {}
        graph.add("login", after: config) {}
        graph.join("main", .milestone, after: "flags", "login")
        let valid = try graph.validated()
        #expect(valid.levels == [["config"], ["flags", "login"], ["main"]])
        #expect(valid.edges.contains("main after login") && valid.edges.count == 4)
        #expect(try valid.ancestors(of: "main") == ["config", "flags", "login"])
        #expect(try valid.canOverlap("flags", "login") && !valid.canOverlap("config", "login"))
        #expect(valid.milestone == "main")
    }

    @Test("expected durations give the critical path, and how long others may take without being on it")
    func criticalPath() throws {
        var graph = OperationGraph("expected")
        let slow = graph.add("slow", .expected(.milliseconds(300))) {}
        let quick = graph.add("quick", .expected(.milliseconds(100))) {}
        graph.add("main", .milestone, .expected(.milliseconds(50)), after: slow, quick) {}
        let valid = try graph.validated()
        #expect(valid.criticalPath == ["slow", "main"])
        #expect(valid.criticalPathDuration == .milliseconds(350))
        #expect(try valid.slack(of: "quick") == .milliseconds(200))
    }

    @Test("A8, A39: a step can be taken out, replaced and rewired; the graph that it came from stays as it was")
    func changes() throws {
        var graph = OperationGraph("changes")
        graph.add("old") {}
        graph.add("middle", after: "old") {}
        graph.add("last", after: "middle") {}
        var changed = graph
        changed.add("new") {}
        let isRemoved = (changed.remove("middle"), changed.remove("nobody"))
        #expect(isRemoved == (true, false))
        try changed.replace("old", with: "new")
        #expect(throws: GraphError.self) { try changed.replace("nobody", with: "new") }
        changed.addDependency("new", to: "last")
        #expect(try changed.validated().levels == [["new"], ["last"]])
        #expect(graph.identifiers == ["old", "middle", "last"])
    }

    @Test("every export of a graph names its steps")
    func exports() throws {
        var graph = OperationGraph("exports")
        let config = graph.add("fetch-config") {}
        graph.add("main-app", .milestone, after: config) {}
        let valid = try graph.validated()
        for text in [valid.tree(), valid.dot(), try valid.mermaid(), valid.json()] {
            #expect(text.contains("fetch-config") && text.contains("main-app"), "\(text)")
        }
    }
}
