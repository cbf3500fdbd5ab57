import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Writes every export of every sample into the folder that `SEQUENCER_SAMPLES` names, for `Scripts/check-formats` to show to other programs.
@Suite("Samples of every export", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExportSampleFiles {
    static let folder = ProcessInfo.processInfo.environment["SEQUENCER_SAMPLES"]

    @Test("are written where other programs read them", .enabled(if: folder != nil))
    func write() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ text: String, _ name: String) throws {
            try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        var reports = ["regular": try await ReportSamples.regular(), "hostile": ReportSamples.hostile(), "large": ReportSamples.large()]
        reports["small"] = ReportSamples.small()
        reports["empty"] = try await ReportSamples.empty()
        reports["empty"]?.startedAt = Date(timeIntervalSince1970: 0)
        for random in RandomGraph.many(14, operations: 1...80) { reports["random-\(random.seed)"] = try await ReportSamples.random(random) }
        for (name, report) in reports {
            try write(report.json(), "\(name).report.json")
            try write(report.html(), "\(name).html")
            try write(report.svg(), "\(name).svg")
            try write(report.markdown(), "\(name).md")
            try write(report.chromeTrace(), "\(name).chrome.json")
            try write(report.otlp(), "\(name).otlp.json")
        }
        // Not for those who read OTLP and Chrome traces: they look for the operations of the launch alone.
        var (window, scopes) = (try await ReportSamples.regular(), try await ReportSamples.regular())
        window.scopes = [LaunchReport.Scope(name: "sync", start: .milliseconds(20), report: ReportSamples.small())]
        scopes.scopes = [LaunchReport.Scope(name: "window", start: .milliseconds(610), report: window)]
        try write(scopes.json(), "scopes.page.json")
        try write(scopes.html(), "scopes.html")
        try write(scopes.svg(), "scopes.svg")
        for (name, graph) in ["launch": try GraphExportSamples.launch(), "hostile": try Self.hostileGraph()] {
            try write(graph.json(), "\(name).graph.json")
            try write(graph.mermaid(), "\(name).flowchart.mmd")
            try write(graph.gantt(), "\(name).gantt.mmd")
        }
    }

    /// Every hostile text as an identifier, and again, with what identifiers cannot hold, as a title.
    private static func hostileGraph() throws -> ValidatedGraph {
        var graph = OperationGraph("</title>\"'&%%|\n%%{init: {}}%%")
        var previous: [String] = []
        for (index, text) in ReportSamples.hostileTexts.enumerated() {
            graph.join(text, .expected(.milliseconds(index % 5 * 20)), after: previous)
            previous = [text]
        }
        for (index, text) in (ReportSamples.hostileTexts + ReportSamples.hostileMessages).enumerated() {
            graph.add(
                "title-\(index)",
                .title(text),
                .expected(.milliseconds(20)),
                index % 3 == 0 ? .interactive : .milestoneIf(index == 1),
                on: .main
            ) {}
        }
        return try graph.validated()
    }
}

extension StepOption {
    fileprivate static func milestoneIf(_ isMilestone: Bool) -> StepOption { .all(isMilestone ? [.milestone] : []) }
}
