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
        for seed in 1...UInt64(Nightly.times(day: 50, night: 200)) {
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

    @Test("launches in real time, whose times are no round numbers, and which have a date")
    func realTime() async throws {
        for _ in 0..<100 {
            var graph = OperationGraph("real")
            let first = graph.add("first", .expected(.milliseconds(1))) { await Task.yield() }
            graph.add("main", .milestone, after: first, on: .main) {}
            var options = LaunchOptions.patient
            options.version = "1.4.0 (7)"
            options.attributes = ["start.type": "cold", "device.model.identifier": "iPhone17,1"]
            let report = try await graph.run(budget: .seconds(0.1), options: options).report
            #expect(report.startedAt != nil && report.attributes == options.attributes)
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

    @Test("made-up reports, in which each part is there or not")
    func madeUp() throws {
        for seed in 1...UInt64(Nightly.times(day: 120, night: 500)) {
            var random = SplitMix64(seed: seed)
            let report = Self.madeUp(&random)
            for copy in try copies(of: report) { #expect(copy == report, "seed \(seed)") }
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
                    message: "not ended after its timeout of 400 ms",
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

    /// A report that no launch need have left, but could be written.
    ///
    /// - Parameter depth: the number of scopes that it is in.
    private static func madeUp(_ random: inout SplitMix64, depth: Int = 0) -> LaunchReport {
        func chance() -> Bool { Bool.random(using: &random) }
        func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        func time() -> Duration { .nanoseconds(Int64.random(in: 0...one(of: [1, 1_000_000, 100_000_000_000]), using: &random)) }
        func text() -> String { one(of: ["", "a", "Zürich", "\"\\\n\u{7}", "\u{1F468}\u{200D}\u{1F469}", "\u{2028}"]) }
        let ids = (0..<Int.random(in: 0...6, using: &random)).map { "op\($0) \(text())" }
        let operations = ids.map { id in
            let isMain = chance()
            let start = chance() ? time() : nil
            return OperationReport(
                id: id,
                title: chance() ? text() : nil,
                dependencies: ids.filter { _ in chance() && chance() },
                outcome: one(of: Outcome.allCases),
                failure: chance() ? one(of: [Outcome.failed, .timedOut, .cancelled]) : nil,
                ready: chance() ? time() : nil,
                start: start,
                end: time(),
                expected: chance() ? time() : nil,
                attempts: Int.random(in: 0...9, using: &random),
                lane: isMain || start == nil ? nil : Int.random(in: 1...1024, using: &random),
                isMain: isMain,
                isInteractive: chance(),
                interactive: chance() ? time() : .zero,
                slack: time(),
                isCritical: chance(),
                isCut: chance(),
                isDeferred: chance(),
                message: chance() ? text() : nil,
                notes: chance() ? [text(), text()] : []
            )
        }
        let outcomes: [LaunchReport.Outcome] = [
            .completed, .cancelled, .aborted(by: text(), reason: AbortReason(text())),
            .failed(operation: text(), message: text()),
        ]
        let (outcome, milestone) = (one(of: outcomes), ids.isEmpty || chance() ? nil : one(of: operations))
        let budget = chance() ? Budget(time(), fromProcessStart: !chance(), isEnforced: chance()) : nil
        let measured = time()
        // Only a verdict that nothing contradicts is read as it was written.
        let isMet =
            chance() && measured <= budget?.limit ?? measured && LaunchReport.canMeetBudget(outcome.name, milestone: milestone?.outcome)
        let afterMilestone = LaunchReport.AfterMilestone(
            outcome: chance() ? one(of: outcomes) : nil,
            start: time(),
            operations: Array(ids.prefix(1)),
            failures: ids.filter { _ in chance() },
            stragglers: ids.filter { _ in chance() }
        )
        let inner = depth < 3 && chance() ? madeUp(&random, depth: depth + 1) : chance() ? nothing : everything
        let names = ["", "window 2", "<b>"].prefix(Int.random(in: 0...3, using: &random))
        let scopes = names.enumerated().map { LaunchReport.Scope(name: $1, start: time(), report: $0 == 0 ? inner : nothing) }
        let kinds: [Anomaly.Kind] = [.finishedAgain, .endedLate, .abortedTooLate, .processStoodStill, Anomaly.Kind(name: text())]
        return LaunchReport(
            scenario: text(),
            version: chance() ? text() : nil,
            attributes: chance() ? [text(): text()] : [:],
            startedAt: chance() ? Date(timeIntervalSince1970: Double(Int.random(in: 0...2_000_000_000_000, using: &random)) / 1000) : nil,
            isVirtual: chance(),
            outcome: outcome,
            budget: BudgetResult(
                budget: budget,
                measured: measured,
                interactive: time(),
                questions: chance() ? [(.zero)..<time(), .seconds(200)..<(.seconds(200) + time())] : [],
                isMet: isMet,
                causes: isMet ? [] : ids.filter { _ in chance() }
            ),
            milestone: milestone?.id,
            beforeRun: budget?.isFromProcessStart == true && chance() ? time() : nil,
            makespan: time(),
            work: time(),
            criticalPathDuration: time(),
            criticalPath: ids.filter { _ in chance() },
            lanes: Int.random(in: 0...64, using: &random),
            operations: operations,
            stragglers: ids.filter { _ in chance() },
            afterMilestone: chance() && !ids.isEmpty ? afterMilestone : nil,
            standstill: chance() ? time() : .zero,
            suspended: chance() ? time() : .zero,
            threadsLeftBehind: chance() ? 3 : 0,
            anomalies: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Anomaly(
                    kind: one(of: kinds),
                    operation: chance() ? text() : nil,
                    duration: chance() ? time() : nil,
                    description: text()
                )
            },
            scopes: scopes
        )
    }
}
