import Sequencer
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

/// Steps that run, or do not, by the value of another.
@Suite("Public API: conditions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ConditionTests {
    /// ```
    /// flags (300 ms) ─┬───────────────────▶ tips, if the flags say so ──▶ main
    /// sync (20 s) ────┘
    /// ```
    @Test("a condition is asked as soon as its values are there: a step that is switched off does not wait for its after:")
    func earlyCondition() async throws {
        for (isOn, syncFails, syncTime) in [(false, false, 20_000), (true, false, 20_000), (false, true, 20_000), (false, true, 100)] {
            let asked = ExternalEvent<Void>("asked")
            var graph = OperationGraph("early")
            let flags = graph.add("flags") { step in
                try await step.sleep(for: .milliseconds(300))
                return isOn
            }
            graph.add("sync", .onFailure(.skipDependents)) { step in
                try await step.sleep(for: .milliseconds(syncTime))
                if syncFails { throw Trouble() }
            }
            let condition = StepOption.when(flags) { flags in
                #expect(asked.fulfill(), "it is asked once")
                return flags
            }
            graph.add("tips", condition, .exclusive("screen"), after: "sync") {}
            graph.add("main", .milestone, after: "tips") {}
            let report = try await graph.run(options: virtual()).report
            let time = Duration.milliseconds(isOn ? syncTime : 300)
            #expect(report.outcome == .completed && report["main"]?.start == time && asked.result != nil)
            #expect(report["tips"]?.outcome == (isOn ? .succeeded : .skipped) && report["tips"]?.end == time)
            #expect(report["tips"]?.ready == time && report["tips"]?.message == (isOn ? nil : "its condition was false"))
            #expect(report.criticalPath == (isOn ? ["sync", "tips", "main"] : ["flags", "main"]))
        }
    }

    @Test("a condition without values is asked when the step could start; one that throws ends its step at once")
    func otherConditions() async throws {
        var graph = OperationGraph("others")
        let done = ExternalEvent<Void>("done")
        let flags = graph.add("flags") { true }
        let sync = graph.add("sync") { step in
            try await step.sleep(for: .seconds(20))
            done.fulfill()
        }
        graph.add("reads-state", .when { done.result != nil }, after: sync) {}
        graph.add("throws", .when(flags) { _ in throw Trouble() }, .onFailure(.continue), after: sync) {}
        graph.add("main", .milestone, after: "throws") {}
        let report = try await graph.run(options: virtual()).report
        #expect(report["reads-state"]?.outcome == .succeeded && report["reads-state"]?.start == .seconds(20))
        #expect(report["throws"]?.outcome == .failed && report["throws"]?.end == .zero && report["main"]?.end == .zero)
    }

    @Test("each of several conditions is asked as soon as its own values are there: the first that is false skips the step")
    func severalConditions() async throws {
        for (isFirst, isSecond) in [(false, true), (true, false), (true, true)] {
            var graph = OperationGraph("several")
            let early = graph.add("early") { step in
                try await step.sleep(for: .seconds(1))
                return isFirst
            }
            let late = graph.add("late") { step in
                try await step.sleep(for: .seconds(20))
                return isSecond
            }
            graph.add("sync") { step in try await step.sleep(for: .seconds(30)) }
            graph.add("tips", .when(early) { $0 }, .when(late) { $0 }, after: "sync") {}
            graph.add("banner", .when { true }, .when(early) { $0 }, after: "sync") {}
            let shown = graph.add("shown", after: "tips") {}
            graph.add("main", .milestone, after: shown, "sync") {}
            // The step before may be skipped before the other one has ended.
            #expect(try graph.validated().reduced().dependencies(of: "main") == ["shown", "sync"])
            let report = try await graph.run(options: virtual()).report
            let end = Duration.seconds(isFirst ? isSecond ? 30 : 20 : 1)
            #expect(report["tips"]?.outcome == (isFirst && isSecond ? .succeeded : .skipped))
            #expect(report["tips"]?.end == end && report["shown"]?.end == end && report["main"]?.end == .seconds(30))
            #expect(report["banner"]?.end == .seconds(isFirst ? 30 : 1) && report.outcome == .completed)
        }
    }

    @Test("a step that was asked early can be cancelled while it waits on; the launch waits for its dependencies first")
    func cancelledAfterAnswer() async throws {
        var graph = OperationGraph("cancelled")
        let flags = graph.add("flags") { true }
        let running = ExternalEvent<RunningLaunch>("running")
        let sync = graph.add("sync") { step in
            try await step.sleep(for: .seconds(1))
            try await running.value.cancel("tips")
            try await step.sleep(for: .seconds(1))
        }
        graph.add("tips", .when(flags) { $0 }, .onFailure(.continue), after: sync) {}
        let clock = VirtualClock(patience: .seconds(300))
        let launch = try clock.hold {
            let launch = try graph.start(options: LaunchOptions(clock: clock))
            running.fulfill(launch)
            return launch
        }
        let report = await launch.end().report
        #expect(report["tips"]?.outcome == .cancelled && report["tips"]?.end == .seconds(2) && report.outcome == .completed)
    }
}
