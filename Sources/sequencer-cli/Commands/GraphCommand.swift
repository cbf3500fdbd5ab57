import Sequencer
import SequencerAnalysis
import StartupOps

/// `graph`: shows which operation waits for which.
struct GraphCommand: ResultCommand {
    enum Format: String, CaseIterable, Sendable { case tree, dot, mermaid, gantt, json }

    static let name = "graph"
    static let summary = "Show the dependencies of a launch."
    static let ownArguments: [CommandArgument<Self>] = [
        .scenario(\.scenario),
        .word("format", "FORMAT", \.format)
            .help("tree (default), dot (for Graphviz), mermaid, gantt (Mermaid's, by expected durations) or json."),
        .word("direction", "LR|TB", \.direction)
            .help("Where time runs to in DOT and in mermaid: LR, to the right (default), or TB, down."),
        .flag("reduce", \.reduce).help("Drop the dependencies that others imply."),
        .facts(\.facts),
    ]
    static let examples: KeyValuePairs = [
        "graph regular": "Show the regular launch as a tree.",
        "graph regular --format dot | dot -Tsvg > regular.svg": "Draw it.",
    ]

    var scenario = ""
    /// Nil for a tree.
    var format: Format?
    /// Nil for the usual one.
    var direction: DrawingDirection?
    /// Whether to drop the dependencies that others imply.
    var reduce = false
    var facts: [FactArgument] = []
    var common = CommonArguments()

    mutating func check() throws(UsageError) {
        if direction != nil, format != .dot, format != .mermaid {
            throw Self.failure("option '--direction' is for '--format dot' and 'mermaid'")
        }
        format = try Self.format(format, common, json: .json)
    }

    func run(_ page: ResultPage) throws -> ExitCode {
        ProgressLine.begin("graph", reading: scenario)
        let graph = try LoadedScenario.load(scenario, clock: .virtual, facts: facts).validated()
        let (text, absent) = (try drawing(of: graph, page), graph.switchedOff)
        // Absent operations are drawn, too. The sentence is beside the drawing: not each format has room for it.
        if !absent.isEmpty {
            message("switched off, and drawn as 0 ms: " + listed(absent) { printable($0, limit: 64) })
        }
        // Not every format ends with a line feed.
        try page.output.write(text.hasSuffix("\n") ? text : text + "\n")
        return .success
    }

    private func drawing(of whole: ValidatedGraph, _ page: ResultPage) throws -> String {
        let graph = reduce ? whole.reduced() : whole
        let direction = direction ?? .leftToRight
        switch format ?? .tree {
        case .dot: return graph.dot(direction)
        case .mermaid: return try graph.mermaid(direction)
        case .gantt: return try graph.gantt()
        case .json: return graph.json()
        // A tree is for a terminal, which may have no lines to draw with; the other formats are for programs.
        case .tree: return fitted(graph.tree(inASCII: !page.style.isUnicode), to: page.output.width)
        }
    }
}
