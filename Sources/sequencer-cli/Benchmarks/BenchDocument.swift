import Foundation
import Sequencer
import SequencerAnalysis

/// Many runs of one scenario, or of two in turn, with every measurement kept: what `bench` saves and `compare` reads.
struct BenchDocument: Equatable, Sendable {
    static let schema = SavedSchema.bench

    /// The version of the tool that ran them.
    var toolVersion: String
    var machine: BenchMachine
    var clock: ClockMode
    /// How many runs of each scenario came first and were not kept.
    var warmups: Int
    /// Nil in virtual time, and in benches of earlier versions of the tool.
    var span: BenchSpan?
    var scenarios: [BenchedScenario]

    /// Whether it is known to be in real or in virtual time: older reports do not say so, nor do imported ones.
    var namesClock: Bool { clock == .virtual || machine != .unknown || span != nil }

    /// The clock to compare two benches by: real time, which takes more runs, where one does not name its own.
    func clock(with other: BenchDocument) -> ClockMode { clock == other.clock ? clock : .wall }
}

/// The runs of one scenario.
struct BenchedScenario: Equatable, Sendable {
    let name: String
    let budget: Duration
    /// The budget of the initial display; nil for none.
    var initialDisplayBudget: Duration?
    /// Where its time ends; nil for the end of the launch, and in older benches.
    var milestone: String?
    /// The operations on the way to the milestone whose times are unknown, in virtual time; the times include nothing
    /// for them.
    var unknown: [String] = []
    /// Whether it says all that makes times comparable, as older benches do not: which times are unknown, and how often
    /// each operation was put off.
    var hasDetails = true
    /// In the order they were run.
    var runs: [BenchRun] = []
    /// In the order they have in the graph.
    var operations: [BenchedOperation] = []

    /// For people, as `1 s, initial display 200 ms`.
    func budgetText(_ text: (Duration) -> String = durationText) -> String {
        text(budget) + (initialDisplayBudget.map { ", initial display \(text($0))" } ?? "")
    }
}

/// The result of one run.
struct BenchRun: Equatable, Sendable {
    var outcome: LaunchOutcome
    /// Whether the run and its initial display met their budgets.
    var isMet: Bool
    /// The time that the budget limits: from the launch's begin to the end of its milestone, without waiting for a
    /// user.
    var measured: Duration
    /// From the launch's begin to its end.
    var makespan: Duration
    var interactive: Duration
    /// The time to the initial display, which counts as `measured` does; nil without one.
    var initialDisplay: Duration?
    /// From the start of a program to its exit; nil where no program was measured.
    var process: Duration?
    /// The processor time that it has used; nil in virtual time, and where nobody has measured it.
    var processor: Duration?
    /// Whether it completed without its milestone: then no time to it was measured. Not there in older benches.
    var missedMilestone = false

    /// Whether it tells how long a launch takes: one that failed or was cancelled ended early.
    var hasTime: Bool { outcome == .completed && !missedMilestone }

    /// The part of its time in which it computed, at most 1, as that of several threads is more than what passes.
    var processorShare: Double? { processor.map { min($0 / max(process ?? makespan, .nanoseconds(1)), 1) } }
}

/// The durations of one operation, run by run.
struct BenchedOperation: Equatable, Sendable {
    var id: String
    /// A duration for each run, in their order; nil where it never started.
    var durations: [Duration?]
    /// In how many runs it was on the critical path.
    var criticalRuns = 0
    /// The operations that it waits for; nil in older benches.
    var dependencies: [String]?
    /// How it ended, in all runs that had it, and in how many it was put off; nil in older benches.
    var outcomes: OutcomeCounts?

    fileprivate mutating func add(_ report: OperationReport) {
        // An operation that never started has no duration; 0 would pull its median down.
        durations.append(report.start == nil ? nil : report.duration)
        // Of the last run: the dependencies of a scenario differ only where its graph does.
        dependencies = report.dependencies
        if report.isCritical { criticalRuns += 1 }
        outcomes = outcomes ?? OutcomeCounts()
        outcomes?.add(report)
    }
}

extension BenchedScenario {
    /// Adds a run of the scenario.
    ///
    /// - Parameters:
    ///   - process: from the start of the program that made the report to its exit; the report was not held to this
    ///       budget.
    ///   - processor: the processor time that it has used.
    mutating func add(_ report: LaunchReport, process: Duration? = nil, processor: Duration? = nil) {
        let budget = report.budget
        runs.append(
            BenchRun(
                outcome: LaunchOutcome(report.outcome),
                // A program's own report knows its own budget, if any: it is held to the one of this bench.
                isMet: report.isWithinBudgets && (process == nil || budget.measured <= self.budget),
                measured: budget.measured,
                makespan: report.makespan,
                interactive: budget.interactive,
                initialDisplay: report.timeToInitialDisplay,
                process: process,
                processor: processor,
                missedMilestone: report.missedMilestone != nil
            )
        )
        // A program that crashed has left no report, and a made report knows nothing of the milestone.
        if report.outcome == .completed || milestone == nil { milestone = report.milestone }
        // In real time nothing is unknown; older reports do not say that theirs is virtual, but have no date.
        let unknown = report.startedAt == nil ? report.unknownTimes { $0.expected == nil }.operations : []
        self.unknown += unknown.filter { !self.unknown.contains($0) }
        var places = Dictionary(operations.indices.map { (operations[$0].id, $0) }) { first, _ in first }
        // The same scenario is not always the same graph: a condition leaves no operation out, an optional module does.
        for report in report.operations {
            let place = places[report.id] ?? operations.count
            if place == operations.count {
                // It was absent in every run before this one, which has been appended already.
                operations.append(BenchedOperation(id: report.id, durations: Array(repeating: nil, count: runs.count - 1)))
                places[report.id] = place
            }
            operations[place].add(report)
        }
        // An entry for each run, also for operations that this run left out: the reader refuses any other count.
        for index in operations.indices where operations[index].durations.count < runs.count { operations[index].durations.append(nil) }
    }
}

/// The machine of a measurement: only measurements of the same machine can be compared. It names neither the host nor
/// its user.
struct BenchMachine: Equatable, Sendable, CustomStringConvertible {
    var system: String
    var architecture: String
    var processors: Int
    /// The model of the processor, as the system calls it; the architecture where it does not say.
    var name: String

    var description: String {
        self == .unknown
            ? "a report does not say which" : "\(name), \(processors) processor\(processors == 1 ? "" : "s"), \(system) \(architecture)"
    }

    /// The machine of a report, which does not say.
    static let unknown = BenchMachine(system: "unknown", architecture: "unknown", processors: 1, name: "unknown")

    /// The machine that the tool runs on.
    static var current: BenchMachine {
        var names = utsname()
        uname(&names)
        func text(_ characters: some Any) -> String {
            let name = withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            // The names that benches have had on every system.
            return ["Darwin": "macOS", "aarch64": "arm64"][name] ?? name
        }
        let architecture = text(names.machine)
        return BenchMachine(
            system: text(names.sysname),
            architecture: architecture,
            processors: ProcessInfo.processInfo.activeProcessorCount,
            name: processorName ?? architecture
        )
    }

    private static var processorName: String? {
        #if canImport(Darwin)
            // The name is an array of C characters that ends with a zero: its size comes first, and includes that.
            var size = 0
            guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0 else { return nil }
            return cleaned(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        #else
            guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
            // The first processor stands for all. ARM has no such line: the architecture is the name then.
            let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
            return line?.firstIndex(of: ":").flatMap { colon in line.map { String($0[colon...].dropFirst()) } }.flatMap(cleaned)
        #endif
    }

    private static func cleaned(_ name: String) -> String? {
        // Names of processors hold runs of spaces.
        let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // The text comes from the machine and goes to a terminal: escaped, and no longer than a line.
        return words.isEmpty ? nil : String(printable(words).prefix(200))
    }
}
