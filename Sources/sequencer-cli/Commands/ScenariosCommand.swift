import Sequencer
import StartupOps

/// `scenarios`: lists the built-in ones.
struct ScenariosCommand {
    private let arguments: ScenariosArguments

    init(_ arguments: ScenariosArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let rows = try Scenario.all.map { scenario in (scenario, try scenario.graph(.simulated()).validated()) }
        try Output(arguments.common.output).write(arguments.common.json ? json(rows) : text(rows))
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
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.scenarios/1", for: "schema")
            json.writeArray(for: "scenarios") { json in
                for (scenario, graph) in rows {
                    json.writeObject { json in
                        json.write(scenario.name, for: "name")
                        json.write(scenario.summary, for: "summary")
                        json.write(graph.count, for: "operations")
                    }
                }
            }
        } + "\n"
    }
}
