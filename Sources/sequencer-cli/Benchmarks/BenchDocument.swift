import Sequencer

/// Many runs of one scenario, or of two in turn, with every measurement kept: what `bench` saves and `compare` reads.
struct BenchDocument: Equatable, Sendable {
    static let schema = "sequencer.bench/1"

    /// The version of the tool that ran them.
    var toolVersion: String
    var machine: Machine
    var clock: ClockMode
    /// How many runs of each scenario came first and were not kept.
    var warmups: Int
    var scenarios: [BenchedScenario]
}

/// The runs of one scenario.
struct BenchedScenario: Equatable, Sendable {
    let name: String
    let budget: Duration
    /// In the order they were run.
    var runs: [BenchRun] = []
    /// In the order they have in the graph.
    var operations: [BenchedOperation] = []

    init(name: String, budget: Duration) {
        self.name = name
        self.budget = budget
    }
}

/// What one run came to.
struct BenchRun: Equatable, Sendable {
    enum Outcome: String, CaseIterable, Sendable {
        case completed, aborted, failed, cancelled
    }

    var outcome: Outcome
    /// Whether the run met its budget.
    var isMet: Bool
    /// What the budget counts: from the launch's begin to the end of its milestone, without waiting for a person.
    var measured: Duration
    /// From the launch's begin to its end.
    var makespan: Duration
    var interactive: Duration
}

/// What one operation took in each run.
struct BenchedOperation: Equatable, Sendable {
    var id: String
    /// One for each run, in their order; nil where it never started.
    var durations: [Duration?]
    /// In how many runs it was on the critical path.
    var criticalRuns = 0
}

extension BenchedScenario {
    /// Adds a run of the scenario.
    mutating func add(_ report: LaunchReport) {
        let budget = report.budget
        runs.append(
            BenchRun(
                outcome: BenchRun.Outcome(report.outcome),
                isMet: budget.isMet,
                measured: budget.measured,
                makespan: report.makespan,
                interactive: budget.interactive
            )
        )
        let reports = Array(report.operations)
        if operations.map(\.id) == reports.map(\.id) {
            for (index, report) in reports.enumerated() { operations[index].add(report) }
        } else {
            // The same scenario is not always the same graph: conditions are no reason to leave an operation out, an optional module is.
            addByName(reports)
        }
    }

    private mutating func addByName(_ reports: [OperationReport]) {
        var places = Dictionary(operations.indices.map { (operations[$0].id, $0) }) { first, _ in first }
        for report in reports where places[report.id] == nil {
            places[report.id] = operations.count
            operations.append(BenchedOperation(id: report.id, durations: Array(repeating: nil, count: runs.count - 1)))
        }
        for report in reports {
            guard let place = places[report.id] else { continue }
            operations[place].add(report)
        }
        for index in operations.indices where operations[index].durations.count < runs.count { operations[index].durations.append(nil) }
    }
}

extension BenchedOperation {
    fileprivate mutating func add(_ report: OperationReport) {
        durations.append(report.start == nil ? nil : report.duration)
        if report.isCritical { criticalRuns += 1 }
    }
}

extension BenchRun.Outcome {
    init(_ outcome: LaunchReport.Outcome) {
        switch outcome {
        case .completed: self = .completed
        case .aborted: self = .aborted
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
