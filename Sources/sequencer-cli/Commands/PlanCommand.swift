import Foundation
import Sequencer

/// `plan`: what a launch is expected to take, before it runs.
struct PlanCommand {
    private let arguments: PlanArguments

    init(_ arguments: PlanArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let progress = ProgressBar("plan", reading: arguments.scenario)
        defer { progress?.end() }
        progress?.update(fraction: nil, detail: inputName(arguments.scenario))
        var scenario = try LoadedScenario.load(arguments.scenario, clock: .virtual)
        let history = try arguments.history.map { try LaunchHistoryFile(named: $0).read() }
        if let history { scenario.graph.expect(history) }
        let graph = try scenario.validated()
        let budget = Budget(arguments.budget ?? scenario.budget ?? RunCommand.defaultBudget)
        var options = PlanOptions(effort: arguments.effort)
        for change in arguments.whatIf { options.whatIf[change.operation] = change.duration }
        let plans = try plans(of: graph, scenario, options, progress)
        let text = PlanText(
            plans: plans,
            budget: budget,
            durations: history.map { history in graph.graph.identifiers.map { history.durations(of: $0, in: graph.name) } },
            style: TextStyle(arguments.common.color, for: output),
            width: output.width
        )
        let result = arguments.common.json ? PlanJSON.text(plans, budget: budget) : text.text
        progress?.end()
        try output.write(result)
        return plans.contains { $0.meets(budget) } ? .success : .overBudget
    }

    private func plans(
        of graph: ValidatedGraph,
        _ scenario: LoadedScenario,
        _ options: PlanOptions,
        _ progress: ProgressBar?
    ) throws -> [LaunchPlan] {
        var lanes = arguments.lanes
        if lanes.isEmpty, let own = scenario.lanes { lanes = [own] }
        if lanes.isEmpty {
            let fewest = try graph.planWithFewestLanes(options)
            lanes = Array(Set([1, 2, 4, max(fewest.lanes, 1)])).sorted()
        }
        return try lanes.enumerated().map { place, number in
            if lanes.count > 1 { progress?.update(fraction: Double(place) / Double(lanes.count)) }
            var options = options
            options.lanes = number
            return try graph.plan(options)
        }
    }
}

extension LaunchHistoryFile {
    /// The history in a file that was named on the command line; what is wrong with it is said.
    init(named path: String) {
        self.init(URL(fileURLWithPath: path)) { message($0) }
    }
}
