import Sequencer

/// Fetches the feature flags; when that fails, those of the last launch count, or else none.
///
/// The first screen waits for them on the first launch of an app that is set to it: see
/// ``SettingKey/waitsForRemoteConfigurationOnFirstLaunch``. Flags that come after the first screen was decided count
/// from the next launch, and the report says so.
struct FetchFlagsOperation: Sendable {
    let environment: StartupEnvironment

    var store: FlagStore { environment.flags }
    /// The gate that waits for the flags; nil where none does.
    private var gate: ReadinessGate? { environment.firstScreen }

    /// Fetches the flags.
    func run(in step: StepContext) async throws -> FeatureFlags {
        let fetched = try await step.request("the feature flags") { try await environment.services.configurations.flags(by: $0) }
        environment.memory.serviceHasAnswered()
        // The time may be over: the flags of the last launch have then taken the place of this answer.
        try step.checkCancellation()
        guard let fetched else {
            // A service without flags never has any: nobody waits for them.
            gate?.meet(.initialFlagsRefreshed, by: "a service without flags")
            return store.latest
        }
        keep(fetched, step)
        gate?.meet(.initialFlagsRefreshed, by: "the service")
        return fetched
    }

    /// Keeps the flags that the step's work has returned, and tells the gate: work of the app's own does neither.
    func take(_ flags: FeatureFlags, _ step: StepContext) {
        if flags != store.latest { keep(flags, step) }
        // The built-in work meets the condition itself, with a source that says more.
        let isUnmet = gate?.conditions.contains { $0.condition.name == .initialFlagsRefreshed && !$0.isMet }
        if isUnmet == true { gate?.meet(.initialFlagsRefreshed, by: "the app") }
    }

    private func keep(_ fetched: FeatureFlags, _ step: StepContext) {
        guard let used = store.keep(fetched) else { return }
        step.note("the flags came after the first screen was decided: they count from the next launch")
        if let late = fetched.onboarding, late != used.onboarding {
            step.note("they ask for \(late.rawValue) onboarding")
            environment.bootstrap?.onboardingCameLate(late)
        }
    }

    /// The flags that take the place of those that could not be fetched.
    func fallback(_ step: StepContext) -> FeatureFlags {
        let known = store.known
        step.note(known == nil ? "no flags are known yet, so none count" : "the flags of the last launch were used")
        // Also here: the first screen must not wait for flags that will not come.
        gate?.meet(.initialFlagsRefreshed, by: known == nil ? "the absence of flags" : "the flags of the last launch")
        return known ?? FeatureFlags()
    }
}

extension StartupStep where Work == @Sendable (StepContext) async throws -> FeatureFlags {
    /// The feature flags.
    public static var fetchFlags: Self {
        Self("fetch-flags", "Fetch the feature flags", expected: .milliseconds(200), simulating: FeatureFlags()) {
            try await FetchFlagsOperation(environment: $0).run(in: $1)
        }
    }
}

extension OperationGraph {
    /// Adds the step that fetches the feature flags, with the fallback it always has.
    @discardableResult
    mutating func addFlags(of steps: StartupSteps, _ options: StepOption..., after dependencies: String...) -> Step<FeatureFlags> {
        let step = StartupStep.fetchFlags
        let work = steps[step]
        let operation = steps.environment.map { FetchFlagsOperation(environment: $0) }
        return add(step.id, steps.options(of: step, options + [.cuttable]), after: dependencies) { context in
            operation?.store.fetchBegins()
            let flags = try await work(context)
            // The time may be over, as in the built-in work.
            try context.checkCancellation()
            operation?.take(flags, context)
            return flags
        } fallback: { context, error in
            operation?.environment.bootstrap?.didNotCome("the flags", error)
            // A simulated launch has no environment, and no flags.
            return operation?.fallback(context) ?? FeatureFlags()
        }
    }
}
