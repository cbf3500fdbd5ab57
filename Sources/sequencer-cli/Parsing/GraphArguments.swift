enum GraphFormat: String, CaseIterable, Sendable {
    case tree, dot, mermaid, gantt, json
}

/// The arguments of `graph`.
struct GraphArguments: Equatable, Sendable {
    var scenario: String
    var format = GraphFormat.tree
    /// Whether to drop the dependencies that others imply.
    var reduce = false
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let graph = CommandDeclaration(
        name: "graph",
        summary: "Show what waits for what.",
        positionals: [.scenario],
        options: [
            OptionDeclaration(
                "format",
                .value("FORMAT"),
                words: GraphFormat.allCases.map(\.rawValue),
                help: "tree (default), dot (for Graphviz), mermaid, gantt (Mermaid's, by expected durations) or json."
            ),
            OptionDeclaration("reduce", .flag, help: "Drop the dependencies that others imply."),
        ] + CommonArguments.options,
        examples: [
            CommandExample(line: "graph regular", effect: "Show the regular launch as a tree."),
            CommandExample(line: "graph regular --format dot | dot -Tsvg > regular.svg", effect: "Draw it."),
        ]
    ) { arguments throws(UsageError) in
        let common = try CommonArguments(arguments)
        let format = try arguments.word("format", GraphFormat.self)
        if common.json, let format, format != .json {
            throw arguments.failure("options '--json' and '--format \(format.rawValue)' exclude each other")
        }
        return .graph(
            GraphArguments(
                scenario: try arguments.required(0),
                format: format ?? (common.json ? .json : .tree),
                reduce: arguments.flag("reduce"),
                common: common
            )
        )
    }
}
