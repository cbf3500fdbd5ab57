import Foundation
import Sequencer

extension BenchDocument {
    /// The runs that saved reports tell of, each group of one scenario's in their order.
    init(_ reports: [LaunchReport], file: String) throws(ScenarioError) {
        // Reports without a date that do not name a virtual clock need as many runs as in real time.
        let isVirtual = reports.allSatisfy { $0.isVirtual && $0.startedAt == nil }
        // Mixed, the clock of the document could be neither.
        if Set(reports.map { $0.startedAt == nil }).count > 1 {
            throw ScenarioError(file: file, message: "some of these launches ran in virtual time, and others did not; " + Self.reason)
        }
        // A report tells nothing of its machine, so two files of reports are taken to be of the same one.
        self.init(toolVersion: BenchMachine.unknown.name, machine: .unknown, clock: isVirtual ? .virtual : .wall, warmups: 0, scenarios: [])
        let begins = reports.compactMap(\.startedAt)
        // A report keeps the start and the length; the date of the end is the sum.
        let ends = reports.compactMap { report in report.startedAt.map { $0 + report.makespan / .seconds(1) } }
        if let begin = begins.min(), let end = ends.max() { span = BenchSpan(begin: begin, end: end) }
        var places: [String: Int] = [:]
        // A single pass, in the order of the file: trends need the runs in the order in which they were made.
        for report in reports {
            let place = places[report.scenario] ?? scenarios.count
            if place == scenarios.count {
                places[report.scenario] = place
                scenarios.append(
                    // Of several budgets the first one counts for the whole scenario.
                    BenchedScenario(
                        name: report.scenario,
                        budget: report.budget.budget?.limit ?? LoadedScenario.defaultBudget,
                        initialDisplayBudget: report.budget.budget?.initialDisplay
                    )
                )
            }
            if !scenarios[place].runs.isEmpty, scenarios[place].milestone != report.milestone {
                let names = [scenarios[place].milestone, report.milestone].map { $0.map { quoted($0) } ?? "no milestone" }
                throw ScenarioError(
                    file: file,
                    message: "some launches of \(quoted(report.scenario)) end with \(names[0]), others with \(names[1]); " + Self.reason
                )
            }
            scenarios[place].add(report)
        }
    }

    private static let reason = "their times say nothing about each other"
}
