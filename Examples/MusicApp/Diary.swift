import Foundation
import Sequencer
import StartupOps

/// Prints launches as they come.
struct Diary {
    private var launches: [LaunchReport] = []
    /// Whether each operation has a line.
    private let showsSteps: Bool

    init(showsSteps: Bool) { self.showsSteps = showsSteps }

    /// Whether every launch has reached its main screen within its budget.
    var isAllWell: Bool { launches.allSatisfy { $0.outcome == .completed && $0.budget.isMet } }

    /// Prints what happened and what the launch made of it: the scenario, the screens, the verdict.
    mutating func add(_ what: String, _ launch: (scenario: Scenario, report: LaunchReport, screens: [String])) {
        let report = launch.report
        launches.append(report)
        print("\(launches.count). \(what)\n   \(launch.scenario): \(launch.scenario.summary)")
        for operation in report.operations where showsSteps {
            let times = operation.start.map { "\(text($0)) to \(text(operation.end))" } ?? ""
            let line = "     \(column(operation.id, 26))\(column(operation.outcome.rawValue, 11))\(times)"
            print(trimmed(line))
            if let message = operation.message, operation.outcome != .skipped { print("       \(message)") }
        }
        print("   screens: \(launch.screens.joined(separator: ", "))\n   \(verdict(report))\n")
    }

    private func verdict(_ report: LaunchReport) -> String {
        let budget = report.budget
        return
            "\(budget.isMet ? "PASS" : "FAIL")  \(report.outcome.name) in \(text(budget.measured)) of \(budget.budget.map { text($0.limit) } ?? "none")"
    }

    private func text(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1))) ms" }

    private func column(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }

    private func trimmed(_ line: String) -> String { line.replacing(/\s+$/, with: "") }
}
