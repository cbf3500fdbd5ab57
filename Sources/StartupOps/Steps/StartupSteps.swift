import Sequencer

/// The work of the built-in steps in one launch; a scenario says when each step runs.
///
/// The work is real, over an environment, or simulated. An app replaces that of one step in one line; the step keeps
/// its place in the graph, its options and its place in reports:
///
/// ```swift
/// var steps = StartupSteps(environment)
/// steps[.tutorial] = { step, _ in try await step.waitForPerson { await tour.present() } }
/// let report = try await Scenario.regular.graph(steps).run(budget: .seconds(3)).report
/// ```
///
/// A closure takes the step's context, then the value that the step reads, if it reads one. Work on the screen is
/// called on the main actor, all other work off the main thread. Only the time in `waitForPerson` does not count
/// against the budget, in every step.
public struct StartupSteps: Sendable {
    /// A separate type, because a cast to a function type is not reliable.
    private struct Replacement<Work: Sendable>: Sendable {
        let work: Work
    }

    /// The environment that the real work is done in; nil when the launch is simulated.
    private(set) var environment: StartupEnvironment?
    /// What a simulated launch does.
    private var simulation = (requiresUpdate: false, durations: [String: Duration](), showUpdate: {} as @MainActor @Sendable () -> Void)
    private var replacements: [String: any Sendable] = [:]
    private var options: [String: [StepOption]] = [:]
    /// Whether scenarios offer a subscription before the main screen.
    var offersSubscription = false
    /// Makes the configuration that takes the place of one that could not be fetched.
    public var fallbackConfiguration: @Sendable (StepContext, (any Error)?) -> LoadedConfiguration = { _, _ in .simulated }

    /// The real work, over the services, the stores and the presenters of `environment`.
    public init(_ environment: StartupEnvironment) {
        self.init(environment, isAskedFor: false)
        // The offer may have been set since the environment was made.
        environment.bootstrap?.renewSettings(of: environment)
        // The app's own registrations may still set it: the steps then ask.
        offersSubscription = environment.offersPaywall || environment.bootstrap?.plan.hasOwnRegistrations == true
        let operation = FetchConfigurationOperation(environment: self.environment ?? environment)
        fallbackConfiguration = { operation.fallback($0, after: $1) }
    }

    /// The real work of a launch, or of steps that the user has asked for outside one.
    init(_ environment: StartupEnvironment, isAskedFor: Bool) {
        self.environment = environment
        self.environment?.memory = LaunchMemory(firstLaunch: environment.state.firstLaunch, isAskedFor: isAskedFor)
    }

    private init() {}

    /// Work that takes its time and does nothing else: to see a launch's shape, and to try budgets before anything is
    /// written.
    ///
    /// Each step takes as long as it is expected to, or as `durations` says, by the launch's clock and without holding
    /// a thread.
    ///
    /// - Parameters:
    ///   - requiresUpdate: whether the force-update check finds that this version may not be used.
    ///   - durations: how long steps take that do not take as long as expected, by identifier.
    ///   - showUpdate: called when the update screen takes over.
    public static func simulated(
        requiresUpdate: Bool = false,
        durations: [String: Duration] = [:],
        showUpdate: @escaping @MainActor @Sendable () -> Void = {}
    ) -> StartupSteps {
        var steps = StartupSteps()
        steps.simulation = (requiresUpdate, durations, showUpdate)
        return steps
    }

    /// Gives a step options that count before those that it has, and before those of a scenario. Conditions, resources
    /// and events add to these.
    ///
    /// ```swift
    /// steps.set(.timeout(.seconds(5)), .expected(.seconds(2)), on: .login)
    /// ```
    public mutating func set<Work>(_ options: StepOption..., on step: StartupStep<Work>) {
        self.options[step.id, default: []].append(.all(options))
    }

    /// All options of a step in a graph.
    func options<Work>(of step: StartupStep<Work>, _ ofScenario: [StepOption] = []) -> StepOption {
        let timeout = step.timeout.map { StepOption.timeout($0(environment)) }
        return .layers([step.options] + [timeout].compactMap(\.self) + [.all(ofScenario)] + options[step.id, default: []])
    }

    /// The same work where nobody sees the app: nothing is presented, and nobody is asked. Silent pushes are taken as
    /// ever.
    var unseen: StartupSteps {
        // A copy: other launches keep their presenters.
        var steps = self
        steps.environment?.presenters = StartupPresenters()
        // Silent pushes need their presenter, and show nothing.
        steps.environment?.presenters.entryPoint = environment?.presenters.entryPoint
        return steps
    }

    /// Adds what every real launch of a scenario has.
    ///
    /// - Its milestone checks the last known update policy before its own work: a version that is ruled out never
    ///   reaches the milestone, and one that fails before it shows the update in place of the failure.
    /// - If it does not complete, it reports the links and pushes that were dropped or refused: the step of the main
    ///   screen, which reports them otherwise, never runs.
    /// - It is refused while another launch over the same state runs, and when one has completed, if both lead to a
    ///   main screen: two would show the splash, ask the user and run each migration twice.
    func complete(_ graph: inout OperationGraph) {
        guard let environment else { return }
        graph.earlyEndNotes = { [mailbox = environment.mailbox] in mailbox.takeLosses() }
        if graph.identifiers.contains(StartupStep.mainApp.id) { graph.place = environment.directory.place }
        guard let milestone = graph.milestone else { return }
        let check = ForceUpdateOperation(environment: environment)
        // `try?`: the milestone is in the graph, which has just named it.
        try? graph.wrapWork(of: milestone) { context, work in
            try await check.enforceKnownPolicy(in: context)
            return try await work()
        }
        // As long as the step may take: the allowance, and its half second.
        let allowance = environment.updateAllowance + ForceUpdateOperation.leastAllowance
        graph.failureTakeover = (allowance, { await check.takesOverFailure(in: $0) })
    }

    /// The work of a step.
    public subscript<Work: Sendable>(step: StartupStep<Work>) -> Work {
        get {
            // Of another type it was meant for another step of that name: the step's own work counts.
            if let replacement = replacements[step.id] as? Replacement<Work> { return replacement.work }
            if let environment { return step.work(environment) }
            let (requiresUpdate, durations, showUpdate) = simulation
            let duration = durations[step.id] ?? step.expected
            return step.simulated(SimulatedStep(duration: duration, requiresUpdate: requiresUpdate, showUpdate: showUpdate))
        }
        set { replacements[step.id] = Replacement(work: newValue) }
    }
}
