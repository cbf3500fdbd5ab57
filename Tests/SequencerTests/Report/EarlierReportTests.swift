import Foundation
import Sequencer
import TestSupport
import Testing

/// Reports as earlier versions wrote them: `Tests/Data/Reports` has a file for each form.
@Suite("Reports of earlier versions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EarlierReportTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Data/Reports")

    /// - Parameter after: what the last operation comes after.
    @Test(
        "are read, with all that they say",
        arguments: [("1-times", [], []), ("2-dependencies", ["auth", "splash"], []), ("3-questions", ["auth", "splash"], [0])]
            as [(String, [String], [Int])]
    )
    func earlier(name: String, after: [String], questions: [Int]) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "\(name).json"))
        let report = try JSONDecoder().decode(LaunchReport.self, from: data)
        #expect(report.scenario == "regular" && report.outcome == .completed && report.makespan == .microseconds(1_400_100))
        #expect(report.budget.budget == .milliseconds(500) && !report.budget.isMet && report.budget.causes == ["auth"])
        #expect(report.criticalPath == ["config", "auth", "home"] && report.lanes == 1)
        #expect(report.operations.map(\.id) == ["splash", "config", "auth", "home"])
        #expect(report["splash"]?.interactive == .milliseconds(400) && report["splash"]?.lane == nil)
        #expect(report["home"]?.dependencies == after)
        #expect(report.budget.questions.map(\.lowerBound) == questions.map { .milliseconds($0) })
        // Written as this version writes it, it is the same report.
        #expect(try JSONDecoder().decode(LaunchReport.self, from: Data(report.json().utf8)) == report)
    }
}
