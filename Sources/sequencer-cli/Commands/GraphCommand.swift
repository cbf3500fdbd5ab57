import Sequencer
import StartupOps

/// `graph`: shows what waits for what.
struct GraphCommand {
    private let arguments: GraphArguments

    init(_ arguments: GraphArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        var graph = try LoadedScenario.load(arguments.scenario, clock: .virtual).validated()
        if arguments.reduce { graph = graph.reduced() }
        let text =
            switch arguments.format {
            case .dot: graph.dot()
            case .mermaid: try graph.mermaid()
            case .gantt: try graph.gantt()
            case .json: graph.json()
            case .tree: graph.tree()
            }
        try Output(arguments.common.output).write(text.hasSuffix("\n") ? text : text + "\n")
        return .success
    }
}
