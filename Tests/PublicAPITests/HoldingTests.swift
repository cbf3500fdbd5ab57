import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

/// What steps hold, alone and together, as an app writes that.
@Suite("Public API: holds and limits", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HoldingTests {
    private final class Log: Sendable {
        private let lock = NSLock()
        // Unsafe: guarded by `lock`.
        private nonisolated(unsafe) var lines: [String] = []
        func add(_ line: String) { lock.withLock { lines.append(line) } }
        var all: [String] { lock.withLock { lines } }
    }

    /// The launches that steps look at, or cancel.
    private final class Launches: Sendable {
        private let lock = NSLock()
        // Unsafe: guarded by `lock`.
        private nonisolated(unsafe) var launches: [RunningLaunch] = []
        subscript(place: Int) -> RunningLaunch? { lock.withLock { launches.indices.contains(place) ? launches[place] : nil } }
        func set(_ all: [RunningLaunch]) { lock.withLock { launches = all } }
    }

    private let log = Log()
    private let running = Launches()

    @Test("what is held to the same end is released last taken first, also where an abort ends steps together", arguments: [false, true])
    func releaseOrder(aborts: Bool) async throws {
        var graph = OperationGraph("order")
        let query = graph.add("query") { step in try await step.sleep(for: .seconds(1)) }
        let update = graph.add("update", after: query) { step in if aborts { step.abort(.forceUpdate) } }
        let report = graph.add("report", after: update) {}
        let send = graph.add("send", after: update) {}
        // In an abort `report` ends first, which alone holds the database.
        let database = try graph.hold("database", over: aborts ? ["query", "report"] : ["query", "report", "send"]) { [log] in
            log.add("take database")
        } release: { [log] in
            log.add("release database")
        }
        try graph.hold("pool", after: database, over: query, report, send) { [log] in
            log.add("take pool")
        } release: { [log] in
            log.add("release pool")
        }
        _ = try await graph.run(options: virtual())
        #expect(log.all == ["take database", "take pool", "release pool", "release database"])
    }

    @Test("a resource of the process is held by one step at a time, whatever launch it is of")
    func process() async throws {
        let clock = VirtualClock()
        let options = LaunchOptions(clock: clock)
        func graph(_ name: String, _ resource: ExclusiveResource) -> OperationGraph {
            var graph = OperationGraph(name)
            let ask = graph.add("ask", .exclusive(resource)) { [log] step in
                log.add("\(name) begins")
                try await step.sleep(for: .seconds(2))
                log.add("\(name) ends")
                if name == "first" { throw CancellationError() }
            }
            graph.add("main", .milestone, .exclusive(.userInterface), after: ask) {}
            return graph
        }
        var world = OperationGraph("world")
        world.add("cancel") { [log, running] step in
            try await step.sleep(for: .seconds(1))
            for operation in running[1]?.status.operations ?? [] { log.add("\(operation.id) \(operation)") }
            running[1]?.cancel()
        }
        let launches = try clock.hold {
            let launches = try ["first", "second", "third"].map { try graph($0, .userInterface.ofProcess).start(options: options) }
            running.set(launches)
            try world.start(options: options)
            return launches
        }
        var ends: [Duration] = []
        for launch in launches { ends.append(await launch.end().report.makespan) }
        // One that waits can be cancelled, and a failure gives it back.
        #expect(ends == [.seconds(2), .seconds(1), .seconds(4)])
        let waits = ["ask waits for 'ui', which another launch holds", "main waits for ask"]
        #expect(log.all == ["first begins"] + waits + ["first ends", "third begins", "third ends"])

        // A resource that is not of the process is the launch's own.
        let others = try clock.hold { try ["one", "two"].map { try graph($0, .userInterface).start(options: options) } }
        for launch in others { #expect(await launch.end().report.makespan == .seconds(2)) }
    }

    enum Ending: CaseIterable { case success, skip, failure, abort, cancel, deadline }

    @Test(
        "a step that runs whatever happens begins when those before it have ended, however, and is waited for",
        arguments: Ending.allCases
    )
    func always(_ ending: Ending) async throws {
        let clock = VirtualClock()
        var graph = OperationGraph("always")
        let policy: FailurePolicy = ending == .skip ? .skipDependents : .required
        let download = graph.add("download", .onFailure(policy)) { [running] step in
            try await step.sleep(for: .seconds(1))
            switch ending {
            case .skip, .failure: throw Trouble()
            case .abort:
                step.abort(.forceUpdate)
                // The step that aborts is not told to cancel.
                try await step.sleep(for: .milliseconds(200))
            case .cancel: running[0]?.cancel()
            case .deadline: try await step.sleep(for: .seconds(60))
            case .success: break
            }
        }
        let unpack = graph.add("unpack", after: download) { [log] in log.add("unpack") }
        let tidy = graph.add("tidy", .always, after: unpack) { [log] step in
            log.add("tidy")
            try await step.sleep(for: .seconds(2))
            log.add("tidied")
        }
        graph.add("tell", .always, after: tidy) { [log] in log.add("tell") }
        graph.add("last", after: tidy) { [log] in log.add("last") }
        let options = LaunchOptions(deadline: .seconds(8), clock: clock)
        let launch = try clock.hold {
            let launch = try graph.start(options: options)
            running.set([launch])
            return launch
        }
        let report = await launch.end().report
        running.set([])
        let tidied = ["tidy", "tidied"]
        switch ending {
        case .success: #expect(Set(log.all) == ["unpack", "tidy", "tidied", "tell", "last"] && report.outcome == .completed)
        case .skip: #expect(Set(log.all) == ["tidy", "tidied", "tell", "last"] && report.outcome == .completed)
        case .failure, .abort, .cancel:
            #expect(log.all == tidied + ["tell"] && report.outcome != .completed, "\(report.outcome)")
            #expect(report.operations.dropFirst(2).map(\.outcome) == [.succeeded, .succeeded, .cancelled])
        case .deadline: #expect(log.all.isEmpty && report.outcome != .completed)
        }
        let end = ending == .deadline ? Duration.seconds(8) : .milliseconds(ending == .abort ? 3_200 : 3_000)
        #expect(report.makespan == end)
    }

    @Test("a plan runs what runs whatever happens as the launch does, behind a step that is too slow for its timeout")
    func alwaysInPlan() async throws {
        var graph = OperationGraph("plan")
        let slow = graph.add("slow", .timeout(.milliseconds(100)), .expected(.milliseconds(700))) { step in
            try await step.sleep(for: .milliseconds(700))
        }
        graph.add("tidy", .always, .expected(.milliseconds(50)), after: slow) { step in try await step.sleep(for: .milliseconds(50)) }
        let (plan, report) = (try await graph.plan(), try await graph.run(options: virtual()).report)
        #expect(plan["tidy"]?.outcome == .succeeded && report["tidy"]?.outcome == .succeeded)
        #expect(plan.makespan == .milliseconds(150) && report.makespan == .milliseconds(150))
    }

    @Test("a step that runs whatever happens is bound by its timeout and the deadline, and is not told to cancel")
    func alwaysEnds() async throws {
        var graph = OperationGraph("bounds")
        graph.add("runs", .always) { step in try await step.sleep(for: .seconds(4)) }
        graph.add("times-out", .always, .timeout(.seconds(2))) { step in try await step.sleep(for: .seconds(60)) }
        let hangs = graph.add("hangs", .always) { step in try await step.sleep(for: .seconds(60)) }
        graph.add("too-late", .always, after: hangs) {}
        graph.add("fails") { step in
            try await step.sleep(for: .seconds(1))
            throw Trouble()
        }
        let report = try await graph.run(options: virtual(deadline: .seconds(5))).report
        guard case .failed(operation: "fails", _) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(report.operations.map(\.outcome) == [.succeeded, .timedOut, .timedOut, .cancelled, .failed])
        #expect(report.makespan == .seconds(5) && report["hangs"]?.message == "still running at the launch's deadline")

        var wrong = OperationGraph("wrong")
        let number = wrong.add("number") { 7 }
        wrong.add("print", .always, using: number) { print($0) }
        let error = #expect(throws: GraphError.self) { try wrong.validated() }
        #expect(
            error?.problems.map(\.description) == [
                "print runs whatever happens, and reads from 'number', which may leave no value; read its optional value"
            ]
        )
        // A launch that was cancelled before it began begins nothing.
        let cancelled = try await Task { [log] in
            withUnsafeCurrentTask { $0?.cancel() }
            var graph = OperationGraph("cancelled")
            graph.add("tidy", .always) { log.add("tidy") }
            return try await graph.run(options: virtual()).report.outcome
        }.value
        #expect(cancelled == .cancelled && log.all.isEmpty)
    }

    @Test(
        "a limit over chains of steps: no more of them are begun at a time, also in the plan, and each goes on to its end",
        arguments: [1, 2]
    )
    func chains(limit: Int) async throws {
        var graph = OperationGraph("images")
        graph.limit("images", to: limit)
        for number in 1...4 {
            func body(_ name: String) -> @Sendable (StepContext) async throws -> Void {
                { [log] step in
                    log.add("\(name) \(number)")
                    try await step.sleep(for: .seconds(1))
                    if number == 1, name == "decode" { throw Trouble() }
                }
            }
            let time = StepOption.expected(.seconds(1))
            let download = graph.add("download-\(number)", time, body: body("download"))
            let decode = graph.add("decode-\(number)", time, .onFailure(.skipDependents), after: download, body: body("decode"))
            let thumbnail = graph.add("thumbnail-\(number)", time, after: download, body: body("thumbnail"))
            let store = graph.add("store-\(number)", time, after: decode, thumbnail, body: body("store"))
            try graph.hold("place-\(number)", .exclusive("images"), over: download, decode, thumbnail, store) {
            } release: { _ in
            }
        }
        let report = try await graph.run(options: virtual()).report
        // The last step of the first chain is skipped.
        #expect(report.outcome == .completed && report.makespan == .seconds(limit == 1 ? 11 : 6))
        #expect(log.all.filter { $0.hasPrefix("download") } == (1...4).map { "download \($0)" })
        if limit == 1 {
            let chains = (1...4).flatMap { number in ["download", "decode", "thumbnail", "store"].map { "\($0) \(number)" } }
            #expect(log.all == chains.filter { $0 != "store 1" })
        }
        #expect(try await graph.plan().makespan == .seconds(limit == 1 ? 12 : 6))
    }

    @Test("what is held over steps is free when one ends the launch, and where it could not be had; none of these needs it")
    func heldResource() async throws {
        var graph = OperationGraph("held")
        let failing = graph.add("failing", .onFailure(.skipDependents)) { throw Trouble() }
        graph.add("first", .onFailure(.continue)) { step in try await step.sleep(for: .seconds(1)) }
        let last = graph.add("last", after: failing) { step in try await step.sleep(for: .seconds(1)) }
        try graph.hold("never", .exclusive("net"), after: failing, over: "first") {
        } release: { _ in
        }
        try graph.hold("lock", .exclusive("net"), over: last) {
            7
        } release: { _ in
        }
        graph.add("other", .exclusive("net"), after: "lock") { step in try await step.sleep(for: .seconds(1)) }
        let report = try await graph.run(options: virtual()).report
        #expect(report["first"]?.outcome == .skipped && report["last"]?.outcome == .skipped)
        // The value is held for a step that is skipped: no longer than until then.
        #expect(report["other"]?.end == .seconds(1))

        graph.add("needs", .exclusive("net")) {}
        try graph.hold("again", .exclusive("net"), over: "needs") {
        } release: { _ in
        }
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        #expect(
            error?.problems.map(\.description) == ["needs: it waits for 'net', which is held over it; leave out its '.exclusive'"]
        )
    }

    private func problems(of build: (inout OperationGraph) throws -> Void) throws -> [String] {
        var graph = OperationGraph("refused")
        try build(&graph)
        do {
            _ = try graph.validated()
            return []
        } catch { return error.problems.map(\.description) }
    }

    @Test("steps that would wait for one another for ever, each for what is held over the other, are refused")
    func deadlocks() throws {
        func hold(
            _ id: String,
            _ resource: ExclusiveResource,
            after others: [String] = [],
            over steps: [String],
            in graph: inout OperationGraph
        ) throws {
            try graph.hold(id, .exclusive(resource), after: others, over: steps) {
            } release: { _ in
            }
        }
        let between = try problems { graph in
            let first = graph.add("first") {}
            let middle = graph.add("middle", .exclusive("net"), after: first) {}
            let beside = graph.add("beside", .exclusive("net")) {}
            graph.add("last", after: middle, beside) {}
            try hold("lock", "net", over: ["first", "last"], in: &graph)
        }
        #expect(
            between == [
                "middle: it waits for 'net', which 'lock' holds over steps behind it; leave out its '.exclusive'",
                "beside: it waits for 'net', which 'lock' holds over steps behind it; let 'lock' wait for it",
            ]
        )
        /// Two chains; the second may begin when the first has ended.
        func chains(inTurn: Bool) throws -> [String] {
            try problems { graph in
                graph.add("read") {}
                graph.add("send", .exclusive("net"), after: "read") {}
                graph.add("fetch") {}
                graph.add("store", .exclusive("disk"), after: "fetch") {}
                try hold("disk", "disk", over: ["read", "send"], in: &graph)
                try hold("net", "net", after: inTurn ? ["send"] : [], over: ["fetch", "store"], in: &graph)
            }
        }
        func refusal(_ holds: (resource: String, awaited: String)...) -> String {
            let parts = holds.map { "'\($0.resource)' holds '\($0.resource)' over steps that wait for '\($0.awaited)'" }
            return parts.joined(separator: ", ") + "; each may wait for the next, so take these resources in one order"
        }
        #expect(try chains(inTurn: false) == [refusal(("disk", "net"), ("net", "disk"))])
        #expect(try chains(inTurn: true) == [])
        let both = try problems { graph in
            graph.add("copy") {}
            try hold("disk", "disk", over: ["copy"], in: &graph)
            try hold("net", "net", over: ["copy"], in: &graph)
        }
        #expect(both == [])
        /// Each holds one resource over a step that waits for the next one.
        func circle(of resources: [String], closed: Bool) throws -> [String] {
            try problems { graph in
                for (place, resource) in resources.enumerated() {
                    let isLast = place == resources.count - 1
                    let awaited = isLast ? closed ? resources[0] : "other" : resources[place + 1]
                    graph.add("user-\(resource)", .exclusive("\(awaited)")) {}
                    try hold(resource, "\(resource)", over: ["user-\(resource)"], in: &graph)
                }
            }
        }
        #expect(try circle(of: ["x", "y", "z"], closed: true) == [refusal(("x", "y"), ("y", "z"), ("z", "x"))])
        #expect(try circle(of: ["v", "w", "x", "y", "z"], closed: true).count == 1)
        #expect(try circle(of: ["x", "y", "z"], closed: false) == [])
    }

    @Test("a step of the prologue holds nothing that another launch may have; and there is no first of no steps")
    func refused() throws {
        let prologue = try problems { graph in graph.addPrologue("ask", .exclusive(.userInterface.ofProcess)) {} }
        let reason = "a step of the prologue cannot hold a resource of the process: the main thread would wait for another launch"
        #expect(prologue == ["ask: \(reason)"])
        let none: [String] = try problems { graph in
            let _: Step<Int> = graph.first("none")
        }
        #expect(none == ["none: it takes the first of no steps; name some in 'of'"])
        let place: ExclusiveResource = "place"
        let limit = ["place: one step at a time holds a resource of the process; leave out its limit, or 'ofProcess'"]
        #expect(try problems { graph in graph.limit(place.ofProcess, to: 3) } == limit)
        let held = try problems { graph in
            graph.limit(place, to: 3)
            graph.add("holds", .exclusive(place.ofProcess)) {}
        }
        #expect(held == limit)
        let nothing = #expect(throws: GraphError.self) {
            var graph = OperationGraph("nothing")
            try graph.hold("lock", over: [String]()) {
            } release: { _ in
            }
        }
        #expect(nothing?.problems.map(\.description) == ["lock: it is held over no steps; name some in 'over'"])
        let milestone = try problems { graph in
            let (near, far) = (graph.add("near", .milestone) {}, graph.add("far") {})
            graph.first("either", of: near, far)
        }
        let cancelled = "takes the first of several steps, and one is the milestone, which would be cancelled behind another"
        #expect(milestone == ["either \(cancelled); mark either as the milestone"])
    }

    @Test("a launch that holds something over steps can be explored")
    func explored() async throws {
        func graph() throws -> OperationGraph {
            var graph = OperationGraph("explored")
            let download = graph.add("download") { step in try await step.sleep(for: .seconds(1)) }
            let show = graph.add("show", after: download, on: .main) {}
            try graph.hold("place", .exclusive("images"), over: download, show) {
            } release: { _ in
            }
            graph.add("other", .exclusive("images")) {}
            graph.add("tab", on: .main) {}
            return graph
        }
        let exploration = try await explore(graph(), orders: 20)
        #expect(exploration.hidden == nil && exploration.unsteady.isEmpty)
    }

    @Test("paths count the racer that is expected first; what comes before a loser is still waited for where that is said")
    func firstOnPaths() async throws {
        func graph(waits: Bool) -> OperationGraph {
            var graph = OperationGraph("paths")
            let time = { (seconds: Int) in StepOption.expected(.seconds(seconds)) }
            let setUp = graph.add("set-up", time(5)) { step in try await step.sleep(for: .seconds(5)) }
            let far = graph.add("far", time(4), after: setUp) { 4 }
            let near = graph.add("near", time(2)) { step in
                try await step.sleep(for: .seconds(2))
                return 2
            }
            let off = graph.add("off", time(9), .when { false }) { 9 }
            let value = graph.first("value", of: off, near, far)
            let others: [String] = waits ? ["set-up"] : []
            graph.add("main", .milestone, using: value, after: others) { _ in }
            return graph
        }
        let (short, long) = (try graph(waits: false).validated(), graph(waits: true))
        #expect(short.criticalPath == ["near", "value", "main"] && short.criticalPathDuration == .seconds(2))
        #expect(short.budgetedPath.duration == .seconds(2) && short.budgetedPath.path == ["near", "value", "main"])
        #expect(try long.validated().budgetedPath.duration == .seconds(5))
        #expect(try long.validated().reduced().dependencies(of: "main") == ["value", "set-up"])
        let report = try await long.run(options: virtual()).report
        #expect(report["value"]?.end == .seconds(2) && report["off"]?.outcome == .skipped && report["main"]?.start == .seconds(5))
    }

    @Test("the critical path, of a launch and of its plan, goes by the step that was first, in whatever order they are added")
    func criticalPathOfFirst() async throws {
        for racers in [[("near", 500), ("far", 700)], [("far", 700), ("near", 500)]] {
            var graph = OperationGraph("path")
            var steps: [Step<String>] = []
            for (id, milliseconds) in racers {
                let step = graph.add(id, .expected(.milliseconds(milliseconds))) { step in
                    try await step.sleep(for: .milliseconds(milliseconds))
                    return step.operation
                }
                steps.append(step)
            }
            let first = graph.first("first", of: steps[0], steps[1])
            graph.add("main", .milestone, .expected(.milliseconds(10)), after: first) { step in try await step.sleep(for: .milliseconds(10))
            }
            let (plan, report) = (try await graph.plan(), try await graph.run(options: virtual()).report)
            #expect(plan.criticalPath == ["near", "first", "main"] && report.criticalPath == ["near", "first", "main"])
            #expect(plan.criticalPathDuration == .milliseconds(510) && plan.makespan == .milliseconds(510))
        }
    }

    @Test("the first of several steps to succeed gives the value, at that moment, and the others are cancelled; also in the plan")
    func first() async throws {
        func graph(_ succeeds: Bool) -> (graph: OperationGraph, first: Step<String>) {
            var graph = OperationGraph("first")
            func racer(_ seconds: Int, fails: Bool) -> @Sendable (StepContext) async throws -> String {
                { step in
                    try await step.sleep(for: .seconds(seconds))
                    if fails { throw Trouble() }
                    return step.operation
                }
            }
            let broken = graph.add("broken", .expected(.seconds(3)), body: racer(1, fails: true))
            let near = graph.add("near", .expected(.seconds(2)), body: racer(2, fails: !succeeds))
            let far = graph.add("far", .expected(.seconds(9)), body: racer(9, fails: !succeeds))
            let behind = graph.add("behind", after: far, body: racer(1, fails: !succeeds))
            let first = graph.first("value", .onFailure(.continue), of: broken, near, far, behind)
            graph.add("main", .milestone, using: first.optional) { _ in }
            return (graph, first)
        }
        let (race, value) = graph(true)
        let launch = try await race.run(options: virtual())
        #expect(try launch[value] == "near")
        #expect(launch.report.makespan == .seconds(2) && launch.report["far"]?.message == "cancelled while it ran")
        let outcomes = launch.report.operations.map(\.outcome)
        #expect(outcomes == [.failed, .succeeded, .cancelled, .cancelled, .succeeded, .succeeded])
        #expect(try await race.plan().makespan == .seconds(2))

        let (lost, none) = graph(false)
        let report = try await lost.run(options: virtual()).report
        #expect(report.outcome == .completed && report[none.id]?.outcome == .failed && report.makespan == .seconds(9))
        #expect(report[none.id]?.message == "none of these has succeeded: broken, near, far, behind")
    }
}
