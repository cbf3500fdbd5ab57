import Foundation
import Sequencer
import SequencerAnalysis

/// `plan`: the expected duration of a launch, before it runs.
struct PlanCommand: LaunchingCommand {
    static let name = "plan"
    static let summary =
        "Predict a launch from expected durations: how long it takes on how many lanes, and whether that is within its budget."
    static let ownArguments: [CommandArgument<Self>] = [
        .scenario(\.scenario),
        .value("lanes", "N,N", \.lanes, read: parseLanes)
            .help("Plan for these numbers of lanes (default: 1, 2, 4 and as many as are used without a limit)."),
        .repeated("what-if", "OP=TIME", \.whatIf) { texts in
            let form = "OPERATION=TIME, such as login=300ms"
            let times = try pairs(texts, form: form) { ($0, try DurationText.parse($1, minimum: .zero)) }
            return Dictionary(times) { _, last in last }
        }
        .help("Suppose that an operation takes this long; repeatable."),
        .budget(\.budget),
        .deadline(\.deadline)
            .help("When the launch will be ended, even while operations run (default: 30s, or the budget if longer)."),
        .history(\.history),
        .facts(\.facts),
        .processors(\.processors),
    ]
    static let resultOptions = CommonArguments.workingOptions
    static let examples: KeyValuePairs = [
        "plan regular --lanes 1,2,4": "See how many lanes are worth having.",
        "plan regular --what-if login=300ms": "See the gain of a faster login.",
        "plan launch.json --budget 2s": "Exit with 3 when no plan is within the budget: a gate that never flickers.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0":
            "By the plan of a launch without '--lanes', or by one of those that '--lanes' asks for, "
            + "the milestone is within the budget, and comes before the deadline.",
        "1":
            "By it the launch would fail: the milestone comes after its deadline, or a required step is expected to take longer than its timeout.",
        "3": "By it the milestone, or the initial display, is over its budget, or never comes, as where it is switched off.",
    ]

    var scenario = ""
    /// A plan for each; none for the usual ones.
    var lanes: [Int] = []
    /// How long to suppose that these operations take.
    var whatIf: [String: Duration] = [:]
    var processors: Int?
    var budget: Duration?
    var deadline: LaunchOptions.Deadline?
    /// A file of past launches.
    var history: String?
    var facts: [FactArgument] = []
    var common = CommonArguments()

    func launch(_ page: ResultPage) async throws -> ExitCode {
        let progress = ProgressLine.begin("plan", reading: scenario, inLines: common.showsProgress)
        var loaded = try LoadedScenario.load(scenario, clock: .virtual, facts: facts)
        let past = try history.map { try LaunchHistoryFile(named: $0).read() }
        // Before the graph is checked and planned: the history changes the expected times.
        if let past { loaded.graph.expect(past) }
        let graph = try loaded.validated()
        let budget = loaded.budget(budget)
        // At least the budget, as a launch has it: otherwise a plan could pass that no launch can keep.
        let deadline = loaded.deadline(deadline).limit(beside: budget)
        let (plans, decisive) = try await plans(of: graph, loaded.lanes, budget, progress)
        let codes = decisive.map { ExitCode(foreseen: $0.report, deadline: deadline) }
        // The question was about the result of one number of lanes.
        let code = [.success, .failed].first(where: codes.contains) ?? ExitCode.overBudget
        let text = PlanText(
            plans: plans,
            code: code,
            workless: loaded.file?.document.workless ?? [],
            deadline: deadline,
            processors: processors,
            durations: past.map { past in graph.graph.identifiers.map { past.durations(of: $0, in: graph.name) } },
            page: page
        )
        try page.write(json: json(plans, deadline), text: text.text)
        return code
    }

    /// The plans that are shown, and those that decide: all that were asked for or, without `--lanes`, that
    /// of the launch as `run` has it.
    private func plans(
        of graph: ValidatedGraph,
        _ usual: Int?,
        _ budget: Budget,
        _ progress: ProgressLine?
    ) async throws -> (shown: [LaunchPlan], decisive: [LaunchPlan]) {
        let wanted: [Int?] = lanes.isEmpty ? usual.map { [$0] } ?? [1, 2, 4, nil] : lanes
        var options = PlanOptions(whatIf: whatIf, budget: budget)
        options.processors = processors
        var (plans, decisive): ([LaunchPlan], [LaunchPlan]) = ([], [])
        for number in wanted {
            if !plans.isEmpty { progress?.update(fraction: Double(plans.count) / Double(wanted.count)) }
            options.lanes = number
            let plan = try await graph.plan(options)
            if !lanes.isEmpty || number == usual { decisive.append(plan) }
            // Without a limit, the launch may use as many as another one has, or none.
            if number == nil, plan.lanes == 0 || plans.contains(where: { $0.lanes == plan.lanes }) { continue }
            plans.append(plan)
        }
        return (plans.sorted { $0.lanes < $1.lanes }, decisive)
    }

    /// Numbers of lanes, as in `1,2,4`; one that is given twice is planned once.
    private static func parseLanes(_ text: String) throws -> [Int] {
        // Empty parts are kept, so that `1,,2` is refused rather than read as `1,2`.
        try text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) { lanes, word in
            let number = try parseInteger(String(word), in: ScenarioDocument.lanes)
            if !lanes.contains(number) { lanes.append(number) }
        }
    }

    /// Plans in the format `sequencer.plan/1`, described by `Schemas/plan.schema.json`.
    private func json(_ plans: [LaunchPlan], _ deadline: Duration?) -> String {
        let plan = plans.first
        let head: JSONTree = [
            "scenario": .text(plan?.graph.name ?? ""), "criticalPathMs": .milliseconds(plan?.criticalPathDuration ?? .zero),
            "criticalPath": .texts(plan?.criticalPath ?? []), "deadlineMs": .milliseconds(deadline),
            "withoutExpectation": .list(plan?.operationsWithoutExpectation ?? []),
            "switchedOff": .list(plan?.graph.switchedOff ?? []),
        ]
        let rows: JSONTree = .array(
            plans.map { plan in
                let isInTime = plan.report.isWithin(deadline)
                return [
                    "lanes": .number(plan.lanes), "initialDisplayMs": .milliseconds(plan.initialDisplayEnd),
                    "milestoneMs": plan.report.milestone != nil ? .milliseconds(plan.milestoneEnd) : nil,
                    "makespanMs": .milliseconds(plan.makespan), "lowerBoundMs": .milliseconds(plan.lowerBound),
                    "utilization": .decimal(plan.utilization), "verdict": plan.report.isWithinBudgets && isInTime ? "pass" : "fail",
                    "milestoneOutcome": .text(plan.report.unusualMilestone?.outcome.rawValue),
                    "timedOut": .list(plan.operations.filter { $0.outcome == .timedOut }.map(\.id)),
                    "meetsDeadline": isInTime ? nil : false,
                    "meetsInitialDisplayBudget": plan.report.isInitialDisplayMet == false ? false : nil,
                    "operations": .array(plan.operations.map(row)),
                ] + plan.unknownTimes.json
            }
        )
        return JSONTree.document("sequencer.plan/1", head + Grounds.plan(processors: processors).json + ["plans": rows])
    }

    private func row(_ operation: OperationReport) -> JSONTree {
        [
            "id": .text(operation.id), "startMs": .milliseconds(operation.start ?? operation.end),
            // Null and not absent: every operation of a plan has the key.
            "endMs": .milliseconds(operation.end), "lane": .text(operation.place) ?? .null,
            "slackMs": .milliseconds(operation.slack), "critical": .flag(operation.isCritical),
            "cut": .mark(operation.isCut), "deferred": .mark(operation.isDeferred),
        ]
    }
}

extension LaunchHistoryFile {
    /// The history in a file that was named on the command line. Problems with it become messages.
    ///
    /// - Throws: when its folder is missing: better before the launch than after it.
    init(named path: String) throws(HistoryError) {
        self.init(URL(fileURLWithPath: path)) { message($0) }
        // Reading would succeed, since a missing file is an empty history; only the end of the launch would find it out
        // (J50).
        if let missingFolder { throw missingFolder }
    }
}
