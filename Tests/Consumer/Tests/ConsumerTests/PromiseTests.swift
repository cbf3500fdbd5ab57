import Foundation
import Sequencer
import SequencerTesting
import Testing

/// Each promise of the engine once, as an app sees it. `Scripts/test-consumer` counts them.
@Suite("Promises", .serialized, .timeLimit(.minutes(30)))
struct PromiseTests {
    @Test("1: an operation starts only when all that it waits for has ended in a way that lets it start")
    func dependencies() async throws {
        var graph = OperationGraph("dependencies")
        let config = graph.add("config") { step in try await step.sleep(for: .milliseconds(200)) }
        let flags = graph.add("flags") { step in try await step.sleep(for: .milliseconds(300)) }
        graph.add("both", after: config, flags) {}
        let ads = graph.add("ads", .onFailure(.skipDependents)) { throw Trouble() }
        graph.add("banner", after: ads) { Issue.record("it starts") }
        let sync = graph.add("sync", .onFailure(.continue)) { throw Trouble() }
        graph.add("badge", after: sync) {}
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed)
        #expect(report["both"]?.start == .milliseconds(300))
        #expect(report["banner"]?.outcome == .skipped && report["banner"]?.start == nil)
        #expect(report["badge"]?.outcome == .succeeded)
    }

    private final class Twice: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: it has no state of its own.
        override func main() {
            finish()
            finish(throwing: Trouble())
        }
    }

    @Test("2: an operation ends once; a second end and a late one change nothing, and are reported")
    func once() async throws {
        let gate = Gate()
        var graph = OperationGraph("once")
        graph.add(Twice(), id: "twice")
        graph.add("late", .timeout(.milliseconds(20)), .onFailure(.continue)) { gate.block() }
        let launch = try await graph.run(options: .real())
        gate.open()
        #expect(launch.report.outcome == .completed)
        #expect(launch.report.operations.map(\.outcome) == [.succeeded, .timedOut])
        try await eventually { launch.anomalies.contains { $0.kind == .endedLate && $0.operation == "late" } }
        try await eventually { launch.anomalies.contains { $0.kind == .finishedAgain && $0.operation == "twice" } }
        #expect(launch.report.operations.map(\.outcome) == [.succeeded, .timedOut])
    }

    @Test("3: a launch ends, and says so once, though an operation hangs and another is deaf and blocks its thread")
    func ends() async throws {
        let gate = Gate()
        let ends = Notes()
        var graph = OperationGraph("ends")
        graph.add("deaf") { gate.block() }
        graph.add("hangs") {}
        try graph.inject(.hang, into: "hangs")
        // The clock sees only that "deaf" does nothing on it, and goes on without it.
        let options = LaunchOptions(deadline: .seconds(5), clock: VirtualClock(patience: .milliseconds(200)))
        let launch = try graph.start(options: options) { _ in ends.add("end") }
        let report = await launch.end().report
        #expect(report.outcome.name == "failed" && report.stragglers.contains("deaf"))
        gate.open()
        let again = await launch.end().report
        #expect(again == report)
        try await eventually { ends.all == ["end"] }
    }

    @Test("4: after an abort nothing starts, what runs is told to cancel, and the takeover does not wait for it")
    func abort() async throws {
        let (began, shown) = (Gate(), Gate())
        let notes = Notes()
        var graph = OperationGraph("abort")
        graph.add("deaf") { step in
            began.open()
            // Only the takeover opens it.
            shown.block()
            notes.add("deaf is cancelled: \(step.isCancelled)")
        }
        let update = graph.add("update") { step in
            began.block()
            step.abort(.forceUpdate) { shown.open() }
        }
        graph.add("main", .milestone, after: update, on: .main) { Issue.record("it starts") }
        let report = try await graph.run(options: .real(lanes: 2, grace: .seconds(600))).report
        #expect(report.outcome == .aborted(by: "update", reason: .forceUpdate))
        #expect(report["main"]?.start == nil)
        #expect(notes.all == ["deaf is cancelled: true"])
    }

    @Test("5: a value is there before anyone who reads it starts, on whichever thread")
    func values() async throws {
        var graph = OperationGraph("values")
        var last = graph.add("0") { 0 }
        for index in 1..<60 {
            if index.isMultiple(of: 3) {
                last = graph.add("\(index)", using: last, on: .main) { value in value + 1 }
            } else if index.isMultiple(of: 2) {
                last = graph.add("\(index)", using: last) { value in
                    await Task.yield()
                    return value + 1
                }
            } else {
                last = graph.add("\(index)", using: last) { value in value + 1 }
            }
        }
        let launch = try await graph.run(options: .real())
        #expect(try launch[last] == 59)
    }

    @Test("6: only what is ready enters an operation queue")
    func queue() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        var graph = OperationGraph("queue")
        var ready: [Step<Void>] = []
        for index in 0..<5 { ready.append(graph.add("ready-\(index)") {}) }
        graph.add("waits", after: ready) {}
        var options = LaunchOptions.real()
        options.queue = queue
        let launch = try graph.start(options: options)
        #expect(queue.operationCount == 5)
        queue.isSuspended = false
        let report = await launch.end().report
        #expect(report.outcome == .completed)
    }

    @Test("7: when lanes are scarce, what the milestone needs goes first")
    func milestoneFirst() async throws {
        var graph = OperationGraph("lanes")
        for name in ["cache", "news"] {
            graph.add(name, .expected(.milliseconds(900))) { step in try await step.sleep(for: .milliseconds(900)) }
        }
        let config = graph.add("config", .expected(.milliseconds(100))) { step in try await step.sleep(for: .milliseconds(100)) }
        graph.add("home", .milestone, .expected(.milliseconds(50)), after: config) { step in
            try await step.sleep(for: .milliseconds(50))
        }
        let report = try await graph.run(options: .virtual(lanes: 1)).report
        #expect(report["home"]?.end == .milliseconds(150))
        #expect(report.makespan == .milliseconds(1950))
    }

    @Test("8: the main thread is never blocked; what belongs there runs there, and nothing else does")
    @MainActor
    func mainThread() async throws {
        let gate = Gate()
        var graph = OperationGraph("threads")
        let blocked = graph.add("blocked") { () -> Bool in
            gate.block()
            return isOnMainThread()
        }
        let suspended = graph.add("suspended", after: blocked) { () async -> Bool in
            await Task.yield()
            return isOnMainThread()
        }
        let main = graph.add("main", after: suspended, on: .main) { isOnMainThread() }
        let launch = try graph.start(options: .real())
        // The start has returned to the main thread, which opens what the step waits for.
        gate.open()
        let finished = await launch.end()
        #expect(try finished[blocked] == false)
        #expect(try finished[suspended] == false)
        #expect(try finished[main] == true)
    }

    @Test("9: nothing of the app is called under a lock: whoever is called may ask the launch, and stop it")
    func locks() async throws {
        let watched = Watched()
        let notes = Notes()
        var graph = OperationGraph("locks")
        let gate = Gate()
        graph.add("first") { gate.block() }
        graph.add("long", after: "first") {
            try await withTaskCancellationHandler {
                try await Task.sleep(for: .seconds(3600))
            } onCancel: {
                _ = watched.launch?.status
            }
        }
        var options = LaunchOptions.real()
        options.observers.append { event in
            guard let launch = watched.launch else { return }
            _ = launch.status.description
            if event.kind == .started("long", attempt: 1) { launch.cancel() }
            if event.kind == .launchEnded { notes.add("told of the end") }
        }
        let launch = try graph.start(options: options) { finished in
            _ = watched.launch?.status
            notes.add("called with \(finished.report.outcome.name)")
        }
        watched.launch = launch
        gate.open()
        #expect(await launch.end().report.outcome == .cancelled)
        try await eventually { Set(notes.all) == ["told of the end", "called with cancelled"] }
        watched.launch = nil
    }

    @Test("10: a person's time does not count against the budget, and a slow server's does")
    func person() async throws {
        var graph = OperationGraph("person")
        graph.add("region", .timeout(.seconds(1)), .milestone) { step in
            try await step.sleep(for: .milliseconds(500))
            let answer = try await step.waitForPerson {
                try await step.sleep(for: .seconds(60))
                return "DE"
            }
            try await step.sleep(for: .milliseconds(400))
            return answer
        }
        let report = try await graph.run(budget: .seconds(1), options: .virtual()).report
        #expect(report.outcome == .completed && report.budget.isMet)
        #expect(report.budget.measured == .milliseconds(900) && report.budget.interactive == .seconds(60))
    }

    @Test(
        "11: a budget is kept: what may be cut is, what may wait does, and what has a fallback alone is waited for",
        arguments: [true, false]
    )
    func budget(mayBeCut: Bool) async throws {
        var graph = OperationGraph("budget")
        let option: StepOption = mayBeCut ? .cuttable : .all([])
        let flags = graph.add("flags", option, .expected(.milliseconds(100)), fallback: "kept") { step in
            try await step.sleep(for: .seconds(5))
            return "fresh"
        }
        let warm = graph.add("warm", .deferrable, .expected(.milliseconds(700)), after: flags) { step in
            try await step.sleep(for: .milliseconds(700))
        }
        graph.add("main", .milestone, .expected(.milliseconds(200)), using: .context, flags, after: warm) { step, _ in
            try await step.sleep(for: .milliseconds(200))
        }
        let launch = try await graph.run(budget: .seconds(1), options: .virtual())
        let report = launch.report
        #expect(report.outcome == .completed && report.budget.isMet == mayBeCut)
        #expect(report["flags"]?.isCut == mayBeCut && report["warm"]?.isDeferred == true)
        #expect(try launch[flags] == (mayBeCut ? "kept" : "fresh"))
        #expect(report["warm"]?.outcome == .succeeded)
    }

    #if os(Linux)
        @Test("12: until a launch runs the engine costs nothing: no thread, no file")
        func idle() throws {
            let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            let (process, output) = (Process(), Pipe())
            process.executableURL = folder.appending(path: "idle")
            process.standardOutput = output
            try process.run()
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            #expect(String(decoding: said, as: UTF8.self) == "1 thread, 0 files\n")
        }
    #endif

    @Test("13: code of the app holds nothing up: neither a cancel handler, nor a condition, nor an observer that blocks")
    func blockedCode() async throws {
        let (gate, told) = (Gate(), Gate())
        var graph = OperationGraph("blocked")
        let deaf = graph.add("deaf", .timeout(.milliseconds(20)), .onFailure(.continue)) {
            try await withTaskCancellationHandler {
                try await Task.sleep(for: .seconds(3600))
            } onCancel: {
                gate.block()
            }
        }
        let asks = StepOption.when {
            gate.block()
            return true
        }
        let asked = graph.add("asked", asks, .timeout(.milliseconds(20)), .onFailure(.continue)) { Issue.record("it starts") }
        graph.add("main", .milestone, after: deaf, asked) {}
        var options = LaunchOptions.real()
        options.observers.append { event in if event.kind == .launchEnded { told.block() } }
        let report = try await graph.run(options: options).report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.timedOut, .timedOut, .succeeded])
        gate.open()
        told.open()
    }

    @Test("14: cost grows with the graph, and nothing recurses: a chain of 50,000 and a fan of 50,000")
    func size() async throws {
        let count = 50_000
        for isChain in [true, false] {
            var graph = OperationGraph("large")
            graph.reserveCapacity(count)
            var last = graph.add("0") {}
            for index in 1..<count {
                let step = graph.add("\(index)", after: last) {}
                if isChain { last = step }
            }
            let report = try await graph.run(options: .real()).report
            #expect(report.outcome == .completed && report.operations.count == count)
            #expect(report.operations.allSatisfy { $0.outcome == .succeeded })
        }
    }

    @Test("15: the launch proper ends with its milestone; what runs on is told apart, and its failures are its own")
    func afterMilestone() async throws {
        var graph = OperationGraph("milestones")
        let skeleton = graph.add("skeleton", .initialDisplay) { step in try await step.sleep(for: .milliseconds(50)) }
        let home = graph.add("home", .milestone, after: skeleton) { step in try await step.sleep(for: .milliseconds(150)) }
        graph.add("sync", after: home) { throw Trouble() }
        graph.add("prefetch", after: home) { step in try await step.sleep(for: .seconds(1)) }
        let launch = try graph.start(budget: .seconds(1), options: .virtual())
        let first = await launch.milestone
        let report = await launch.end().report
        #expect(first.outcome == .completed && first.afterMilestone?.operations == ["sync", "prefetch"])
        #expect(report.outcome == .completed && report.budget == first.budget && report.criticalPath == first.criticalPath)
        #expect(report.budget.isMet && report.budget.measured == .milliseconds(200))
        #expect(report.timeToInitialDisplay == .milliseconds(50))
        #expect(report.afterMilestone?.outcome?.name == "failed" && report.afterMilestone?.failures == ["sync"])
        #expect(report["prefetch"]?.outcome == .succeeded)
    }
}
