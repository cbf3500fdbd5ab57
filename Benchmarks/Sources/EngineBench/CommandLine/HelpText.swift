/// What `engine-bench --help` prints.
enum HelpText {
    static var text: String {
        """
        engine-bench: how fast the engine runs graphs, beside what one would write without it

        Usage: engine-bench [options]

        Without options, everything is measured that there is time for: about ten minutes. Prints times, ratios, and for each
        target whether it was met. Build it optimised (swift build -c release), and leave the machine alone while it runs.

          --quick           fewer runs: about two minutes
          --full            also graphs of 100,000 and 1,000,000 operations, and OperationQueue with 10,000: some minutes more
          --only PARTS      only these parts, with commas between them
          --shapes SHAPES   only graphs of these shapes
          --sizes SIZES     graphs of these sizes (3 to 1000000)
          --engines ENGINES only these engines
          --launches NAMES  only these launches of the contest
          --runs N          at most so many timed runs of an engine on a graph (\(BenchOptions().maximumRuns))
          --cli FILE        the sequencer-cli whose start is measured
          --empty FILE      what it is compared with (empty-foundation, beside engine-bench)
          --json            print JSON in place of text
          --save FILE       also write the JSON to a file
          --svg FILE        also draw time an operation over size, as an SVG file
          -h, --help        this text

        Parts
        \(list(Section.allCases.map { ($0.rawValue, $0.summary) }))
        Shapes
        \(list(ShapeFamily.all.map { ($0.name, $0.summary) }))
        Engines
        \(list(Engine.all.map { ($0.name, $0.summary) }))
        Examples
          engine-bench --only graphs --shapes chain,wide --sizes 10,1000
          engine-bench --only bodies --engines Task,Sequencer
          engine-bench --quick --save quick.json --svg quick.svg

        """
    }

    private static func list(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)\n" }.joined()
    }
}
