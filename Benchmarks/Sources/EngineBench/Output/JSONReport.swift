import Foundation

/// What is saved: the header, a row for each engine and graph, a figure for each target.
struct JSONReport: Encodable {
    private let header: Machine
    private let contest: [LaunchContest.Row]
    private let rows: [Sample]
    private let targets: [TargetRow]

    private struct TargetRow: Encodable {
        let target: String
        let measured: Double?
        let limit: Double
        let verdict: String
        let detail: String?
    }

    init(_ result: BenchResult) {
        header = result.machine
        contest = result.contest
        rows = result.samples
        targets = result.verdicts.map {
            TargetRow(
                target: $0.target.name,
                measured: $0.metric?.value,
                limit: $0.target.limit,
                verdict: $0.word,
                detail: $0.metric?.detail
            )
        }
    }

    /// The document as text.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
