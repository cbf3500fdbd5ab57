import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Graphs that join a running launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchScopeTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "no network"
    }

    /// How a launch is stopped while a scope runs.
    enum Ending: CaseIterable, Sendable {
        case failure, abort, cancel, deadline
    }

    private let journal = Journal()

    /// Each has the same identifiers.
    private func window(_ name: String, seconds: Int) -> OperationGraph {
        var graph = OperationGraph(name)
        let profile = graph.add("open-profile") { [journal] step in
            try await step.sleep(for: .seconds(seconds))
            journal.note("\(name) has its profile")
        }
        graph.add("main-app", .milestone, after: profile) {}
        return graph
    }

    private func problems(_ body: () throws -> Void) -> [GraphProblem] {
        do {
            try body()
            return []
        } catch {
            return (error as? GraphError)?.problems ?? []
        }
    }

    // MARK: One beside the other

    @Test("two scopes run beside the launch, with operations of the same names; cancelling one cancels nothing else")
    func cancelledAlone() async throws {
        let clock = VirtualClock()
        let closed = Locked<RunningLaunch?>(nil)
        var graph = window("app", seconds: 3)
        graph.add("close") { step in
            try await step.sleep(for: .seconds(1))
            closed.withLock { $0 }?.cancel()
        }
        let (launch, second, third) = try clock.hold {
            let launch = try graph.start(options: LaunchOptions(clock: clock))
            let second = try launch.addScope("window-2", window("second", seconds: 2))
            let third = try launch.addScope("window-3", window("third", seconds: 2))
            closed.withLock { $0 = third }
            return (launch, second, third)
        }
        let (kept, gone) = (await second.end().report, await third.end().report)
        #expect(kept.outcome == .completed && kept.makespan == .seconds(2) && kept.milestone == "main-app")
        #expect(gone.outcome == .cancelled && gone.makespan == .seconds(1))
        let report = await launch.end().report
        #expect(report.outcome == .completed && report.makespan == .seconds(3) && report.budget.measured == .seconds(3))
        #expect(report.scopes.map(\.name) == ["window-2", "window-3"] && report.scopes.map(\.start) == [.zero, .zero])
        #expect(report.scopes.map(\.report) == [kept, gone])
        #expect(journal.all == ["second has its profile", "app has its profile"])
        #expect(report.description.hasSuffix("; window-3 cancelled"))
    }

    @Test("a step adds one that outlives it; the launch ends with the last of them, its own times are as without them")
    func fromStep() async throws {
        let added = Locked<RunningLaunch?>(nil)
        var graph = window("app", seconds: 2)
        let second = window("second", seconds: 4)
        graph.add("restore-windows", .timeout(.seconds(2))) { step in
            try await step.sleep(for: .seconds(1))
            let scope = try step.addScope("window-2", second)
            added.withLock { $0 = scope }
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed && report.makespan == .seconds(2))
        #expect(report.scopes.map(\.start) == [.seconds(1)] && report.scopes.first?.report.makespan == .seconds(4))
        #expect(journal.all == ["app has its profile", "second has its profile"])
        let scope = try #require(added.withLock { $0 })
        let milestone = await scope.milestone
        #expect(milestone.outcome == .completed)
        #expect(report.scopes.first?.description == "window-2 from 1 s: completed; 4 s, pass")
    }

    // MARK: Failures, and stops

    @Test("a scope that fails or aborts does so alone", arguments: [false, true])
    func failsAlone(aborts: Bool) async throws {
        var second = OperationGraph("second")
        second.add("login") { step in
            try await step.sleep(for: .seconds(1))
            if aborts { step.abort(.forceUpdate) } else { throw Failure() }
        }
        let failing = second
        let third = window("third", seconds: 3)
        var graph = window("app", seconds: 2)
        graph.add("windows") { step in
            try step.addScope("window-2", failing)
            try step.addScope("window-3", third)
        }
        let report = try await graph.run(budget: .seconds(3), options: .virtual()).report
        #expect(report.outcome == .completed && report.budget.isMet && report.makespan == .seconds(2))
        let outcomes: [LaunchReport.Outcome] = [
            aborts ? .aborted(by: "login", reason: .forceUpdate) : .failed(operation: "login", message: "no network"), .completed,
        ]
        #expect(report.scopes.map(\.report.outcome) == outcomes)
        #expect(report.description.hasSuffix("; window-2 \(outcomes[0])"))
    }

    @Test("whatever stops the launch cancels its scopes, also those of scopes, and no more can join", arguments: Ending.allCases)
    func stopped(_ ending: Ending) async throws {
        let box = LaunchBox()
        let inner = window("inner", seconds: 20)
        var outer = window("outer", seconds: 20)
        outer.add("nest") { step in _ = try step.addScope("inner", inner) }
        let nesting = outer
        var graph = OperationGraph("app")
        graph.add("stop") { step in
            try await step.sleep(for: .milliseconds(500))
            try step.addScope("outer", nesting)
            try await step.sleep(for: .milliseconds(500))
            switch ending {
            case .failure: throw Failure()
            case .abort: step.abort(.forceUpdate)
            case .cancel: try await box.launch().cancel()
            case .deadline: try await step.sleep(for: .seconds(60))
            }
        }
        graph.add("other") { step in try await step.sleep(for: .seconds(10)) }
        let options = LaunchOptions.virtual(deadline: .seconds(ending == .deadline ? 1 : 30))
        let launch = try box.start(graph, options: options)
        let report = await launch.end().report
        box.empty()
        let name = ending == .failure || ending == .deadline ? "failed" : ending == .abort ? "aborted" : "cancelled"
        #expect(report.outcome.name == name && report.makespan == .seconds(1))
        let scope = try #require(report.scopes.first?.report)
        #expect(scope.outcome == .cancelled && scope.makespan == .milliseconds(500))
        #expect(scope.scopes.map(\.report.outcome) == [.cancelled])
        let late = window("late", seconds: 1)
        #expect(problems { try launch.addScope("late", late) }.map(\.code) == [.launchOver])
    }

    // MARK: Names, and the end

    @Test("a name is a scope's alone, also after its end; one of a graph that was refused is free again")
    func names() async throws {
        let clock = VirtualClock()
        let (graph, second) = (window("app", seconds: 1), window("second", seconds: 1))
        var broken = second
        broken.add("open-profile") {}
        let twice = broken
        let launch = try clock.hold {
            let launch = try graph.start(options: LaunchOptions(clock: clock))
            #expect(problems { try launch.addScope("window-2", twice) }.map(\.code) == [.duplicateIdentifier])
            #expect(problems { try launch.addScope("", second) }.map(\.code) == [.invalidIdentifier])
            try launch.addScope("window-2", second)
            let again = problems { try launch.addScope("window-2", second) }
            #expect(again.map(\.code) == [.duplicateScope])
            #expect(again.first?.description == "the launch has a scope 'window-2' already; each needs a name of its own")
            return launch
        }
        let report = await launch.end().report
        #expect(report.scopes.map(\.name) == ["window-2"] && report.scopes.first?.report.outcome == .completed)
    }

    @Test("a launch whose operations have ended takes more scopes while one runs, and none after its end")
    func end() async throws {
        let box = LaunchBox()
        let third = window("third", seconds: 4)
        var second = OperationGraph("second")
        second.add("open") { step in
            try await step.sleep(for: .seconds(3))
            try await box.launch().addScope("window-3", third)
            try await step.sleep(for: .seconds(1))
        }
        let opening = second
        var graph = OperationGraph("app")
        graph.add("windows") { step in _ = try step.addScope("window-2", opening) }
        let launch = try box.start(graph, options: .virtual())
        let report = await launch.end().report
        box.empty()
        #expect(report.makespan == .zero && report.scopes.map(\.start) == [.zero, .seconds(3)])
        #expect(report.scopes.map(\.report.makespan) == [.seconds(4), .seconds(4)])
        let late = problems { try launch.addScope("window-4", third) }
        #expect(late.map(\.code) == [.launchOver])
        #expect(late.first?.description.hasSuffix("start the graph as a launch of its own") == true)
        #expect(await launch.end().report == report)
    }

    @Test("a launch of which only scopes run can be cancelled: they are, and its outcome stays")
    func cancelledLate() async throws {
        let box = LaunchBox()
        var second = OperationGraph("second")
        second.add("open") { step in
            try await step.sleep(for: .seconds(2))
            try await box.launch().cancel()
            try await step.sleep(for: .seconds(60))
        }
        let opening = second
        var graph = OperationGraph("app")
        graph.add("windows") { step in _ = try step.addScope("window-2", opening) }
        let report = try await box.run(graph, options: .virtual()).report
        #expect(report.outcome == .completed && report.scopes.map(\.report.outcome) == [.cancelled])
        #expect(report.scopes.first?.report.makespan == .seconds(2))
    }

    // MARK: Events, and reports

    @Test("events of a scope have its name, and go to its own observers")
    func events() async throws {
        var options = LaunchOptions()
        options.observers = [{ [journal] event in journal.note("\(event.scope ?? "none"): \(event.kind)") }]
        let own = options
        var inner = OperationGraph("inner")
        inner.add("b") {}
        let innerGraph = inner
        var outer = OperationGraph("outer")
        outer.add("a") { step in _ = try step.addScope("inner", innerGraph, options: own) }
        let outerGraph = outer
        var graph = OperationGraph("app")
        graph.add("a") { step in _ = try step.addScope("outer", outerGraph, options: own) }
        let launch = try graph.start(options: .virtual())
        _ = await launch.end()
        let heard = Dictionary(grouping: journal.all) { $0.prefix { $0 != ":" } }.mapValues(\.count)
        // Launch and operation each begin and end; the operation is ready, too.
        #expect(heard == ["outer": 5, "outer/inner": 5])
        #expect(journal.all.contains("outer/inner: b succeeded"))
        #expect(LaunchEvent(kind: .ready("a"), time: .zero, scope: "outer").description == "0 ms: outer: a is ready")
        let scopes: [String?] = await launch.events.reduce(into: []) { $0.append($1.scope) }
        #expect(scopes == [nil, nil, nil, nil, nil])
    }

    /// A report in which a scope is in a scope, and so on, so many deep.
    private func nested(_ depth: Int) -> LaunchReport {
        (0..<depth).reduce(LaunchReportCodingTests.nothing) { inner, _ in
            var report = LaunchReportCodingTests.nothing
            report.scopes = [LaunchReport.Scope(name: "window", start: .zero, report: inner)]
            return report
        }
    }

    @Test("fault J53: scopes within one another are read 16 deep, and a document in which they are deeper is refused")
    func depth() throws {
        let report = nested(16)
        #expect(try JSONDecoder().decode(LaunchReport.self, from: Data(report.json().utf8)) == report)
        for depth in [17, 100, 10_000] {
            let text = String(repeating: #"{"scopes":[{"name":"a","startMs":0,"report":"#, count: depth)
            let hostile = depth < 1000 ? nested(depth).json(pretty: false) : text
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(LaunchReport.self, from: Data(hostile.utf8)) }
        }
    }
}
