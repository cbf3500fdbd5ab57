import Foundation
import Sequencer

extension BenchDocument {
    /// The runs that saved reports tell of, each group of one scenario's in their order.
    init(_ reports: [LaunchReport], file: String) throws(ScenarioError) {
        let isVirtual = reports.allSatisfy { $0.startedAt == nil }
        if !isVirtual, reports.contains(where: { $0.startedAt == nil }) {
            let message = "some of these launches ran in virtual time, and others did not; their times say nothing about each other"
            throw ScenarioError(file: file, position: SourcePosition(line: 1, column: 1), path: "", message: message)
        }
        self.init(toolVersion: Machine.unknown.name, machine: .unknown, clock: isVirtual ? .virtual : .wall, warmups: 0, scenarios: [])
        span = reports.compactMap(\.benchSpan).reduce(nil) { $0?.union($1) ?? $1 }
        var places: [String: Int] = [:]
        for report in reports {
            let place = places[report.scenario] ?? scenarios.count
            if place == scenarios.count {
                places[report.scenario] = place
                scenarios.append(
                    BenchedScenario(name: report.scenario, budget: report.budget.budget?.limit ?? LoadedScenario.defaultBudget)
                )
            }
            scenarios[place].add(report)
        }
    }
}

extension LaunchReport {
    /// When the launch ran; nil in virtual time.
    fileprivate var benchSpan: BenchSpan? {
        startedAt.map { BenchSpan(begin: $0, end: $0 + Double(makespan.nanoseconds) / 1e9) }
    }
}

extension BenchSpan {
    fileprivate func union(_ other: BenchSpan) -> BenchSpan {
        BenchSpan(begin: min(begin, other.begin), end: max(end, other.end))
    }
}

extension Machine {
    /// The machine of a report, which does not say.
    static let unknown = Machine(system: "unknown", architecture: "unknown", processors: 1, name: "unknown")
}
