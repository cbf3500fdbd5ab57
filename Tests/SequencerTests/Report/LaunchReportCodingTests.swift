import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// A report that was written is read as the same report, by whichever encoder it was written.
@Suite("Reports that are read again", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchReportCodingTests {
    /// Every way in which a report is written, read again.
    private func copies(of report: LaunchReport) throws -> [LaunchReport] {
        let encoder = JSONEncoder()
        let sorted = JSONEncoder()
        sorted.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let documents = [
            try encoder.encode(report), try sorted.encode(report), Data(report.json().utf8), Data(report.json(pretty: false).utf8),
        ]
        return try documents.map { try JSONDecoder().decode(LaunchReport.self, from: $0) }
    }

    // MARK: The same report

    @Test("random launches in virtual time, with every kind of trouble")
    func randomLaunches() async throws {
        for seed in 1...UInt64(Nightly.times(day: 20, night: 200)) {
            let plan = RandomLaunch(seed: seed, sizes: 1...30, isQuiet: seed.isMultiple(of: 2))
            let report = try await PlannedLaunch(plan).run(clock: VirtualClock(patience: .seconds(300))).report
            for copy in try copies(of: report) { #expect(copy == report, "seed \(seed)") }
        }
    }

    @Test("budgets and expected times that are decimal numbers of seconds")
    func decimals() async throws {
        for tenths in 1...100 {
            var graph = OperationGraph("decimals")
            graph.add("main", .milestone, .expected(.seconds(Double(tenths) / 10 + 0.1))) {}
            let report = try await graph.run(budget: .seconds(Double(tenths) / 10), options: .virtual()).report
            #expect(report.budget.budget?.limit == .milliseconds(tenths * 100))
            for copy in try copies(of: report) { #expect(copy == report) }
        }
    }

    @Test("the report of a scope does not repeat the attributes of the launch; it has those that it is given")
    func attributesOfScopes() async throws {
        var (options, own) = (LaunchOptions.virtual(), LaunchOptions.virtual())
        options.attributes = ["start.type": "cold"]
        own.attributes = ["window.kind": "chat"]
        var window = OperationGraph("window")
        window.add("main", .milestone) {}
        var graph = OperationGraph("app")
        graph.add("restore-windows") { [window, own] step in
            try step.addScope("window-2", window)
            try step.addScope("window-3", window, options: own)
            try await step.sleep(for: .seconds(1))
        }
        let report = try await graph.run(options: options).report
        #expect(report.attributes == ["start.type": "cold"])
        #expect(report.scopes.map(\.report.attributes) == [[:], ["window.kind": "chat"]])
    }

    @Test("a report with everything that a report can have, and one with nothing of it")
    func extremes() throws {
        for report in [Self.everything, Self.nothing] {
            for copy in try copies(of: report) { #expect(copy == report) }
        }
    }

    @Test("a coder that is none of JSON reads what it has written")
    func propertyLists() throws {
        for report in [Self.everything, Self.nothing] {
            let data = try PropertyListEncoder().encode(report)
            #expect(try PropertyListDecoder().decode(LaunchReport.self, from: data) == report)
        }
    }

    @Test("reports of other versions: without the keys that came later, with keys that are to come, with kinds that nobody knows yet")
    func versions() throws {
        let text = #"""
            {"schema":"sequencer.report/1","scenario":"old","outcome":"completed","to come":[1,{}],
            "budget":{"limitMs":3000,"measuredMs":800,"interactiveMs":0,"verdict":"pass"},
            "makespanMs":800.000001,"workMs":2,"criticalPathMs":1,"criticalPath":["a"],"lanes":4,
            "operations":[{"id":"a","outcome":"succeeded","readyMs":null,"startMs":null,"endMs":1,"waitMs":null,"durationMs":null,"slackMs":0,
            "critical":false,"lane":null,"attempts":0}],
            "anomalies":["a finished more than once","the process went for a walk"],"anomalyDetails":[{"kind":"walked","operation":"a"}]}
            """#
        let report = try JSONDecoder().decode(LaunchReport.self, from: Data(text.utf8))
        #expect(report.milestone == nil && report.standstill == .zero && report.suspended == .zero && report.threadsLeftBehind == 0)
        #expect(report.makespan == .nanoseconds(800_000_001))
        #expect(report.budget.budget == .seconds(3))
        #expect(report.anomalies.map(\.kind) == [Anomaly.Kind(name: "walked"), .unknown])
        #expect(report.anomalies.map(\.operation) == ["a", nil])
        #expect(report.anomalies.map(\.description) == ["a finished more than once", "the process went for a walk"])
    }

    // MARK: Reports by hand

    /// Everything that can be left out is there.
    static var everything: LaunchReport {
        LaunchReport(
            scenario: "first \"launch\"\n\u{1F468}\u{200D}\u{1F469}",
            version: "1.4.0",
            attributes: ["start.type": "cold", "a \"name\"\u{0}": ""],
            startedAt: Date(timeIntervalSince1970: 1_700_000_000.25),
            outcome: .failed(operation: "login", message: "no \"route\"\u{0}"),
            budget: BudgetResult(
                budget: Budget(.nanoseconds(500_000_001), fromProcessStart: true, isEnforced: false),
                measured: .nanoseconds(700_123_456),
                interactive: .nanoseconds(1),
                questions: [.zero..<(.nanoseconds(1)), .seconds(1)..<(.milliseconds(2_500))],
                isMet: false,
                causes: ["config", "login"]
            ),
            milestone: "main",
            beforeRun: .nanoseconds(583_000_001),
            makespan: .nanoseconds(800_000_007),
            work: .seconds(2),
            criticalPathDuration: .milliseconds(700),
            criticalPath: ["config", "login"],
            lanes: 2,
            hasLaneLimit: true,
            resourceLimits: ["net": 2, "disk \"1\"": 1_024],
            operations: [
                OperationReport(
                    id: "config",
                    title: "Configuration",
                    dependencies: ["login", "main"],
                    outcome: .fellBack,
                    failure: .timedOut,
                    ready: .nanoseconds(3),
                    start: .nanoseconds(5),
                    end: .milliseconds(400),
                    expected: .nanoseconds(300_000_001),
                    attempts: 3,
                    lane: 12,
                    exclusive: ["ui", "disk \"1\""],
                    isInteractive: true,
                    interactive: .milliseconds(7),
                    slack: .nanoseconds(9),
                    isCritical: true,
                    isCut: true,
                    isDeferred: true,
                    isCuttable: true,
                    isDeferrable: true,
                    message: "not ended after its timeout of 400 ms",
                    processorTime: .nanoseconds(100_000_001),
                    runnableTime: .milliseconds(250),
                    notes: ["from the cache", ""]
                ),
                OperationReport(
                    id: "login",
                    outcome: .failed,
                    ready: .zero,
                    start: .zero,
                    end: .milliseconds(700),
                    attempts: 1,
                    lane: nil,
                    isMain: true,
                    suspends: true,
                    slack: .zero,
                    isCritical: true,
                    message: ""
                ),
                OperationReport(
                    id: "main",
                    outcome: .cancelled,
                    ready: nil,
                    start: nil,
                    end: .nanoseconds(800_000_007),
                    attempts: 0,
                    lane: nil,
                    isMain: true,
                    slack: .zero,
                    isCritical: false
                ),
            ],
            stragglers: ["login"],
            afterMilestone: LaunchReport.AfterMilestone(
                outcome: .failed(operation: "login", message: "no \"route\""),
                start: .nanoseconds(275_000_001),
                operations: ["login"],
                failures: ["login"],
                stragglers: ["login"]
            ),
            standstill: .milliseconds(600),
            suspended: .nanoseconds(40_000_000_001),
            threadsLeftBehind: 2,
            otherProcessorTime: .nanoseconds(70_000_001),
            processors: 2,
            anomalies: [
                Anomaly(.endedLate, of: "login", after: .nanoseconds(12_345)), Anomaly(.finishedAgain, of: "config"),
                .processStoodStill(for: .milliseconds(600)), .threadsLeftBehind(2),
                Anomaly(kind: Anomaly.Kind(name: "to come"), operation: nil, duration: nil, description: "something else"),
            ],
            scopes: [
                LaunchReport.Scope(name: "window-2", start: .nanoseconds(610_000_001), report: nothing),
                LaunchReport.Scope(name: "account \"3\"", start: .zero, report: nothing),
            ]
        )
    }

    /// Everything that can be left out is left out.
    static let nothing = LaunchReport(
        scenario: "",
        outcome: .completed,
        budget: BudgetResult(budget: nil, measured: .zero, interactive: .zero, isMet: true),
        makespan: .zero,
        work: .zero,
        criticalPathDuration: .zero,
        criticalPath: [],
        lanes: 0,
        operations: []
    )
}
