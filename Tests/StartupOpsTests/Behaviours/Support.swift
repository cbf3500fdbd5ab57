import Dispatch
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// The scenario's graph. The only place in these tests that knows what a scenario wants in order to make one.
func graph(of scenario: Scenario, _ steps: StartupSteps = .simulated()) -> OperationGraph {
    scenario.graph(steps)
}

/// Runs a graph in virtual time.
func runVirtually(_ graph: OperationGraph) async throws -> LaunchReport {
    try await graph.run(budget: .seconds(3), options: LaunchOptions(grace: .seconds(30), clock: VirtualClock(patience: .seconds(300))))
        .report
}

extension Scenario {
    /// The step that ends what the scenario is for: the main screen, or the app's return to the front.
    var last: BuiltInStep { name == Scenario.warmResume.name ? BuiltInStep(.becomeActive) : BuiltInStep(.mainApp) }
}

/// What tests ask of a built-in step, without the type of its work.
struct BuiltInStep: Sendable, Equatable, CustomStringConvertible {
    let id: String
    let isOnMain: Bool
    let expected: Duration

    init<Work>(_ step: StartupStep<Work>) {
        (id, expected) = (step.id, step.expected)
        isOnMain = (SomeSteps.screens.map(\.id) + ["tutorial", "paywall", "main-app", "first-screen"]).contains(step.id)
    }

    var description: String { id }

    /// Every step there is.
    static let all: [BuiltInStep] = {
        var all = SomeSteps.screens.map { BuiltInStep($0) }
        all.append(BuiltInStep(.forceUpdate))
        all.append(BuiltInStep(.checkResources))
        all.append(BuiltInStep(.fetchConfig))
        all.append(BuiltInStep(.cachedConfig))
        all.append(BuiltInStep(.fetchFlags))
        all.append(BuiltInStep(.entitlements))
        all.append(BuiltInStep(.login))
        all.append(BuiltInStep(.connectSpeaker))
        all.append(BuiltInStep(.tutorial))
        all.append(BuiltInStep(.paywall))
        all.append(BuiltInStep(.mainApp))
        all.append(BuiltInStep(.firstScreen))
        return all
    }()
}

/// The steps whose work is of one type.
enum SomeSteps {
    static let screens: [StartupStep<ScreenWork>] = [
        .splash, .restoreAccount, .onboarding, .presentPushInformation, .deeplink, .shortcut, .entryPoints, .becomeActive, .register,
        .configure, .endProcessPhase, .connectScene, .startCoordinator, .installObservers,
    ]
}

extension StartupSteps {
    /// The same steps; `begin` is called on the thread on which each begins, before it does anything.
    func observed(_ begin: @escaping @Sendable (BuiltInStep) throws -> Void) -> StartupSteps {
        var observed = self
        for step in SomeSteps.screens { observed.observe(step, begin) }
        observed.observe(.forceUpdate, begin)
        observed.observe(.checkResources, begin)
        observed.observe(.fetchConfig, begin)
        observed.observe(.cachedConfig, begin)
        observed.observe(.fetchFlags, begin)
        observed.observe(.entitlements, begin)
        observed.observe(.login, begin)
        observed.observe(.connectSpeaker, begin)
        observed.observe(.tutorial, begin)
        observed.observe(.paywall, begin)
        observed.observe(.mainApp, begin)
        observed.observe(.firstScreen, begin)
        return observed
    }

    private mutating func observe(_ step: StartupStep<ScreenWork>, _ begin: @escaping @Sendable (BuiltInStep) throws -> Void) {
        let work = self[step]
        self[step] = { context in
            try begin(BuiltInStep(step))
            try await work(context)
        }
    }

    private mutating func observe<Output>(
        _ step: StartupStep<@Sendable (StepContext) async throws -> Output>,
        _ begin: @escaping @Sendable (BuiltInStep) throws -> Void
    ) {
        let work = self[step]
        self[step] = { context in
            try begin(BuiltInStep(step))
            return try await work(context)
        }
    }

    private mutating func observe<Input, Output>(
        _ step: StartupStep<@Sendable (StepContext, Input) async throws -> Output>,
        _ begin: @escaping @Sendable (BuiltInStep) throws -> Void
    ) {
        let work = self[step]
        self[step] = { context, input in
            try begin(BuiltInStep(step))
            return try await work(context, input)
        }
    }

    private mutating func observe<Input>(
        _ step: StartupStep<@MainActor @Sendable (StepContext, Input) async throws -> Void>,
        _ begin: @escaping @Sendable (BuiltInStep) throws -> Void
    ) {
        let work = self[step]
        self[step] = { context, input in
            try begin(BuiltInStep(step))
            try await work(context, input)
        }
    }
}

/// Whether this code runs where the main thread's work is done.
///
/// By the main queue, not by `Thread.isMainThread`: on Linux a program whose `main` is asynchronous serves its main queue on another thread.
func isOnMain() -> Bool {
    DispatchQueue.getSpecific(key: mainMark) != nil
}

private let mainMark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
}()
