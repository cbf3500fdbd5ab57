import Foundation
import Sequencer
import SequencerAnalysis

/// `bench`: runs scenarios many times and says how long they take.
struct BenchCommand: LaunchingCommand {
    enum Format: String, CaseIterable, Sendable {
        case text, json
        case githubActionBenchmark = "github-action-benchmark"
    }

    static let name = "bench"
    static let summary = "Run a launch many times: how long it takes, how sure that is, and whether it has become slower."
    private static let usualRuns = 10
    private static let usualPairs = 200
    static let ownArguments: [CommandArgument<Self>] = combined(
        [
            .positional("SCENARIO", isRequired: false) { $0.arguments.scenario = $1 }
                .help("A built-in scenario, a scenario file, or '-'."),
            .positional("OTHER", isRequired: false) { $0.other = $1 }
                .help("Another: run both in turns until it is sure which is slower."),
            .integer("runs", "N", in: 1...maximumRuns, \.runs)
                .help("Measure N runs (default: 10; of two, until it is sure)."),
            .integer("at-most", "N", in: 1...maximumRuns, \.atMost)
                .help("Measure at most N runs of each of two (default: 200)."),
            .integer("warmup", "N", in: 0...maximumRuns, \.warmups)
                .help("Run N times before that, without measuring (default: 1)."),
            .text("interleave", "SCENARIO", \.interleaved).help("The same as OTHER."),
            .repeated("command", "COMMAND", \.commands, read: ProgramCommand.all)
                .help("Measure a program, started anew for each run, instead of a scenario; given twice, compare the two."),
            .text("save", "FILE", \.save).help("Keep all measurements in FILE."),
            .text("baseline", "FILE", \.baseline)
                .help("Compare with a bench saved in FILE; it finds changes of 10% and more."),
            .word("format", "FORMAT", \.format)
                .help("text (default), json, or github-action-benchmark, for the action of that name."),
        ],
        part(VerdictArguments.options, \.verdict),
        part(RunArguments.howToRun, \.arguments),
        [
            .text("state", "DIR", \.arguments.state)
                .help("Begin every run with what the app remembers in DIR, which stays as it is."),
            RunArguments.backendOption.of(\.arguments),
        ],
        part(RunArguments.device, \.arguments)
    )
    static let resultOptions = CommonArguments.workingOptions
    static let examples: KeyValuePairs = [
        "bench regular --runs 30": "Measure the regular launch.",
        "bench before.json after.json": "Run both in turns until it is sure which is slower.",
        "bench regular --save main.json": "Keep the measurements.",
        "bench regular --baseline main.json --threshold 5%": "Fail when it has become slower.",
        "bench --command ./old/app --command ./new/app": "Measure two builds in turn, and compare them.",
        "bench launch.json --clock virtual": "Measure in simulated time: the same on every machine.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "All runs completed, and the median is within the budget.",
        "1": "A run failed or was cancelled.",
        "3": "The median of the launch or of the initial display is over its budget, or most runs missed one.",
        "4": "It is slower than the baseline or the first of two, or its operations end otherwise.",
        "5": "With --strict: there is too little to say.",
        "6": "A run was aborted by a required update.",
    ]
    static let signals: KeyValuePairs = [
        "SIGHUP, SIGINT, SIGQUIT, SIGTERM": "End after this run, which does not count; the second time, at once."
    ]

    private static let maximumRuns = 100_000

    /// How each run is done.
    var arguments = RunArguments(command: name)
    /// Another scenario, whose runs take turns with those of the first.
    var other: String?
    private var interleaved: String?
    /// The programs to measure instead of scenarios, in the order of their turns.
    var commands: [ProgramCommand] = []
    /// Nil for the usual number, or until two of them are compared.
    private var runs: Int?
    private var atMost: Int?
    private var warmups = 1
    /// The file to keep the measurements in.
    var save: String?
    /// The saved bench to compare with.
    var baseline: String?
    /// Nil for text, unless JSON is asked for.
    var format: Format?
    var verdict = VerdictArguments()
    var common = CommonArguments()

    var clock: ClockMode { arguments.clock }

    /// The scenarios in the order of their turns.
    private var scenarios: [String] { [arguments.scenario, other].compactMap(\.self) }

    /// Whether two are measured for as long as it takes to compare them. In virtual time more runs tell no more.
    private var isUntilSure: Bool { runs == nil && scenarios.count + commands.count == 2 && clock == .wall }

    mutating func check() throws(UsageError) {
        if let interleaved {
            if let other { throw Self.failure("the argument \(quoted(other)) and '--interleave' exclude each other") }
            other = interleaved
        }
        if commands.isEmpty, arguments.scenario == nil { throw Self.failure("the argument SCENARIO is missing") }
        var given = RunArguments(command: Self.name)
        (given.budget, given.deadline) = (arguments.budget, arguments.deadline)
        (given.processors, given.isTrusted) = (arguments.processors, arguments.isTrusted)
        if !commands.isEmpty, arguments != given || other != nil {
            throw Self.failure("option '--command' measures a program as it is, without a scenario and the options of its launch")
        }
        // Each run is in this process: a crash would take the measurements with it.
        if let crash = arguments.injections.first(where: { $0.fault == .crash }) {
            throw Self.failure("option '--inject': \(quoted(crash.operation + "=crash")) would end the bench; only run can crash")
        }
        if atMost != nil, !isUntilSure {
            throw Self.failure("option '--at-most' is for two that are compared in real time, without '--runs'")
        }
        format = try Self.format(format, common, json: .json)
        if (scenarios + [baseline].compactMap(\.self)).count(where: { $0 == "-" }) > 1 {
            throw Self.failure("standard input ('-') can be read only once")
        }
    }

    func launch(_ page: ResultPage) async throws -> ExitCode {
        // Everything that can be refused is refused before the first run: a bench may take an hour.
        if let save { try Output(save).check() }
        let before = try baseline.map { try readBench($0) }
        let tool = CommandLineTool.version
        var document =
            BenchDocument(toolVersion: tool, machine: .current, clock: clock, warmups: warmups, scenarios: [])
        // Before the runs, too: the machine and the clock are known now.
        if let before, let baseline {
            try checkComparable((baseline, before), ("this one", document), force: verdict.isForced)
        }
        let signal = try await measure(into: &document, before)
        let comparisons = comparisons(of: document, with: before)

        // Nothing is saved of a bench that measured nothing: an earlier file stays.
        if let save, document.scenarios.contains(where: { !$0.runs.isEmpty }) {
            // In one line, for a bench of many runs is megabytes long when it is indented.
            try Output(save).write(document.json(pretty: false))
        }
        switch format ?? .text {
        case .text:
            // Where nobody asked for a number, none is missing.
            let requested = isUntilSure ? 0 : runs ?? Self.usualRuns
            let bench = BenchText(document: document, style: page.style, requested: requested).text
            let texts = [bench] + comparisons.map { ComparisonText(comparison: $0, style: page.style).text }
            try page.output.write(texts.joined(separator: "\n"))
        case .json: try page.output.write(document.json(comparisons))
        case .githubActionBenchmark: try page.output.write(BenchmarkActionText(document: document).text)
        }
        // After the output: the runs that were complete are told, and only the code says that there were to be more.
        if let signal { return signal }
        return code(document, comparisons)
    }

    /// Measures, and removes at the end what the subjects left on disk.
    ///
    /// - Returns: the code of the signal that ended it early.
    private func measure(into document: inout BenchDocument, _ before: BenchDocument?) async throws -> ExitCode? {
        // Filled from the main work, emptied by the thread for signals: hence the lock.
        let states = Locked<[BenchState]>([])
        let input = scenarios.first(where: isStandardInput)
        let progress = ProgressLine.begin("bench", reading: input, inLines: common.showsProgress)
        let abandon: @Sendable () -> Void = { for state in states.withLock({ $0 }) { state.remove() } }
        defer { abandon() }
        // From here on a signal has something to remove.
        SignalThread.shared.onEnd(abandon)
        return try await CommandLineTool.launching {
            var subjects = try scenarios.map { scenario in
                try BenchSubject(scenario, arguments) { state in states.withLock { $0.append(state) } }
            }
            subjects += commands.map { BenchSubject($0, named: $0.text, arguments) }
            for subject in subjects { try await subject.askWhetherToRun() }
            // All of them before the first run, so that a bench that was interrupted has the scenarios in its file.
            for subject in subjects {
                // Two versions of a scenario, or of a program, may have the same name.
                let name = document.scenarios.contains { $0.name == subject.name } ? "\(subject.name) (2)" : subject.name
                let budget = subject.budget
                document.scenarios.append(
                    BenchedScenario(name: name, budget: budget.limit, initialDisplayBudget: budget.initialDisplay)
                )
            }
            if let before, let baseline, before.sameNames(as: document).isEmpty {
                let missing = "\(inputName(baseline)) has no scenario \(alternatives(subjects.map(\.name)))"
                throw ToolError(.badData, "\(missing); measure it first with 'bench --save'")
            }
            try await run(subjects, into: &document, progress)
        }
    }

    /// Runs every subject in turn, so that a temporary load of the machine slows all of them.
    private func run(
        _ subjects: [BenchSubject],
        into document: inout BenchDocument,
        _ progress: ProgressLine?
    ) async throws {
        // After the questions: the user's time to answer is not the bench's.
        document.span = clock == .wall ? .now : nil
        defer { document.span?.extend() }
        let rounds = warmups + (runs ?? (isUntilSure ? atMost ?? Self.usualPairs : Self.usualRuns))
        let total = Double(rounds * subjects.count)
        var (done, pairs, turns) = (0, RunningPairs(threshold: verdict.threshold), PairedComparison.turns())
        progress?.update(fraction: isUntilSure ? nil : 0)
        // The first launch prepares the state, and is part of no run.
        for subject in subjects { try await subject.prepare() }
        for round in 0..<rounds {
            for index in turns.index(below: 2) == 0 ? Array(subjects.indices) : subjects.indices.reversed() {
                progress?.update(fraction: isUntilSure ? nil : Double(done) / total, detail: pairs.text)
                let used = usedProcessorTime()
                let launch = try await subjects[index].launch()
                // A launch that was cancelled by a signal is told as such, and is dropped: its time says nothing.
                if Task.isCancelled { return }
                if round >= warmups {
                    let processor = clock == .wall ? usedProcessorTime() - used : nil
                    document.scenarios[index].add(launch.report, process: launch.process, processor: processor)
                }
                done += 1
            }
            if isUntilSure, round >= warmups, pairs.isEnough(document.scenarios[0], document.scenarios[1]) { return }
        }
    }

    private func comparisons(of document: BenchDocument, with before: BenchDocument?) -> [BenchComparison] {
        let threshold = verdict.threshold
        let changes = before.map { before in
            let (gap, clock) = (BenchGap(before, document), before.clock(with: document))
            return before.sameNames(as: document).map {
                BenchComparison($0, $1, clock: clock, threshold: threshold, gap: gap)
            }
        }
        // Only two scenarios of the same bench were taken in turns, so only they are compared with each other.
        let both = document.scenarios
        if both.count != 2 { return changes ?? [] }
        let pair = BenchComparison(both[0], both[1], clock: clock, threshold: threshold, inTurns: true)
        return (changes ?? []) + [pair]
    }

    /// The worst counts: a launch that failed or was stopped, then one that has become slower, then a median over the
    /// budget.
    private func code(_ document: BenchDocument, _ comparisons: [BenchComparison]) -> ExitCode {
        let runs = document.scenarios.flatMap(\.runs)
        if runs.contains(where: { $0.outcome == .failed || $0.outcome == .cancelled }) { return .failed }
        if runs.contains(where: { $0.outcome == .aborted }) { return .aborted }
        let change = ExitCode(of: comparisons, strict: verdict.isStrict)
        // A regression comes before a budget, since it is what the baseline was given for.
        if change == .regression { return change }
        if document.scenarios.contains(where: { BenchSummary($0).isOverBudget }) { return .overBudget }
        return verdict.isStrict && document.scenarios.contains(where: \.unknownTimes.tellNothing) ? .inconclusive : change
    }
}

/// Two subjects while they are measured in turns.
private struct RunningPairs {
    let threshold: Double
    private var pairs = PairedComparison()
    /// After how many pairs it was sure.
    private var decided: Int?

    init(threshold: Double) { self.threshold = threshold }

    /// Adds the last run of both.
    ///
    /// - Returns: whether it is sure which one is slower, and which operation did it.
    mutating func isEnough(_ before: BenchedScenario, _ after: BenchedScenario) -> Bool {
        guard let first = before.runs.last, let second = after.runs.last else { return false }
        pairs.add(first, second)
        guard pairs.isDecided(threshold: threshold, after: before.runs.count) else { return false }
        if pairs.count == 0 { return true }
        let sure = decided ?? pairs.count
        decided = sure
        // Each of many operations has to be surer than the launch; a change of the waits alone has none.
        let comparison = BenchComparison(before, after, clock: .wall, threshold: threshold, inTurns: true)
        return comparison.verdict == .same || !comparison.operations.isEmpty || pairs.count >= sure + sure / 2
    }

    /// For the progress: `12 pairs, -2.1% to +4.0%`.
    var text: String {
        let range = pairs.interval.map {
            ", \(ShareText.format($0.lowerBound, signed: true)) to \(ShareText.format($0.upperBound, signed: true))"
        }
        return pairs.count == 0 ? "" : "\(pairs.count) pair\(pairs.count == 1 ? "" : "s")" + (range ?? "")
    }
}

/// The text of a bench, for people.
struct BenchText {
    private static let maximumOperations = 20

    let document: BenchDocument
    let style: TextStyle
    /// How many runs of each scenario were asked for.
    let requested: Int

    var text: String {
        // Programs are measured from outside, scenarios from inside: the reader has to know which.
        let isOfPrograms = document.scenarios.contains { $0.runs.contains { $0.process != nil } }
        let clock =
            isOfPrograms
            ? "from the start of the program to its exit, or as long as the launch took whose report it prints"
            : "from the launch's begin to the end of its milestone, without waiting for a person"
        let grounds = document.clock == .virtual ? style.dim(Grounds.virtualTime.text) + "\n" : ""
        let parts = document.scenarios.map { text(BenchSummary($0)) }
        let legend = style.dim("\(document.clock.rawValue) clock: \(clock)") + "\n"
        return parts.joined(separator: "\n") + "\n" + legend + grounds
    }

    private func text(_ summary: BenchSummary) -> String {
        let scenario = summary.scenario
        let runs = scenario.runs.count
        // Of the wanted number only where it was not reached, after a signal.
        let counts = "\(runs)\(runs < requested ? " of \(requested)" : "") run\(requested == 1 ? "" : "s")"
        let budget = "budget \(scenario.budgetText(style.duration))"
        let none = summary.missedMilestones > 0 ? "reached its milestone" : "completed"
        var rows = summary.sample.map { times(summary, $0) } ?? [style.yellow("  no run \(none): there is no time to tell")]
        // The times above are those of completed runs: the others are counted here, so that nobody misses them.
        for outcome in [LaunchOutcome.aborted, .failed, .cancelled] where summary.count(of: outcome) > 0 {
            rows.append(style.yellow(row(outcome.rawValue, "\(summary.count(of: outcome)) of \(runs), not in the times above")))
        }
        if let missed = summary.missedMilestonesText { rows.append(style.yellow(row("missed", "\(missed), not in the times above"))) }
        let unknown = scenario.unknownTimes
        if !unknown.operations.isEmpty {
            rows.append(style.yellow(row("unknown", unknown.text() + (unknown.tellNothing ? ": the times tell nothing" : ""))))
        }
        if summary.sample != nil && !unknown.tellNothing || summary.misses > 0 { rows.append(row("budget", misses(summary))) }
        let head = style.bold(printable(scenario.name, limit: 80)) + "  \(counts) after \(document.warmups) to warm up, \(budget)"
        return ([head] + rows).joined(separator: "\n") + "\n" + operations(summary) + trouble(summary)
    }

    private func times(_ summary: BenchSummary, _ sample: SortedSample) -> [String] {
        func range(_ sample: SortedSample) -> String { "\(time(sample.minimum)) to \(time(sample.maximum))" }

        let interval =
            summary.interval.map { "95% interval \(time($0.lowerBound)) to \(time($0.upperBound))" } ?? "too few runs for an interval"
        var rows = [row("median", "\(time(sample.median)), \(interval)")]
        if let deviation = sample.medianAbsoluteDeviation { rows.append(row("MAD", time(deviation))) }
        rows.append(row("range", range(sample) + (sample.nearestRank(90).map { ", p90 \(time($0))" } ?? "")))
        if let display = summary.initialDisplay {
            rows.append(row("display", "\(time(display.median)) to the initial one, \(range(display))"))
        }
        if let process = summary.process {
            rows.append(row("process", "\(time(process.median)) from its start to its exit, \(range(process))"))
        }
        return rows
    }

    private func row(_ name: String, _ text: String) -> String {
        "  " + name.padding(toLength: 10, withPad: " ", startingAt: 0) + text
    }

    private func misses(_ summary: BenchSummary) -> String {
        let count = "\(summary.misses) of \(summary.scenario.runs.count) missed"
        // In virtual time each run is the same, so a bound would be a mere function of their number.
        let missBound = document.clock == .virtual ? nil : summary.missBound
        let bound = missBound.map { "; the true rate is below \(ShareText.format($0)) with 95% confidence" } ?? ""
        return (summary.misses > 0 ? style.red(count) : count) + bound
    }

    /// How the operations ended that did not always succeed: a run that left out a part of its work was shorter for
    /// that.
    private func trouble(_ summary: BenchSummary) -> String {
        let troubled = summary.scenario.trouble, rest = troubled.count - Self.maximumOperations
        return troubled.prefix(Self.maximumOperations).map { style.yellow("  \($0)\n") }.joined() + (rest > 0 ? "  and \(rest) more\n" : "")
    }

    private func operations(_ summary: BenchSummary) -> String {
        if summary.operations.isEmpty { return "" }
        let rows = summary.operations.map { operation -> [String] in
            let (name, sample) = (printable(operation.id, limit: 60) + (operation.isCritical ? " *" : ""), operation.sample)
            let deviation = sample.medianAbsoluteDeviation.map(time) ?? ""
            return [name, time(sample.median), deviation, time(sample.maximum), "\(sample.count)"]
        }
        let header = ["operation", "median", "MAD", "max", "runs"]
        let note = style.dim("  * on the critical path; operations overlap, their times do not add up")
        return "\n" + style.table(header, limit: Self.maximumOperations, more: "shorter ones", rows) + note + "\n"
    }

    private func time(_ nanoseconds: Double) -> String { style.duration(nanoseconds: nanoseconds) }
}
