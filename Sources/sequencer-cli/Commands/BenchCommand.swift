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
        let current = Locked(Current())
        let progress = ProgressBar("bench", reading: arguments.scenarios.first { isStandardInput($0) })
        defer { progress?.end() }
        // What is on disk is removed whoever ends this, and when; while signals still come here, so that none ends the process before.
        let removeAll: @Sendable () -> Void = {
            for state in current.withLock({ $0.states }) { state.remove() }
        }
        let abandon: @Sendable () -> Void = {
            progress?.end()
            removeAll()
        }
        let interruption = Interruption(abandon: abandon) { current.withLock { $0.stop() }?.cancel() }
        do {
            try await launch(into: &document, baseline, current, progress)
        } catch {
            removeAll()
            // One that comes because a signal has taken everything away is none.
            guard let signal = interruption.end() else { throw error }
            return signal
        }
        removeAll()
        return interruption.end()
    }

    /// What a signal has to know, and to end.
    private struct Current {
        var states: [BenchState] = []
        private var launch: Sequencer?
        private(set) var isOver = false

        /// - Returns: whether the launch may begin.
        mutating func begin(_ launch: Sequencer) -> Bool {
            self.launch = launch
            return !isOver
        }

        mutating func stop() -> Sequencer? {
            isOver = true
            return launch
        }
    }

    private func launch(
        into document: inout BenchDocument,
        _ baseline: BenchDocument?,
        _ current: Locked<Current>,
        _ progress: ProgressBar?
    ) async throws {
        let subjects = try arguments.scenarios.map { scenario in
            try BenchSubject(scenario, arguments) { state in current.withLock { $0.states.append(state) } }
        }
        for subject in subjects { document.scenarios.append(BenchedScenario(name: subject.name, budget: subject.budget)) }
        if let baseline, let path = arguments.baseline, baseline.sameNames(as: document).isEmpty {
            let names = alternatives(subjects.map(\.name))
            throw ToolError(.badData, "\(inputName(path)) has no scenario \(names); measure it first with 'bench --save'")
        }
        func say(_ text: String) {
            if let progress { progress.erase { message(text) } } else { message(text) }
        }
        let total = (arguments.warmups + arguments.runs) * subjects.count
        var done = 0
        for round in 0..<arguments.warmups + arguments.runs {
            for index in subjects.indices {
                progress?.update(fraction: Double(done) / Double(total))
                let report = try await subjects[index].launch(say: say) { launch in current.withLock { $0.begin(launch) } }
                guard let report, !current.withLock({ $0.isOver }) else { return }
                if round >= arguments.warmups { document.scenarios[index].add(report) }
                done += 1
            }
        }
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
