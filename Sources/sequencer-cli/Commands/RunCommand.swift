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
        try arguments.checkStreams()
        let output = Output(arguments.common.output)
        try output.check()
        let device = try JournaledDevice(arguments)
        do {
            return try await run(device, output)
        } catch {
            // Where there was no launch, it must not seem to have crashed.
            device?.journal.withdraw()
            throw error
        }
    }

    private func run(_ device: JournaledDevice?, _ output: Output) async throws -> ExitCode {
        let style = TextStyle(arguments.common.color, for: output)
        let pausing = LivePause()
        let screens = arguments.isInteractive ? TerminalScreens(color: arguments.common.color, live: pausing) : nil
        let progress = ProgressBar("run", reading: arguments.scenario)
        defer { progress?.end() }
        progress?.update(fraction: nil, detail: arguments.scenario.map(inputName) ?? "")
        var (scenario, app) = try load(screens, on: device)
        let history = arguments.history.map { LaunchHistoryFile(named: $0) }
        if let history { scenario.graph.expect(try history.read()) }
        // After the faults: what is left out must not bring them about.
        device?.prepare(&scenario.graph)
        let view = showsLiveView(output) ? try liveView(of: scenario, style, pausing) : nil
        let reporter = StatusReporter(pausing: view == nil ? nil : pausing)
        var options = try options(for: scenario)
        if arguments.clock == .wall { options.stallWatch = device?.journal.watching(reporter.stallWatch) ?? reporter.stallWatch }
        options.version = app?.environment.app.version.description
        let sequencer = Sequencer(scenario.graph, budget: budget(of: scenario), options: options)
        reporter.watch { sequencer.status }
        // In real time there is the live view, and what a stalled launch says.
        if arguments.clock == .wall { progress?.end() }
        device?.journal.record(sequencer)
        // The events have to be asked for before the launch starts.
        let drawing = view.map { [events = sequencer.events] view in Task { await view.run(events) } }
        let interruption = Interruption {
            device?.journal.quit()
            sequencer.cancel()
        }
        let report = try await sequencer.run()
        device?.ended(report)
        await drawing?.value
        let signal = interruption.end()
        progress?.end()
        reporter.end()
        app?.close()
        // A launch with a fault in it says nothing of the next.
        if arguments.injections.isEmpty { try history?.record(report) }

        try output.write(
            arguments.common.json ? report.json() + "\n" : TimelineText(report, style: style, width: output.width).text
        )
        if let signal { return .interrupted(by: signal) }
        return ExitCode(of: report)
    }

    /// The scenario to run and, for a built-in one in real time, the app whose launch it is. In virtual time, steps are simulated: nothing
    /// real can happen in no time.
    ///
    /// - Parameter device: nil for a launch that writes nothing down.
    func load(_ screens: TerminalScreens?, on device: JournaledDevice? = nil) throws -> (LoadedScenario, SampleApp?) {
        let app = arguments.launchesApp ? try SampleApp(arguments, screens: screens, on: device) : nil
        for warning in app?.warnings ?? [] { message(warning) }
        let context = app?.environment.context() ?? .firstLaunch
        let isRequired = arguments.injections.contains { $0.operation == StartupStep.forceUpdate.id && $0.effect == .required }
        var scenario = try LoadedScenario.load(arguments.scenario ?? Scenario.choose(for: context).name, clock: arguments.clock) {
            scenario in
            app?.environment.graph(scenario) ?? scenario.graph(.simulated(requiresUpdate: isRequired))
        }
        _ = try scenario.validated()
        for injection in arguments.injections { try inject(injection, into: &scenario) }
        return (scenario, app)
    }

    private func inject(_ injection: Injection, into scenario: inout LoadedScenario) throws {
        let fault: Fault
        switch injection.effect {
        case .fail: fault = .fail
        case .hang: fault = .hang
        case .crash: fault = .crash
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

    func budget(of scenario: LoadedScenario) -> Budget {
        Budget(arguments.budget ?? scenario.budget ?? Self.defaultBudget, from: arguments.fromProcessStart ? .processStart : .run)
    }

    func options(for scenario: LoadedScenario) throws -> LaunchOptions {
        let deadline: Duration?
        switch arguments.deadline {
        case .some(.none): deadline = nil
        case .some(.after(let duration)): deadline = duration
        case nil: deadline = scenario.deadline ?? Self.defaultDeadline
        }
        let lanes = arguments.lanes ?? scenario.lanes
        return LaunchOptions(
            lanes: lanes,
            // With as many lanes as it takes, whatever is ready starts at once.
            plan: try lanes.map { try scenario.validated().plan(PlanOptions(lanes: $0)) },
            deadline: deadline,
            deadlineCountsInteractiveTime: !arguments.isInteractive,
            clock: arguments.clock == .virtual ? VirtualClock() : SuspendingClock(),
            seed: arguments.clock == .virtual ? 0 : .random(in: .min ... .max)
        )
    }

    private func liveView(of scenario: LoadedScenario, _ style: TextStyle, _ pausing: LivePause) throws -> LiveView? {
        LiveView(
            of: try scenario.validated(),
            on: .standardOutput,
            style: style,
            pausing: pausing,
            environment: ProcessInfo.processInfo.environment
        )
    }

    private func showsLiveView(_ output: Output) -> Bool {
        !arguments.common.json && arguments.clock == .wall && output.isTerminal
    }
}
