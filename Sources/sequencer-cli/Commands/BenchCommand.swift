import Foundation
import Sequencer

/// `bench`: runs scenarios many times and says how long they take.
struct BenchCommand {
    private let arguments: BenchArguments

    init(_ arguments: BenchArguments) {
        self.arguments = arguments
    }

    func run() async throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        if let save = arguments.save { try Output(save).check() }
        let baseline = try arguments.baseline.map { try readBench($0) }
        var document = BenchDocument(
            toolVersion: CommandLineTool.version,
            machine: .current,
            clock: arguments.launch.clock,
            warmups: arguments.warmups,
            scenarios: []
        )
        if let baseline, let path = arguments.baseline {
            try checkComparable(baseline, named: path, document, named: "this one", force: arguments.verdict.isForced)
        }
        let signal = try await measure(into: &document, baseline)
        let comparisons = comparisons(of: document, with: baseline)

        if let save = arguments.save, document.scenarios.contains(where: { !$0.runs.isEmpty }) {
            try Output(save).write(document.json(pretty: false))
        }
        try output.write(arguments.common.json ? document.json(comparisons) : text(document, comparisons, for: output))
        if let signal { return .interrupted(by: signal) }
        return code(document, comparisons)
    }

    /// Runs every scenario in turn, so that what slows the machine for a while slows all of them.
    ///
    /// - Returns: the signal that ended it early.
    private func measure(into document: inout BenchDocument, _ baseline: BenchDocument?) async throws -> Int32? {
        let subjects = try arguments.scenarios.map { try BenchSubject($0, arguments) }
        defer { for subject in subjects { subject.end() } }
        for subject in subjects { document.scenarios.append(BenchedScenario(name: subject.name, budget: subject.budget)) }
        if let baseline, let path = arguments.baseline, baseline.sameNames(as: document).isEmpty {
            let names = alternatives(subjects.map(\.name))
            throw ToolError(.badData, "\(inputName(path)) has no scenario \(names); measure it first with 'bench --save'")
        }
        let current = Locked<(launch: Sequencer?, isOver: Bool)>((nil, false))
        let interruption = Interruption {
            let launch = current.withLock { current in
                current.isOver = true
                return current.launch
            }
            launch?.cancel()
        }
        var progress = ProgressBar("bench")
        let total = (arguments.warmups + arguments.runs) * subjects.count
        var done = 0
        var failure: (any Error)?
        rounds: for round in 0..<arguments.warmups + arguments.runs {
            for index in subjects.indices {
                progress?.update(fraction: Double(done) / Double(total), detail: "")
                do {
                    let report = try await subjects[index].launch { launch in
                        current.withLock { current in
                            current.launch = launch
                            return !current.isOver
                        }
                    }
                    guard let report, !current.withLock({ $0.isOver }) else { break rounds }
                    if round >= arguments.warmups { document.scenarios[index].add(report) }
                } catch {
                    failure = error
                    break rounds
                }
                done += 1
            }
        }
        progress?.erase()
        let signal = interruption.end()
        if let failure { throw failure }
        return signal
    }

    private func comparisons(of document: BenchDocument, with baseline: BenchDocument?) -> [BenchComparison] {
        var pairs = baseline?.sameNames(as: document) ?? []
        if document.scenarios.count == 2 { pairs.append((document.scenarios[0], document.scenarios[1])) }
        return pairs.map { BenchComparison($0, $1, clock: document.clock, threshold: arguments.verdict.threshold) }
    }

    /// The worst counts: a launch that failed or was stopped, then one that has become slower, then a median over the budget.
    private func code(_ document: BenchDocument, _ comparisons: [BenchComparison]) -> ExitCode {
        let runs = document.scenarios.flatMap(\.runs)
        if runs.contains(where: { $0.outcome == .failed || $0.outcome == .cancelled }) { return .failed }
        if runs.contains(where: { $0.outcome == .aborted }) { return .aborted }
        let verdict = ExitCode(of: comparisons, strict: arguments.verdict.isStrict)
        if verdict == .regression { return verdict }
        let isOverBudget = document.scenarios.contains { scenario in
            BenchSummary(scenario).sample.map { $0.median > Double(scenario.budget.nanoseconds) } ?? false
        }
        return isOverBudget ? .overBudget : verdict
    }

    private func text(_ document: BenchDocument, _ comparisons: [BenchComparison], for output: Output) -> String {
        let style = TextStyle(arguments.common.color, for: output)
        let bench = BenchText(document: document, style: style, requested: arguments.runs).text
        return ([bench] + comparisons.map { ComparisonText(comparison: $0, style: style).text }).joined(separator: "\n")
    }
}

extension ExitCode {
    /// What comparisons say; the worst counts.
    init(of comparisons: [BenchComparison], strict: Bool) {
        if comparisons.contains(where: { $0.verdict == .regression }) {
            self = .regression
        } else if strict, comparisons.contains(where: { $0.verdict == .inconclusive }) {
            self = .inconclusive
        } else {
            self = .success
        }
    }
}
