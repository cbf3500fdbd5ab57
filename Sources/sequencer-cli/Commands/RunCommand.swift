import Foundation
import Sequencer
import StartupOps

/// `run`: runs a scenario for real and compares it with its budget.
struct RunCommand {
    /// What a launch may take when neither the scenario nor the command line says.
    static let defaultBudget = Duration.seconds(3)
    /// When a launch ends whatever happens: phones kill an app that has not launched after about this long.
    static let defaultDeadline = Duration.seconds(20)

    private let arguments: RunArguments

    init(_ arguments: RunArguments) {
        self.arguments = arguments
    }

    func run() async throws -> ExitCode {
        let scenario = try load()
        let output = Output(arguments.common.output)
        try output.check()
        let style = TextStyle(arguments.common.color, for: output)
        let sequencer = Sequencer(scenario.graph, budget: budget(of: scenario), options: options(for: scenario))

        let view = showsLiveView(output) ? try liveView(of: scenario, style) : nil
        // The events have to be asked for before the launch starts.
        let drawing = view.map { [events = sequencer.events] view in Task { await view.run(events) } }
        let interruption = Interruption { sequencer.cancel() }
        let report = try await sequencer.run()
        await drawing?.value
        let signal = interruption.end()

        try output.write(
            arguments.common.json ? report.json() + "\n" : TimelineText(report, style: style, width: output.width).text
        )
        if let signal { return .interrupted(by: signal) }
        return ExitCode(of: report)
    }

    private func load() throws -> LoadedScenario {
        // Nothing is remembered between launches yet, so each one without a scenario is a first one.
        let name = arguments.scenario ?? Scenario.choose(for: .firstLaunch).name
        let isRequired = arguments.injections.contains { $0.operation == StartupStep.forceUpdate.id && $0.effect == .required }
        let operations = StartupOperations.simulated(requiresUpdate: isRequired)
        var scenario = try LoadedScenario.load(name, operations: operations, clock: arguments.clock)
        try scenario.checkCanRun()
        _ = try scenario.validated()
        for injection in arguments.injections { try inject(injection, into: &scenario) }
        return scenario
    }

    private func inject(_ injection: Injection, into scenario: inout LoadedScenario) throws {
        let fault: Fault
        switch injection.effect {
        case .fail: fault = .fail
        case .hang: fault = .hang
        case .delay(let duration): fault = .delay(duration)
        case .required:
            guard injection.operation == StartupStep.forceUpdate.id else {
                throw UsageError(
                    "option '--inject': only '\(StartupStep.forceUpdate)' can be required, not \(quoted(injection.operation))",
                    command: "run"
                )
            }
            // The built-in step has been told what to find; one from a file has no verdict of its own.
            if scenario.file == nil { return }
            fault = .abort(.forceUpdate)
        }
        do {
            try scenario.graph.inject(fault, into: injection.operation)
        } catch {
            throw UsageError("option '--inject': \(error.problems.first?.message ?? error.description)", command: "run")
        }
    }

    private func budget(of scenario: LoadedScenario) -> Budget {
        Budget(arguments.budget ?? scenario.budget ?? Self.defaultBudget, from: arguments.fromProcessStart ? .processStart : .run)
    }

    private func options(for scenario: LoadedScenario) -> LaunchOptions {
        let deadline: Duration?
        switch arguments.deadline {
        case .some(.none): deadline = nil
        case .some(.after(let duration)): deadline = duration
        case nil: deadline = scenario.deadline ?? Self.defaultDeadline
        }
        return LaunchOptions(
            lanes: arguments.lanes ?? scenario.lanes,
            deadline: deadline,
            clock: arguments.clock == .virtual ? VirtualClock() : SuspendingClock(),
            seed: arguments.clock == .virtual ? 0 : .random(in: .min ... .max)
        )
    }

    private func liveView(of scenario: LoadedScenario, _ style: TextStyle) throws -> LiveView? {
        LiveView(of: try scenario.validated(), on: .standardOutput, style: style, environment: ProcessInfo.processInfo.environment)
    }

    private func showsLiveView(_ output: Output) -> Bool {
        !arguments.common.json && arguments.clock == .wall && output.isTerminal
    }
}
