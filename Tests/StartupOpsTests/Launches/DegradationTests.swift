import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("Launching without", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DegradationTests {
    static let isRecording = ProcessInfo.processInfo.environment["RECORD_DEGRADATION"] != nil

    @Test(
        "A41, B45, B53, fault N1, N4, N20, N31, N37, N47, N48: whichever service is down, a launch ends as it should, and its report says what was replaced",
        .enabled(if: !isRecording),
        arguments: Nightly.cases(DegradationCase.all, each: 3)
    )
    func service(_ launch: DegradationCase) async throws {
        let (observation, result, wasAsked) = try await launch.observe()
        #expect(result.scenario == launch.launch.rawValue)
        #expect(result.report.outcome.name == launch.outcome)
        #expect(observation.content == launch.content)
        #expect(wasAsked == launch.isAsked)
        #expect(observation.remarks.isEmpty == !launch.isAsked, "what was replaced is said, and nothing is said where nothing was")
        #expect(result.report.stragglers.isEmpty && result.report.anomalies.isEmpty)
        let limit = try #require(try DegradationDocument().limit(launch.heading, launch.beginning))
        #expect(result.report.budget.measured <= limit)
        #expect(
            try DegradationDocument().row(launch.heading, launch.beginning) == observation.cells,
            "the document says otherwise: \(observation.cells)"
        )
    }

    @Test(
        "fault S1, S4, S9, S21: whatever is not found as it was stored, a launch completes, and what was lost is said",
        .enabled(if: !isRecording),
        arguments: Nightly.cases(StorageCase.all, each: 2)
    )
    func storage(_ launch: StorageCase) async throws {
        let row = try DegradationDocument().row(StorageCase.heading, launch.beginning)
        var cells: [String] = []
        // A process that another test starts has the locks of this one too, until it runs its own program. So look again where locks are the matter.
        for _ in 0..<(launch.damage == .locked ? 10 : 1) where cells != row {
            let (observation, result, problems) = try await launch.observe()
            #expect(result.scenario == launch.scenario)
            #expect(result.report.outcome == .completed)
            let limit = try #require(try DegradationDocument().limit(StorageCase.heading, launch.beginning))
            #expect(result.report.budget.measured <= limit)
            #expect(!observation.remarks.isEmpty || !problems.isEmpty)
            cells = observation.cells + [Self.cell(problems)]
        }
        #expect(row == cells, "the document says otherwise")
    }

    @Test("the document has a row for each case, and no other", .enabled(if: !isRecording))
    func document() throws {
        let rows = try DegradationDocument().rows.map { ([$0.heading] + $0.cells.prefix($0.heading == StorageCase.heading ? 3 : 2)) }
        let cases =
            DegradationCase.all.map { [$0.heading] + $0.beginning } + StorageCase.all.map { [StorageCase.heading] + $0.beginning }
            + SafeModeCase.all.map { [SafeModeCase.heading] + $0.beginning }
        #expect(rows == cases)
    }

    @Test("writes the document's tables anew, where RECORD_DEGRADATION is set", .enabled(if: isRecording))
    func record() async throws {
        var sections: [(heading: String, columns: [String], rows: [[String]])] = []
        for launch in DegradationCase.all {
            if sections.last?.heading != launch.heading { sections.append((launch.heading, DegradationCase.columns, [])) }
            sections[sections.count - 1].rows.append(launch.beginning + (try await launch.observe().observation.cells))
        }
        sections.append((StorageCase.heading, StorageCase.columns, []))
        for launch in StorageCase.all {
            let (observation, _, problems) = try await launch.observe()
            sections[sections.count - 1].rows.append(launch.beginning + observation.cells + [Self.cell(problems)])
        }
        sections.append((SafeModeCase.heading, SafeModeCase.columns, []))
        for launch in SafeModeCase.all { sections[sections.count - 1].rows.append(launch.beginning + (try await launch.observe().cells)) }
        try DegradationDocument().record(sections)
    }

    private static func cell(_ problems: [String]) -> String { problems.isEmpty ? "–" : problems.joined(separator: "<br>") }
}
