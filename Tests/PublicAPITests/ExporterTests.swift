import Sequencer
import TestSupport
import Testing

/// A bar that a report's operation is drawn as, in milliseconds from the beginning of the launch.
private struct Bar: Equatable {
    let name: String
    let start: Double
    let end: Double
    var expectedEnd: Double?
    var slack = 0.0
    var person = 0.0
}

/// The tracks of a launch and of its scopes, as a profiler draws them: one for the main thread, one for each lane.
private struct Tracks {
    private(set) var bars: [String: [Bar]] = [:]

    init(_ report: LaunchReport) { add(report, from: .zero, in: "") }

    private mutating func add(_ report: LaunchReport, from origin: Duration, in scope: String) {
        func milliseconds(_ time: Duration) -> Double { (origin + time) / .milliseconds(1) }
        for operation in report.operations {
            guard let start = operation.start else { continue }
            var bar = Bar(
                name: operation.title ?? operation.id,
                start: milliseconds(start),
                end: milliseconds(operation.end),
                expectedEnd: operation.expected.map { milliseconds(start + $0) }
            )
            if !operation.isCritical { bar.slack = operation.slack / .milliseconds(1) }
            bar.person = operation.interactive / .milliseconds(1)
            let track = operation.isMain ? "main" : "lane \(operation.lane ?? 0)"
            bars[scope + track, default: []].append(bar)
        }
        for inner in report.scopes { add(inner.report, from: origin + inner.start, in: "\(scope)\(inner.name)/") }
    }
}

/// An app draws a launch by a report alone, in a format of its own.
@Suite("Public API: an export of the app's own", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExporterTests {
    private func report() async throws -> LaunchReport {
        var window = OperationGraph("window")
        window.add("open", .milestone) { step in try await step.sleep(for: .milliseconds(200)) }
        var graph = OperationGraph("launch")
        let config = graph.add("config", .title("Configuration"), .expected(.milliseconds(200))) { [window] step in
            try await step.sleep(for: .milliseconds(100))
            try step.addScope("window-2", window)
            try await step.sleep(for: .milliseconds(200))
        }
        graph.add("tips") { step in try await step.sleep(for: .milliseconds(100)) }
        let terms = graph.add("terms", .interactive, .exclusive(.userInterface), after: config) { step in
            try await step.sleep(for: .milliseconds(500))
        }
        graph.add("main-app", .milestone, after: terms, on: .main) {}
        var options = virtual()
        options.lanes = 3
        options.version = "1.4.0"
        return try await graph.run(budget: Budget(.seconds(1), isEnforced: false), options: options).report
    }

    @Test("each operation is on its lane or the main thread, with expectation, slack and the person's time, and scopes where they began")
    func tracks() async throws {
        let report = try await report()
        let bars = Tracks(report).bars
        #expect(bars["main"] == [Bar(name: "main-app", start: 800, end: 800)])
        #expect(bars["window-2/lane 1"] == [Bar(name: "open", start: 100, end: 300)])
        // Which lane is whose is the engine's to choose.
        let lanes = bars.filter { $0.key.hasPrefix("lane ") }
        #expect(lanes.keys.allSatisfy { ["lane 1", "lane 2", "lane 3"].contains($0) } && report["config"]?.lane != report["tips"]?.lane)
        #expect(
            lanes.values.joined().sorted { $0.name < $1.name } == [
                Bar(name: "Configuration", start: 0, end: 300, expectedEnd: 200),
                Bar(name: "terms", start: 300, end: 800, person: 500),
                Bar(name: "tips", start: 0, end: 100, slack: 700),
            ]
        )
        for bars in lanes.values {
            for (earlier, later) in zip(bars, bars.dropFirst()) { #expect(earlier.end <= later.start) }
        }
    }

    @Test("the head of a drawing: the version, the lanes, the budget and how it is kept, and when a person was asked")
    func head() async throws {
        let report = try await report()
        #expect(report.version == "1.4.0" && report.lanes == 3 && report.timeToInitialDisplay == nil)
        #expect(report.budget.questions == [Duration.milliseconds(300)..<Duration.milliseconds(800)])
        #expect(report.budget.measured == .milliseconds(300) && report.budget.interactive == .milliseconds(500))
        #expect(report.budget.budget?.limit == .seconds(1) && report.budget.budget?.description == "1 s, only measured")
        #expect(report["terms"]?.ready == report["terms"]?.start)
        #expect(report.scopes.map(\.start) == [.milliseconds(100)])
    }
}
