import Sequencer
import SequencerAnalysis

/// A bench as github-action-benchmark reads it, to draw how it has changed from commit to commit: its `customSmallerIsBetter`
/// (https://github.com/benchmark-action/github-action-benchmark).
struct BenchmarkActionText {
    /// More operations than a page has room for graphs.
    private static let maximumOperations = 20

    let document: BenchDocument

    /// An array of one object for each scenario, and for each of its operations.
    var text: String {
        let lines = document.scenarios.flatMap { elements(BenchSummary($0)) }
        return lines.isEmpty ? "[]\n" : "[\n  \(lines.joined(separator: ",\n  "))\n]\n"
    }

    private func elements(_ summary: BenchSummary) -> [String] {
        guard let sample = summary.sample else { return [] }
        let name = summary.scenario.name
        let runs = summary.scenario.runs.count
        let budget = "\(summary.misses) of \(runs) runs over the budget of \(durationText(summary.scenario.budget))"
        return [element(name, sample, budget)]
            + summary.operations.prefix(Self.maximumOperations).map { operation in
                element("\(name): \(operation.id)", operation.sample, operation.isCritical ? "on the critical path" : "")
            }
    }

    private func element(_ name: String, _ sample: SortedSample, _ extra: String) -> String {
        JSONWriter.object(pretty: false) { json in
            json.write(name, for: "name")
            json.write("ms", for: "unit")
            json.write(milliseconds: .nearest(nanoseconds: sample.median), for: "value")
            json.write("± \(durationText(.nearest(nanoseconds: sample.medianAbsoluteDeviation)))", for: "range")
            if !extra.isEmpty { json.write(extra, for: "extra") }
        }
    }
}
