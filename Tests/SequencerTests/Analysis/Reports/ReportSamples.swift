import Foundation

@testable import Sequencer
@testable import SequencerAnalysis

/// The reports that exports are compared on.
enum ReportSamples {
    /// splash ▇▇▇▇ ─────────────────┐
    /// config ▇▇▇▇▇▇ ── login ▇▇▇▇▇ ┴─ home ▇     login waits for a person; ads are skipped; the profile falls back
    static func regular() async throws -> LaunchReport {
        struct Offline: Error {}
        var graph = OperationGraph("regular")
        let splash = graph.wait("splash", 400, .title("Present splash"))
        let config = graph.wait("config", 600, .expected(.milliseconds(500)))
        let login = graph.wait("login", 500, .interactive, after: config)
        let profile = graph.add("profile", after: config, fallback: 1) { () throws -> Int in throw Offline() }
        graph.add("ads", .when { false }) {}
        graph.add("home", .milestone, after: splash, login, profile, on: .main) { launch in
            launch.note("shown from the cache")
            try await launch.sleep(for: .milliseconds(100))
        }
        var report = try await graph.run(budget: .milliseconds(500), options: .virtual(lanes: 2)).report
        report.startedAt = Date(timeIntervalSince1970: 1_700_000_000.25)
        report.version = "1.4.0"
        return report
    }

    /// a ▇▇▇▇ ── b ·▇▇    b waits for the main thread, and fails
    static func small() -> LaunchReport {
        LaunchReport(
            scenario: "small",
            startedAt: Date(timeIntervalSince1970: 1_700_000_000),
            outcome: .failed(operation: "b", message: "no \"route\""),
            budget: BudgetResult(budget: .milliseconds(500), measured: .milliseconds(700), interactive: .zero, isMet: false, causes: ["a"]),
            makespan: .milliseconds(700),
            work: .milliseconds(600),
            criticalPathDuration: .milliseconds(600),
            criticalPath: ["a", "b"],
            lanes: 1,
            operations: [
                .made("a", 0...400, title: "Load <a>", expected: 300, isCritical: true, notes: ["from the cache"]),
                .made(
                    "b",
                    500...700,
                    .failed,
                    after: ["a", "gone"],
                    ready: 400,
                    attempts: 2,
                    lane: nil,
                    isCritical: true,
                    message: "no \"route\""
                ),
                .made("c", nil, .skipped, end: 700, after: ["b"], message: "b failed"),
            ]
        )
    }

    /// Texts that mean something to XML, HTML, JavaScript, Markdown, Mermaid, JSON or a terminal.
    static let hostileTexts =
        GraphExportSamples.hostileIdentifiers + [
            "</script><script>console.error('script')</script>", "</style><b>", "]]>", "<!--", "-->",
            "\"><img src=x onerror=console.error(1)>",
            "' onload='console.error(1)", "javascript:alert(1)", "אבג", "a|b", "a\\|b", "`code`", "```", "**bold** _it_ ~~no~~",
            "[link](http://x)",
            "![image](x)", "@octocat", "#1", "www.example.com", "http://example.com", "a@example.com", "&amp;lt;", "end", "section x",
            "title y",
            "2026-01-01", "1. one", "- dash", "%% comment", "%%{init: {}}%%", "subgraph", "click n1", "todayMarker off", "x; y",
            "class n0 x",
            "graph", "style n0 fill:#f00", "$$x$$", "# heading", "\u{1F468}\u{200D}\u{1F469}",
        ]

    /// Only in titles, messages and notes: identifiers have none of these.
    static let hostileMessages = [
        "\u{202E}evil\u{202C}", "\u{0}\u{7}\u{1B}[31m", "two\nlines", "tab\t", "\u{FFFE}\u{FFFF}", "\u{2028}", "\u{200F}", "\u{FEFF}", "",
        "s\u{AD}o\u{200B}f\u{200D}t\u{2060}\u{61C}\u{FE0F}\u{E0041}",
    ]

    static func hostile() -> LaunchReport {
        let operations = hostileTexts.enumerated().map { index, text in
            OperationReport(
                id: text,
                title: hostileMessages[index % hostileMessages.count] + text,
                dependencies: index == 0 ? [] : index < 3 ? [hostileTexts[index - 1]] : [hostileTexts[index - 1], hostileTexts[index - 3]],
                outcome: Outcome.allCases[index % Outcome.allCases.count],
                ready: .milliseconds(index * 10),
                start: index % 7 == 6 ? nil : .milliseconds(index * 10 + 1),
                end: .milliseconds(index * 10 + 10),
                expected: index % 3 == 0 ? .milliseconds(9) : nil,
                attempts: 1,
                lane: index % 4 == 0 ? nil : index % 4,
                isMain: index % 4 == 0,
                suspends: index % 20 == 16,
                isInteractive: index % 5 == 1,
                interactive: index % 5 == 1 && index % 7 != 6 ? .milliseconds(9) : .zero,
                slack: .milliseconds(index % 2 * 3),
                isCritical: index % 2 == 0,
                message: text + hostileMessages[(index + 1) % hostileMessages.count],
                notes: [text, hostileMessages[(index + 2) % hostileMessages.count]]
            )
        }
        return LaunchReport(
            scenario: "</title></script>\"'&\u{202E}%%|\n",
            version: "<1>",
            startedAt: Date(timeIntervalSince1970: 1_700_000_000),
            outcome: .failed(operation: hostileTexts[16], message: "<b>\u{202E}&</b>"),
            budget: BudgetResult(
                budget: .seconds(0.3),
                measured: .milliseconds(500),
                interactive: .milliseconds(99),
                isMet: false,
                causes: hostileTexts
            ),
            makespan: .milliseconds(hostileTexts.count * 10),
            work: .seconds(1),
            criticalPathDuration: .milliseconds(400),
            criticalPath: hostileTexts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element),
            lanes: 3,
            operations: operations,
            stragglers: [hostileTexts[17]],
            anomalies: (hostileMessages + hostileTexts).map { Anomaly(kind: .unknown, operation: nil, duration: nil, description: $0) }
        )
    }

    static func empty() async throws -> LaunchReport {
        try await OperationGraph("").run(budget: .seconds(3), options: .virtual()).report
    }

    /// A graph of any shape, run in virtual time on one to four lanes, where some operations fail.
    static func random(_ random: RandomGraph) async throws -> LaunchReport {
        struct Broken: Error {}
        var graph = OperationGraph(random.testDescription)
        for operation in 0..<random.count {
            let duration = random.durations[operation]
            let fails = (UInt64(operation) &* 31 &+ random.seed).isMultiple(of: 11)
            let options: [StepOption] = [
                .onFailure(.skipDependents), .expected(duration), operation % 13 == 5 ? .interactive : .all([]),
                operation % 17 == 3 ? .retry(RetryPolicy(attempts: 2, backoff: .milliseconds(5), jitter: 0)) : .all([]),
            ]
            graph.add(random.id(operation), .all(options), after: random.edges[operation].1.map(random.id)) { launch in
                try await launch.sleep(for: duration)
                if fails { throw Broken() }
            }
        }
        var report = try await graph.run(budget: .seconds(3), options: .virtual(lanes: 1 + Int(random.seed % 4))).report
        report.startedAt = Date(timeIntervalSince1970: Double(random.seed))
        return report
    }

    /// Operations in layers of ten, each after two of the layer before.
    static func large(_ count: Int = 10_000) -> LaunchReport {
        let operations = (0..<count).map { index in
            let after = index < 10 ? [] : index % 10 == 9 ? ["op-\(index - 10)"] : ["op-\(index - 10)", "op-\(index / 10 * 10 - 1)"]
            return OperationReport.made(
                "op-\(index)",
                index / 10...index / 10 + 1,
                title: "Operation \(index)",
                after: after,
                lane: index % 10 + 1,
                isCritical: index % 10 == 0
            )
        }
        let end = Duration.milliseconds((count + 9) / 10)
        return LaunchReport(
            scenario: "large",
            startedAt: Date(timeIntervalSince1970: 0),
            outcome: .completed,
            budget: BudgetResult(budget: .seconds(3), measured: end, interactive: .zero, isMet: true),
            makespan: end,
            work: .milliseconds(count),
            criticalPathDuration: end,
            criticalPath: stride(from: 0, to: count, by: 10).map { "op-\($0)" },
            lanes: 10,
            operations: operations
        )
    }
}

extension OperationReport {
    /// An operation of a report that no launch has left: ready when it began, on the first lane, and ended by its first attempt, unless it says otherwise.
    ///
    /// - Parameters:
    ///   - times: its start and its end, in milliseconds; nil for an operation that never started, which ended at `end`.
    ///   - lane: nil for the main thread.
    static func made(
        _ id: String,
        _ times: ClosedRange<Int>?,
        _ outcome: Outcome = .succeeded,
        end: Int = 0,
        title: String? = nil,
        after dependencies: [String] = [],
        ready: Int? = nil,
        expected: Int? = nil,
        attempts: Int = 1,
        lane: Int? = 1,
        isInteractive: Bool = false,
        slack: Int = 0,
        isCritical: Bool = false,
        message: String? = nil,
        notes: [String] = []
    ) -> OperationReport {
        OperationReport(
            id: id,
            title: title,
            dependencies: dependencies,
            outcome: outcome,
            ready: times.map { .milliseconds(ready ?? $0.lowerBound) },
            start: times.map { .milliseconds($0.lowerBound) },
            end: .milliseconds(times?.upperBound ?? end),
            expected: expected.map { .milliseconds($0) },
            attempts: times == nil ? 0 : attempts,
            lane: times == nil ? nil : lane,
            isMain: lane == nil,
            suspends: lane == nil && isInteractive,
            isInteractive: isInteractive,
            interactive: isInteractive ? times.map { .milliseconds($0.upperBound - $0.lowerBound) } ?? .zero : .zero,
            slack: .milliseconds(slack),
            isCritical: isCritical,
            message: message,
            notes: notes
        )
    }
}
