import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

/// What is left of a launch, and what the next one learns from it.
@Suite("Public API: reports, histories and plans", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportTests {
    private func graph(_ milliseconds: Int = 300) -> OperationGraph {
        var graph = OperationGraph("launch")
        let config = graph.add("config", .title("Configuration")) { launch in
            launch.note("from the cache")
            try await launch.sleep(for: .milliseconds(milliseconds))
        }
        graph.add("main", .milestone, after: config) { launch in try await launch.sleep(for: .milliseconds(100)) }
        return graph
    }

    private func run(_ graph: OperationGraph) async throws -> LaunchReport { try await graph.run(options: virtual()).report }

    @Test("a report says what each step did, and when")
    func operations() async throws {
        let report = try await run(graph())
        let config = try #require(report["config"])
        #expect(config.title == "Configuration" && config.notes == ["from the cache"] && config.isCritical)
        #expect(config.start == .zero && config.end == .milliseconds(300) && config.duration == .milliseconds(300))
        #expect(report["main"]?.dependencies == ["config"] && report["main"]?.ready == .milliseconds(300))
        #expect(report.makespan == .milliseconds(400) && report["nobody"] == nil)
    }

    @Test("a report as JSON is a document with a schema, and says what the report says")
    func json() async throws {
        let text = try await run(graph()).json()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "sequencer.report/1" && object["outcome"] as? String == "completed")
        let operations = try #require(object["operations"] as? [[String: Any]])
        #expect(operations.map { $0["id"] as? String } == ["config", "main"])
        #expect(operations.map { $0["durationMs"] as? Double } == [300, 100])
    }

    @Test("every other export names the steps")
    func exports() async throws {
        let report = try await run(graph())
        for text in [
            report.markdown(), report.html(), report.svg(), report.chromeTrace(),
            try report.otlp(startedAt: Date(timeIntervalSince1970: 1)),
        ] {
            #expect(text.contains("config") && text.contains("main"))
        }
    }

    @Test("the same launch in virtual time and with the same seed has the same times, whatever is left to chance")
    func repeatable() async throws {
        var graph = graph()
        graph.add("random", .retry(attempts: 4, backoff: .milliseconds(10)), .onFailure(.continue)) { throw Trouble() }
        var times: Set<[Duration]> = []
        for _ in 0..<3 {
            let report = try await graph.run(options: LaunchOptions(clock: VirtualClock(), seed: 7)).report
            times.insert(report.operations.map(\.end))
        }
        #expect(times.count == 1)
    }

    @Test("a history expects of the next launch what the last ones took")
    func history() async throws {
        var history = LaunchHistory()
        for milliseconds in [100, 300, 900] { history.record(try await run(graph(milliseconds))) }
        #expect(history.expectedDurations(in: "launch")["config"] == .milliseconds(300))
        var next = graph()
        next.expect(history)
        #expect(try next.validated().criticalPathDuration == .milliseconds(400))
    }

    @Test("a history is kept in a file from launch to launch")
    func historyFile() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-history-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = LaunchHistoryFile(url)
        #expect(try file.read().isEmpty)
        try file.record(try await run(graph()))
        #expect(try LaunchHistoryFile(url).read().durations(of: "config", in: "launch") == [.milliseconds(300)])
    }

    @Test("a plan says how long a launch will take on so many lanes, and what a quicker step would change")
    func plan() async throws {
        var graph = OperationGraph("plan")
        for name in ["a", "b", "c"] { graph.add(name, .expected(.milliseconds(100))) {} }
        let valid = try graph.validated()
        #expect(try await valid.plan(PlanOptions(lanes: 1)).makespan == .milliseconds(300))
        #expect(try await valid.plan(PlanOptions(lanes: 3)).makespan == .milliseconds(100))
        var options = PlanOptions()
        options.lanes = 1
        let sequential = try await valid.plan(options)
        #expect(sequential.makespan == sequential.lowerBound && sequential.criticalPath.count == 1)
        #expect(sequential.operations.allSatisfy { $0.lane == 1 && !$0.isMain } && sequential["b"]?.duration == .milliseconds(100))
        let quicker = try await valid.plan(PlanOptions(lanes: 1, whatIf: ["a": .milliseconds(10)]))
        #expect(quicker.makespan == .milliseconds(210) && quicker.meets(.milliseconds(250)))
        graph.add("later", .expected(.milliseconds(100)), .deferrable) {}
        graph.add("home", .milestone, .expected(.milliseconds(10)), after: "later") {}
        #expect(try await graph.plan(PlanOptions(budget: .milliseconds(50)))["later"]?.isDeferred == true)
    }
}
