import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

/// Options of a launch in virtual time: waits take none of the machine's.
func virtual(deadline: Duration? = nil) -> LaunchOptions {
    LaunchOptions(deadline: deadline.map { .after($0) } ?? .never, clock: VirtualClock())
}

struct Trouble: Error {}

/// Running launches, as an app does.
@Suite("Public API: launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchTests {
    @Test("values go from step to step with their types, and are there after the launch")
    func values() async throws {
        var graph = OperationGraph("values")
        let number = graph.add("number") { 20 }
        let word = graph.add("word") { () async in "one" }
        let both = graph.add("both", using: number, word) { number, word in "\(number) and \(word)" }
        let main = graph.add("main", .milestone, using: both, on: .main) { text in text.count }
        let launch = try await graph.run(options: virtual())
        #expect(launch.report.outcome == .completed)
        #expect(try launch[both] == "20 and one")
        #expect(try launch[main] == 10)
    }

    @Test("an event from outside is fulfilled by another launch, waited for by a step, and awaited by any code")
    func eventsFromOutside() async throws {
        let window = ExternalEvent<String>("window")
        var graph = OperationGraph("events")
        let connected = graph.wait(for: window, .timeout(.seconds(5)))
        let shown = graph.add("main", .milestone, using: connected, on: .main) { name in name.count }
        var world = OperationGraph("world")
        world.add("scene", .fulfills(window)) { step in
            try await step.sleep(for: .seconds(2))
            return "main"
        }
        let clock = VirtualClock()
        let options = LaunchOptions(clock: clock)
        let launch = try clock.hold {
            try world.start(options: options)
            return try graph.start(options: options)
        }
        let report = await launch.end().report
        #expect(report.outcome == .completed && report.makespan == .seconds(2))
        #expect(try launch.value(of: shown) == 4)
        #expect(try await window.value == "main")
        #expect(!window.fulfill("again"))
    }

    @Test("a launch that ends at the deadline of the step that runs it says so")
    func deadlineOfStep() async throws {
        let clock = VirtualClock()
        var inner = OperationGraph("inner")
        inner.add("hangs") { step in try await step.sleep(for: .seconds(60)) }
        var outer = OperationGraph("outer")
        let nests = outer.add("nests", .timeout(.seconds(2))) { [inner] _ in
            try inner.start(options: LaunchOptions(deadline: .seconds(30), clock: clock))
        }
        let report = try await outer.run(options: LaunchOptions(clock: clock))[nests].end().report
        #expect(report.makespan == .seconds(2))
        #expect(report.outcome == .failed(operation: "hangs", message: "still running at the deadline of the step that runs the launch"))
    }

    @Test("the options' timeout is that of each step without one, but for those of a person")
    func stepTimeout() async throws {
        var graph = OperationGraph("timeouts")
        graph.add("hangs", .onFailure(.continue)) { step in try await step.sleep(for: .seconds(60)) }
        graph.add("patient", .timeout(.seconds(9))) { step in try await step.sleep(for: .seconds(8)) }
        graph.add("ask", .interactive) { step in try await step.sleep(for: .seconds(7)) }
        graph.wait(for: ExternalEvent<Void>("window"), .onFailure(.continue))
        var options = LaunchOptions(clock: VirtualClock(), stepTimeout: .seconds(2))
        let report = try await graph.run(options: options).report
        #expect(report.outcome == .completed && report.makespan == .seconds(8))
        #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded, .succeeded, .timedOut])
        #expect(report["hangs"]?.end == .seconds(2) && report["window"]?.end == .seconds(2))
        options.stepTimeout = .zero
        let error = await #expect(throws: GraphError.self) { try await graph.run(options: options) }
        #expect(error?.problems.map(\.description) == ["steps: a timeout must be more than 0 and at most 24 hours, and is 0.0 seconds"])
    }

    @Test("a required step that fails ends the launch; what comes after it does not start")
    func failure() async throws {
        var graph = OperationGraph("failure")
        let login = graph.add("login") { throw Trouble() }
        graph.add("main", .milestone, after: login) { Issue.record("it runs") }
        let report = try await graph.run(options: virtual()).report
        guard case .failed(operation: "login", _) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(report["login"]?.outcome == .failed && report["main"]?.start == nil)
    }

    @Test("where a failure is to be ignored, the rest goes on, without the value")
    func goesOn() async throws {
        var graph = OperationGraph("ignored")
        let speaker = graph.add("speaker", .onFailure(.continue)) { () throws -> String in throw Trouble() }
        graph.add("main", .milestone, using: speaker.optional) { speaker in #expect(speaker == nil) }
        let report = try await graph.run(options: virtual()).report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.failed, .succeeded])
    }

    @Test("where a failure skips its dependents, only they are skipped")
    func skips() async throws {
        var graph = OperationGraph("skips")
        let ads = graph.add("ads", .onFailure(.skipDependents)) { throw Trouble() }
        graph.add("banner", after: ads) { Issue.record("it runs") }
        graph.add("main", .milestone) {}
        let report = try await graph.run(options: virtual()).report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.failed, .skipped, .succeeded])
    }

    @Test("a fallback takes the place of a step that fails or is too late, and says why", arguments: [true, false])
    func fallback(isLate: Bool) async throws {
        var graph = OperationGraph("fallback")
        let config = graph.add("config", .timeout(.seconds(1)), fallback: "bundled") { launch in
            if isLate { try await launch.sleep(for: .seconds(60)) }
            throw Trouble()
        }
        graph.add("main", .milestone, using: config) { config in #expect(config == "bundled") }
        let report = try await graph.run(options: virtual()).report
        #expect(report.outcome == .completed && report["config"]?.outcome == .fellBack)
        #expect(report["config"]?.failure == (isLate ? .timedOut : .failed))
        #expect(report["config"]?.end == (isLate ? .seconds(1) : .zero))
    }

    @Test("a computed fallback is given the error")
    func computed() async throws {
        var graph = OperationGraph("computed")
        let config = graph.add("config") { () throws -> String in
            throw Trouble()
        } fallback: { _, error in
            error is Trouble ? "bundled" : "?"
        }
        let launch = try await graph.run(options: virtual())
        #expect(try launch[config] == "bundled")
    }

    @Test("a computed fallback may read the values that its step reads; of another step there is none, and the report says so")
    func computedOfValues() async throws {
        var graph = OperationGraph("values")
        let cache = graph.add("cache") { 20 }
        let speaker = graph.add("speaker", .onFailure(.continue)) { () throws -> String in throw Trouble() }
        let other = graph.add("other") { 1 }
        let config = graph.add("config", .timeout(.seconds(1)), using: .context, cache, speaker.optional) { launch, _, _ -> String in
            try await launch.sleep(for: .seconds(60))
            return "fetched"
        } fallback: { step, _ in
            "\(step.value(of: cache) ?? 0), \(step.value(of: speaker) ?? "none"), \(step.value(of: other) ?? 0)"
        }
        let launch = try await graph.run(options: virtual())
        #expect(try launch[config] == "20, none, 0")
        #expect(launch.report["config"]?.notes == ["the value of 'other' is nil: the step does not wait for it"])
    }

    @Test("a step's context is read among the values, also by a condition and by a fallback")
    func contextAmongValues() async throws {
        var graph = OperationGraph("context")
        let config = graph.add("config") { "DE" }
        let isHome: StepOption = .when(.context, config) { launch, config in launch.operation == "home" && config == "DE" }
        let home = graph.add("home", isHome, using: .context, config) { launch, config in "\(launch.operation) \(config)" }
        let alone = graph.add("alone", using: .context) { launch in launch.attempt }
        let broken = graph.add("broken", using: .context) { (_) throws -> String in
            throw Trouble()
        } fallback: { step, _ in
            "\(step.value(of: .context)?.operation ?? "nobody") fell back"
        }
        let launch = try await graph.run(options: virtual())
        #expect(try launch[home] == "home DE")
        #expect(try launch[alone] == 1)
        #expect(try launch[broken] == "broken fell back")
        #expect(launch.report["broken"]?.notes == [])
    }

    private struct Configuration: Sendable, Equatable {
        var name: String
        static let bundled = Configuration(name: "bundled")
    }

    @Test("a fallback is a member of the step's own type, or any other value, or nothing; one that is nil is written so")
    func fallbackOfItsType() async throws {
        var graph = OperationGraph("members")
        let config = graph.add("config", fallback: .bundled) { () throws -> Configuration in throw Trouble() }
        let read = graph.add("read", using: config, on: .main, fallback: Configuration(name: "other")) { (_) throws -> Configuration in
            throw Trouble()
        }
        let nothing = graph.add("nothing", .onFailure(.continue), fallback: nil) { () throws -> Int? in throw Trouble() }
        let absent = graph.add("absent", fallback: .some(nil)) { () throws -> Int? in throw Trouble() }
        let both = graph.add("both", fallback: 1) { () throws -> Int in
            throw Trouble()
        } fallback: { step, _ in
            step.note("computed")
            return 2
        }
        let launch = try await graph.run(options: virtual())
        #expect(try launch[config] == .bundled && launch[read].name == "other")
        #expect(try launch[absent] == nil && launch[both] == 2)
        #expect(throws: OperationError.self) { try launch[nothing] }
        #expect(launch.report["both"]?.notes == ["computed"])
    }

    @Test("a step is tried again as often as it may be, and knows which attempt it is")
    func retry() async throws {
        var graph = OperationGraph("retry")
        let step = graph.add("step", .retry(attempts: 3)) { launch in
            if launch.attempt < 3 { throw Trouble() }
            return launch.attempt
        }
        graph.add("hopeless", .retry(attempts: 2), .onFailure(.continue)) { throw Trouble() }
        let launch = try await graph.run(options: virtual())
        let report = launch.report
        #expect(try launch[step] == 3)
        #expect(report["step"]?.attempts == 3 && report["hopeless"]?.attempts == 2)
        #expect(report["hopeless"]?.outcome == .failed)
    }

    @Test("a condition that does not hold skips its step, and what comes after it runs")
    func condition() async throws {
        var graph = OperationGraph("condition")
        let tutorial = graph.add("tutorial", .when { false }) { Issue.record("it runs") }
        graph.add("main", .milestone, after: tutorial) {}
        let report = try await graph.run(options: virtual()).report
        #expect(report.operations.map(\.outcome) == [.skipped, .succeeded])
    }

    @Test("of several conditions all have to hold, whichever is written first; the first that does not ends the asking")
    func conditions() async throws {
        for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
            var graph = OperationGraph("conditions")
            let flag = graph.add("flag") { second }
            graph.add(
                "tips",
                .when { first },
                .when(flag) { flag in
                    #expect(first)
                    return flag
                }
            ) {}
            let report = try await graph.run(options: virtual()).report
            #expect(report["tips"]?.outcome == (first && second ? .succeeded : .skipped))
        }
    }

    @Test("a resource is had by one step at a time; without it they run at the same time", arguments: [true, false])
    func exclusive(isExclusive: Bool) async throws {
        var graph = OperationGraph("exclusive")
        for index in 0..<3 {
            let resource: StepOption = isExclusive ? .exclusive("ui") : .all([])
            graph.add("ask-\(index)", resource) { launch in try await launch.sleep(for: .milliseconds(100)) }
        }
        let report = try await graph.run(options: virtual()).report
        #expect(report.makespan == .milliseconds(isExclusive ? 300 : 100))
    }

    @Test("F6: a launch is within its budget or not; the time a person takes does not count")
    func budget() async throws {
        func report(_ options: StepOption...) async throws -> LaunchReport {
            var graph = OperationGraph("budget")
            let login = graph.add("login", .all(options)) { launch in try await launch.sleep(for: .seconds(10)) }
            graph.add("main", .milestone, after: login) { launch in try await launch.sleep(for: .milliseconds(200)) }
            return try await graph.run(budget: .seconds(3), options: virtual()).report
        }
        let waits = try await report()
        #expect(!waits.budget.isMet && waits.budget.measured == .milliseconds(10_200))
        #expect(waits.criticalPath == ["login", "main"])
        let asks = try await report(.interactive)
        #expect(asks.budget.isMet && asks.budget.interactive == .seconds(10) && asks.budget.measured == .milliseconds(200))
    }

    @Test("a launch that is too slow falls back where it can, to keep its budget; where that is only measured, it does not")
    func enforcement() async throws {
        func report(isEnforced: Bool) async throws -> LaunchReport {
            var graph = OperationGraph("enforced")
            let flags = graph.add("flags", .cuttable, .expected(.milliseconds(100)), fallback: "cached") { launch in
                try await launch.sleep(for: .seconds(5))
                return "fresh"
            }
            graph.add("main", .milestone, .expected(.milliseconds(200)), using: .context, flags) { launch, _ in
                try await launch.sleep(for: .milliseconds(200))
            }
            return try await graph.run(budget: Budget(.seconds(1), isEnforced: isEnforced), options: virtual()).report
        }
        let kept = try await report(isEnforced: true)
        #expect(kept.budget.isMet && kept["flags"]?.outcome == .fellBack && kept["flags"]?.isCut == true)
        let measured = try await report(isEnforced: false)
        #expect(!measured.budget.isMet && measured["flags"]?.outcome == .succeeded)
    }

    @Test("an abort cancels what runs, starts nothing more, and its takeover has the main thread")
    @MainActor
    func abort() async throws {
        let screen = Screen()
        var graph = OperationGraph("abort")
        let update = graph.add("update") { launch in
            try await launch.sleep(for: .milliseconds(300))
            launch.abort(.forceUpdate) { screen.show("update") }
        }
        graph.add("login") { launch in try await launch.sleep(for: .seconds(60)) }
        graph.add("main", .milestone, after: update, on: .main) { Issue.record("it runs") }
        let report = try await graph.run(options: virtual()).report
        #expect(report.outcome == .aborted(by: "update", reason: .forceUpdate))
        #expect(screen.shown == ["update"])
        #expect(report["login"]?.outcome == .cancelled && report["login"]?.end == .milliseconds(300))
        #expect(report["main"]?.start == nil)
    }

    @Test("a launch that is cancelled ends, and its report says which steps that hit")
    func cancel() async throws {
        var graph = OperationGraph("cancelled")
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        graph.add("long") { launch in
            begin.finish()
            try await Task.sleep(for: .seconds(3600))
        }
        graph.add("main", .milestone, after: "long") { Issue.record("it runs") }
        let launch = try graph.start(options: LaunchOptions(grace: .seconds(60)))
        for await _ in began {}
        launch.cancel()
        let report = await launch.end().report
        #expect(report.outcome == .cancelled)
        #expect(report.operations.map(\.outcome) == [.cancelled, .cancelled])
    }

    @Test("one step can be cancelled alone; a name that is not there is refused")
    func cancelOne() async throws {
        var graph = OperationGraph("one")
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        graph.add("sync", .onFailure(.continue)) {
            begin.finish()
            try await Task.sleep(for: .seconds(3600))
        }
        graph.add("main", .milestone) {}
        let launch = try graph.start()
        for await _ in began {}
        #expect(throws: GraphError.self) { try launch.cancel("snyc") }
        try launch.cancel("sync")
        let report = await launch.end().report
        #expect(report.outcome == .completed)
        #expect(report["sync"]?.outcome == .cancelled && report["main"]?.outcome == .succeeded)
    }

    @Test("a deadline ends the launch, and the report names what had not ended")
    func deadline() async throws {
        var graph = OperationGraph("deadline")
        graph.add("endless", .milestone) { launch in try await launch.sleep(for: .seconds(3600)) }
        let report = try await graph.run(options: virtual(deadline: .seconds(5))).report
        #expect(report.outcome.name == "failed")
        #expect(report["endless"]?.outcome == .timedOut && report["endless"]?.end == .seconds(5))
    }

    @Test("the events of a launch come in order: each step is ready, starts and ends, and the launch ends last")
    func events() async throws {
        var graph = OperationGraph("events")
        let first = graph.add("first") {}
        graph.add("second", .retry(attempts: 2), after: first) { launch in if launch.attempt == 1 { throw Trouble() } }
        let (events, observe) = AsyncStream.makeStream(of: LaunchEvent.Kind.self)
        var options = virtual()
        options.observers.append { observe.yield($0.kind) }
        let launch = try await graph.start(options: options).end()
        observe.finish()
        #expect(launch.report.outcome == .completed)
        let kinds = await events.reduce(into: []) { $0.append($1) }
        #expect(
            kinds == [
                .launchStarted, .ready("first"), .started("first", attempt: 1), .ended("first", .succeeded), .ready("second"),
                .started("second", attempt: 1), .retrying("second", attempt: 1), .started("second", attempt: 2),
                .ended("second", .succeeded), .launchEnded,
            ]
        )
    }

    @Test("progress counts the steps that have ended")
    func progress() async throws {
        var graph = OperationGraph("progress")
        for index in 0..<5 { graph.add("step-\(index)") {} }
        let (steps, go) = AsyncStream.makeStream(of: Void.self)
        graph.add("waits") { for await _ in steps {} }
        let launch = try graph.start()
        let progress = launch.progress
        #expect(progress.totalUnitCount == 6 && progress.completedUnitCount < 6)
        go.finish()
        _ = await launch.end()
        #expect(progress.isFinished && progress.completedUnitCount == 6)
    }

    @Test("A35: of a graph and its copies one launch runs at a time, unless the app allows more; one that completes once is refused then")
    func oneAtATime() async throws {
        var graph = OperationGraph("only")
        let mayEnd = ExternalEvent<Bool>("may end")
        graph.wait(for: mayEnd)
        let (first, copy) = (try graph.start(), graph)
        let refusal = #expect(throws: GraphError.self) { try copy.start() }
        let message = "'only' is not started, for the launch 'only' runs in this process; wait for its end, or cancel it"
        #expect(refusal?.problems.map(\.code) == [.alreadyRunning] && refusal?.description == "only: \(message)")
        // Another graph, though of the same name; and a scope, which is nobody's second launch.
        #expect(try await OperationGraph("only").run(options: virtual()).report.outcome == .completed)
        try first.addScope("again", graph)
        mayEnd.fulfill(true)
        #expect(await first.end().report.outcome == .completed)
        var once = virtual()
        once.admission = .oncePerProcess
        #expect(try await graph.run(options: once).report.outcome == .completed)
        let late = await #expect(throws: GraphError.self) { try await copy.run(options: once) }
        #expect(late?.problems.map(\.code) == [.alreadyLaunched])
        #expect(try await graph.run(options: virtual()).report.outcome == .completed)
    }

    @Test("a graph can be started as often as one likes: each start is a launch of its own, which can be asked during and after it")
    func again() async throws {
        var graph = OperationGraph("again")
        let step = graph.add("step") { 1 }
        var options = virtual()
        options.admission = .unlimited
        let launches = [try graph.start(options: options), try graph.start(options: virtual())]
        for launch in launches {
            let finished = await launch.end()
            #expect(launch.status.operations.isEmpty && finished.anomalies.isEmpty)
            #expect(try launch.value(of: step) == 1)
            #expect(try finished[step] == 1)
            #expect(await launch.end().report == finished.report)
        }
    }

    @Test("a stall tells how long each operation has waited")
    func stall() async throws {
        var graph = OperationGraph("stalls")
        let profile = graph.add("profile") { launch in try await launch.sleep(for: .seconds(8)) }
        graph.add("main", .milestone, after: profile) {}
        let (stalls, told) = AsyncStream.makeStream(of: [Duration].self)
        var options = virtual()
        options.stallWatch = StallWatch(after: .seconds(5)) { status in told.yield(status.operations.map { status.time - $0.since }) }
        _ = try await graph.run(options: options)
        let waits = await stalls.first { _ in true }
        #expect(waits == [.seconds(5), .seconds(5)])
    }

    @Test("a fault can be injected into any step, to see what the launch makes of it")
    func faults() async throws {
        var graph = OperationGraph("faults")
        graph.add("config", .timeout(.seconds(2)), .onFailure(.continue)) {}
        graph.add("main", .milestone, after: "config") {}
        try graph.inject(.hang, into: "config")
        try graph.inject(.delay(.milliseconds(400)), into: "main")
        let report = try await graph.run(options: virtual()).report
        #expect(report["config"]?.outcome == .timedOut)
        #expect(report.budget.measured == .milliseconds(2400))
        #expect(throws: GraphError.self) { try graph.inject(.fail, into: "nobody") }
        let faults: [Fault] = [.fail, .hang, .crash, .delay(.seconds(10)), .abort(.forceUpdate)]
        let words = ["fails", "hangs", "ends the process", "starts 10 s later", "aborts the launch (force-update)"]
        #expect(faults.map(\.description) == words && Set(faults).count == 5)
    }

    @Test("a step runs when its condition is true of the value of another step", arguments: [true, false])
    func conditionOnAValue(isNew: Bool) async throws {
        var graph = OperationGraph("condition")
        let config = graph.add("config") { isNew }
        graph.add("new-home", .when(config) { $0 }) {}
        graph.add("main", .milestone, after: "new-home") {}
        let report = try await graph.run(options: virtual()).report
        #expect(report["new-home"]?.outcome == (isNew ? .succeeded : .skipped) && report.outcome == .completed)
        #expect(report["new-home"]?.dependencies == ["config"])
    }

    @Test("the options that one part of an app has made can be read and changed by another")
    func changedOptions() async throws {
        var options = LaunchOptions(clock: VirtualClock(), processors: 2)
        options.lanes = 1
        if options.deadline == .automatic { options.deadline = .seconds(60) }
        options.version = options.version ?? "1.4.0"
        #expect(options.queue == nil && options.stallWatch == nil)
        var graph = OperationGraph("options")
        for name in ["first", "second"] { graph.add(name) { launch in try await launch.sleep(for: .seconds(1)) } }
        let report = try await graph.run(options: options).report
        #expect(report["first"]?.start == .zero && report["second"]?.start == .seconds(1))
    }

    @Test("a closure that several steps share knows which of them it is")
    func sharedClosure() async throws {
        var graph = OperationGraph("shared")
        let fetch: @Sendable (StepContext) async throws -> String = { step in "\(step.operation).json" }
        let config = graph.add("config", body: fetch)
        let flags = graph.add("flags", .initialDisplay, body: fetch)
        let launch = try await graph.run(options: virtual())
        #expect(try launch[config] == "config.json" && launch[flags] == "flags.json")
        #expect(launch.report.timeToInitialDisplay == .zero)
    }
}

@MainActor
final class Screen {
    private(set) var shown: [String] = []
    func show(_ name: String) { shown.append(name) }
}
