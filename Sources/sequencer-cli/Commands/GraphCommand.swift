import Sequencer
import StartupOps

/// `graph`: shows what waits for what.
struct GraphCommand {
    private let arguments: GraphArguments

    init(_ arguments: GraphArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let text = try ProgressBar.during("graph", reading: arguments.scenario) { try drawing() }
        try output.write(text.hasSuffix("\n") ? text : text + "\n")
        return .success
    }

    private func drawing() throws -> String {
        var graph = try LoadedScenario.load(arguments.scenario, clock: .virtual).validated()
        if arguments.reduce { graph = graph.reduced() }
        switch arguments.format {
        case .dot: return graph.dot()
        case .mermaid: return try graph.mermaid()
        case .gantt: return try graph.gantt()
        case .json: return graph.json()
        case .tree: return graph.tree()
        }
    }
}
