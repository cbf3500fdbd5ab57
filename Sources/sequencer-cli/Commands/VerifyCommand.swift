import Sequencer
import StartupOps

/// `verify`: finds mistakes in a scenario without running it.
///
/// A graph that cannot run is bad data; one whose critical path alone exceeds the budget is over budget; everything else is a warning.
struct VerifyCommand {
    private let arguments: VerifyArguments

    init(_ arguments: VerifyArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let output = Output(arguments.common.output)
        try output.check()
        let findings = try ProgressBar.during("verify", reading: arguments.scenario) {
            let scenario = try LoadedScenario.load(arguments.scenario, clock: .virtual)
            return ScenarioFindings(try scenario.validated(), budget: scenario.budget ?? RunCommand.defaultBudget)
        }
        try output.write(arguments.common.json ? findings.json() : findings.text())
        return findings.isOverBudget ? .overBudget : .success
    }
}
