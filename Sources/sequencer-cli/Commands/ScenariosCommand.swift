import Sequencer
import StartupOps

/// `scenarios`: lists the built-in ones.
struct ScenariosCommand: Command {
    static let name = "scenarios"
    static let summary = "List the built-in scenarios."
    static let options: [CommandOption<Self>] = part(CommonArguments.options, \.common)
    static let examples: KeyValuePairs = [
        "scenarios": "List the built-in scenarios.",
        "scenarios --json": "List them as JSON.",
    ]

    var common = CommonArguments()

    func run() throws -> ExitCode {
        // Simulated: their graphs are the same, and nothing of an app has to exist.
        let rows = try Scenario.builtIn.map { scenario in (scenario, try scenario.graph(.simulated()).validated()) }
        try Output(common.output).write(common.json ? json(rows) : text(rows))
        return .success
    }

    private func text(_ rows: [(Scenario, ValidatedGraph)]) -> String {
        let width = rows.map(\.0.name.count).max() ?? 0
        let lines = rows.map { scenario, graph in
            let name = scenario.name + String(repeating: " ", count: width - scenario.name.count)
            return "\(name)  \(graph.count) operations  \(scenario.summary)\n"
        }
        return lines.joined()
    }

    private func json(_ rows: [(Scenario, ValidatedGraph)]) -> String {
        JSONWriter.document("sequencer.scenarios/1") { json in
            json.writeObjects(rows, for: "scenarios") { json, row in
                json.write(row.0.name, for: "name")
                json.write(row.0.summary, for: "summary")
                json.write(row.1.count, for: "operations")
            }
        }
    }
}
