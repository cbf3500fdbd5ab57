/// How the plot looks: light or dark as the person likes it. Engines differ in dash and marker too, for those who do not see colours.
enum PlotStyle {
    static let css = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --panel: #f6f8fa; \
        --OperationQueue: #b35900; --GCD: #2f6fb5; --Task: #1a7f5a; --TaskGroup: #7a62c9; --Sequencer: #c0264b; }
        @media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --rule: #30363d; --panel: #151b23; \
        --OperationQueue: #e3963e; --GCD: #6cb0f5; --Task: #4fc08d; --TaskGroup: #b19bf2; --Sequencer: #ff7a95; } }
        .plot { background: var(--paper); font: 12px system-ui, sans-serif; }
        .plot text { fill: var(--ink); }
        .plot .heading { font-size: 18px; font-weight: 600; }
        .plot .title { font-size: 14px; font-weight: 600; }
        .plot .faint, .plot .tick { fill: var(--faint); font-size: 11px; }
        .plot .panel { fill: var(--panel); }
        .plot .grid { stroke: var(--rule); stroke-width: 1; }
        .plot .line { fill: none; stroke-width: 1.75; stroke-linejoin: round; }
        .plot .Sequencer .line { stroke-width: 3; }
        .plot .Sequencer text { font-weight: 700; }
        .plot .lead { fill: none; stroke-width: .75; stroke-opacity: .6; }
        """
        + Engine.all.map { engine in
            "\n.plot .\(engine.name) .line, .plot .\(engine.name) .lead { stroke: var(--\(engine.name)); } "
                + ".plot .\(engine.name) text, .plot .\(engine.name) .mark { fill: var(--\(engine.name)); }"
        }.joined()

    /// The dashes of an engine's line; ours is solid.
    static func dashes(_ engine: String) -> String {
        switch engine {
        case Engine.operationQueue.name: "8 3"
        case Engine.gcd.name: "2 3"
        case Engine.task.name: "6 3 2 3"
        case Engine.taskGroup.name: "4 3"
        default: "none"
        }
    }
}
