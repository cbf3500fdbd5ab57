import Foundation
import Sequencer
import StartupOps

/// A scenario that is launched again and again, each time as if for the first time.
struct BenchSubject {
    let name: String
    let budget: Duration
    private let command: RunCommand
    private let options: LaunchOptions
    /// The graph of a scenario file; nil for a built-in scenario in real time, which is the launch of another app each time.
    private let graph: OperationGraph?
    private let state: BenchState?
    private let arguments: RunArguments

    /// - Parameter keep: is given what has to be removed at the end, before it is made; also when this throws.
    init(_ scenario: String, _ bench: BenchArguments, keep: (BenchState) -> Void) throws {
        var arguments = bench.launch
        arguments.scenario = scenario
        let isReal = Scenario.named(scenario) != nil && arguments.clock == .wall
        state = isReal ? BenchState(arguments.state) : nil
        if let state {
            keep(state)
            arguments.state = try state.using { try state.fresh() }
        }
        self.arguments = arguments
        command = RunCommand(arguments)
        let (loaded, app) = try state?.using { try Self.load(arguments) } ?? Self.load(arguments)
        app?.close()
        name = loaded.graph.name
        budget = command.budget(of: loaded).limit
        options = try command.options(for: loaded)
        graph = isReal ? nil : loaded.graph
    }

    /// Launches once.
    ///
    /// - Parameters:
    ///   - say: tells a person what they should know of the result.
    ///   - willRun: is given the launch before it begins, and says whether it may.
    /// - Returns: nil when it might not.
    func launch(say: (String) -> Void, _ willRun: (Sequencer) -> Bool) async throws -> LaunchReport? {
        if let state, !state.isPrepared { try await prepare(state, say, willRun) }
        if let graph { return try await run(graph, options, willRun) }
        let load = {
            var arguments = arguments
            arguments.state = try state?.fresh()
            return try Self.load(arguments)
        }
        let (scenario, app) = try state?.using(load) ?? load()
        defer { app?.close() }
        var options = options
        options.version = app?.environment.app.version.description
        return try await run(scenario.graph, options, willRun)
    }

    private func run(_ graph: OperationGraph, _ options: LaunchOptions, _ willRun: (Sequencer) -> Bool) async throws -> LaunchReport? {
        var options = options
        // A virtual clock has a time of its own for each launch.
        if arguments.clock == .virtual { options.clock = VirtualClock() }
        let sequencer = Sequencer(graph, budget: Budget(budget), options: options)
        guard willRun(sequencer) else { return nil }
        return try await sequencer.run()
    }

    /// Where nothing was said about what the app remembers, it is what a first launch leaves behind, unless this is one.
    private func prepare(_ state: BenchState, _ say: (String) -> Void, _ willRun: (Sequencer) -> Bool) async throws {
        defer { state.endPreparation() }
        if state.isGiven || name == Scenario.firstLaunch.name { return }
        var first = arguments
        first.scenario = Scenario.firstLaunch.name
        first.injections = []
        first.state = state.template
        let (scenario, app) = try state.using { try Self.load(first) }
        defer { app?.close() }
        let report = try await run(scenario.graph, options, willRun)
        // A person should know that the runs begin with less than they seem to.
        if let report, report.outcome != .completed, report.outcome != .cancelled {
            say(
                "the first launch, which was to prepare those of \(printable(name)), \(report.outcome.name); they begin with what it has left"
            )
        }
    }

    private static func load(_ arguments: RunArguments) throws -> (LoadedScenario, SampleApp?) {
        do {
            return try RunCommand(arguments).load(nil)
        } catch let error as UsageError {
            // It is this command's line that is wrong.
            throw UsageError(error.message, command: "bench")
        }
    }
}
