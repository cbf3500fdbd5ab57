import Foundation
import StartupOps
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis
@testable import sequencer_cli

/// Exports of this tool are read as those of other tools are.
@Suite("Exported and imported again", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ImportedExportTests {
    @Test(
        "The launch of each built-in scenario keeps its operations, their times and what each waited for",
        arguments: Scenario.all.map(\.name)
    )
    func launch(name: String) async throws {
        let report = try await LoadedReport.load(name)
        let ran = report.operations.filter { $0.start != nil }
        let otlp = try report.otlp(startedAt: Date(timeIntervalSince1970: 1_700_000_000))
        for (text, skipped) in [(report.chromeTrace(), 0), (otlp, report.operations.count - ran.count)] {
            let launch = try #require(try ImportedFile(Array(text.utf8), file: "f").launches.first)
            let found = try launch.report()
            #expect(found.scenario == report.scenario && found.makespan == report.makespan)
            // Operations that never started are instants in a trace, and spans without a length.
            #expect(found.operations.count == ran.count + skipped)
            for operation in ran {
                let other = try #require(found[operation.id])
                // What takes no time has a slice of a nanosecond, and comes after such.
                #expect(abs(other.end.nanoseconds - operation.end.nanoseconds) < 1000)
                #expect(abs((other.start ?? .zero).nanoseconds - (operation.start ?? .zero).nanoseconds) < 1000)
                let waitedFor = operation.dependencies.filter { id in
                    report[id].map { $0.start != nil && $0.end <= operation.start ?? .zero } == true
                }
                #expect(Set(waitedFor).isSubset(of: other.dependencies), "\(name) \(operation.id)")
                if skipped > 0 { #expect(other.outcome == operation.outcome) }
            }
        }
    }
}
