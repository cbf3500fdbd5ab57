import Sequencer

/// `compare`: what became of a launch from one saved bench to another.
struct CompareCommand {
    private let arguments: CompareArguments

    init(_ arguments: CompareArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let before = try ProgressBar.during("compare", reading: arguments.before) { try readBench(arguments.before) }
        let after = try ProgressBar.during("compare", reading: arguments.after) { try readBench(arguments.after) }
        try checkComparable(
            before,
            named: inputName(arguments.before),
            after,
            named: inputName(arguments.after),
            force: arguments.verdict.isForced
        )
        let pairs = before.pairs(with: after)
        guard !pairs.isEmpty else {
            let names = alternatives(before.scenarios.map(\.name))
            throw ToolError(.badData, "the two benches have no scenario in common: \(inputName(arguments.after)) has no \(names)")
        }
        let comparisons = pairs.map { BenchComparison($0, $1, clock: before.clock, threshold: arguments.verdict.threshold) }
        let style = TextStyle(arguments.common.color, for: output)
        try output.write(
            arguments.common.json
                ? BenchComparison.json(comparisons)
                : comparisons.map { ComparisonText(comparison: $0, style: style).text }.joined(separator: "\n")
        )
        return ExitCode(of: comparisons, strict: arguments.verdict.isStrict)
    }
}

/// Refuses to compare what was not measured alike: times of one machine say nothing of those of another, and simulated times nothing of real
/// ones.
///
/// - Parameter force: whether machines may differ; virtual time is the same on all of them.
func checkComparable(_ first: BenchDocument, named firstName: String, _ second: BenchDocument, named secondName: String, force: Bool) throws
{
    if first.clock != second.clock {
        throw ToolError(
            .badData,
            "\(firstName) was measured in \(first.clock) time, \(secondName) in \(second.clock) time; measure both with the same '--clock'"
        )
    }
    if first.machine != second.machine, first.clock == .wall, !force {
        throw ToolError(
            .badData,
            "\(firstName) was measured on another machine (\(printable(first.machine.description)); \(secondName): "
                + "\(printable(second.machine.description))); measure both on the same one, or add '--force'"
        )
    }
}
