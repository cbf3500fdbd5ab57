import Sequencer
import StartupOps

/// `scenarios`: lists the built-in ones.
struct ScenariosCommand: ResultCommand {
    static let name = "scenarios"
    static let summary = "List the built-in scenarios."
    static let examples: KeyValuePairs = ["scenarios": "List the built-in scenarios.", "scenarios --json": "List them as JSON."]

    var common = CommonArguments()

    func run(_ page: ResultPage) throws -> ExitCode {
        // Simulated: their graphs are the same, and nothing of an app has to exist.
        let rows = try Scenario.builtIn.map { ($0, try $0.graph(.simulated()).validated().count) }
        try page.write(json: json(rows), text: text(rows))
        return .success
    }

    private func text(_ rows: [(Scenario, Int)]) -> String {
        let width = rows.map(\.0.name.count).max() ?? 0
        return rows.map { scenario, count in
            "\(scenario.name)\(String(repeating: " ", count: width - scenario.name.count))  \(count) operations  \(scenario.summary)\n"
        }.joined()
    }

    private func json(_ rows: [(Scenario, Int)]) -> String {
        let scenarios = rows.map { scenario, count -> JSONTree in
            ["name": .text(scenario.name), "summary": .text(scenario.summary), "operations": .number(count)]
        }
        return JSONTree.document("sequencer.scenarios/1", ["scenarios": .array(scenarios)])
    }
}
