import Dispatch
import Sequencer
import StartupOps
import TestSupport

/// The scenario's graph. The only place in these tests that knows what a scenario wants in order to make one.
func graph(of scenario: Scenario, _ operations: StartupOperations = .simulated()) -> OperationGraph {
    scenario.graph(operations)
}

/// Runs a graph in virtual time.
func runVirtually(_ graph: OperationGraph) async throws -> LaunchReport {
    try await Sequencer(graph, options: LaunchOptions(grace: .seconds(30), clock: VirtualClock(patience: .seconds(20)))).run()
}

extension Scenario {
    /// The step that ends what the scenario is for: the main screen, or the app's return to the front.
    var last: StartupStep { name == Scenario.warmResume.name ? .becomeActive : .mainApp }
}

extension StartupStep {
    /// Every step there is.
    static let all: [StartupStep] = [
        .splash, .forceUpdate, .fetchConfig, .login, .tutorial, .connectSpeaker, .restoreAccount, .entitlements, .paywall, .onboarding,
        .presentPushInformation, .deeplink, .shortcut, .becomeActive, .mainApp, .checkResources, .register, .configure, .endProcessPhase,
        .connectScene, .startCoordinator, .firstScreen, .installObservers,
    ]
}

extension StartupOperations {
    /// The same operations; `begin` is called on the thread on which each begins, before it does anything.
    func observed(_ begin: @escaping @Sendable (StartupStep) throws -> Void) -> StartupOperations {
        var observed = self
        observed.splash = { launch in
            try begin(.splash)
            try await splash(launch)
        }
        observed.forceUpdate = { launch in
            try begin(.forceUpdate)
            try await forceUpdate(launch)
        }
        observed.fetchConfiguration = { launch in
            try begin(.fetchConfig)
            return try await fetchConfiguration(launch)
        }
        observed.logIn = { configuration, launch in
            try begin(.login)
            return try await logIn(configuration, launch)
        }
        observed.tutorial = { configuration, launch in
            try begin(.tutorial)
            try await tutorial(configuration, launch)
        }
        observed.connectSpeaker = { configuration, launch in
            try begin(.connectSpeaker)
            return try await connectSpeaker(configuration, launch)
        }
        observed.presentPushInformation = { launch in
            try begin(.presentPushInformation)
            try await presentPushInformation(launch)
        }
        observed.followLink = { launch in
            try begin(.deeplink)
            try await followLink(launch)
        }
        observed.performShortcut = { launch in
            try begin(.shortcut)
            try await performShortcut(launch)
        }
        observed.restoreAccount = { launch in
            try begin(.restoreAccount)
            try await restoreAccount(launch)
        }
        observed.fetchEntitlements = { launch in
            try begin(.entitlements)
            return try await fetchEntitlements(launch)
        }
        observed.paywall = { entitlements, launch in
            try begin(.paywall)
            try await paywall(entitlements, launch)
        }
        observed.onboarding = { launch in
            try begin(.onboarding)
            try await onboarding(launch)
        }
        observed.becomeActive = { launch in
            try begin(.becomeActive)
            try await becomeActive(launch)
        }
        observed.mainApp = { content, launch in
            try begin(.mainApp)
            try await mainApp(content, launch)
        }
        observed.bootstrap = bootstrap.observed(begin)
        return observed
    }
}

extension BootstrapOperations {
    fileprivate func observed(_ begin: @escaping @Sendable (StartupStep) throws -> Void) -> BootstrapOperations {
        var observed = self
        observed.checkResources = { launch in
            try begin(.checkResources)
            try await checkResources(launch)
        }
        let onMain: [(StartupStep, WritableKeyPath<BootstrapOperations, @MainActor @Sendable (Launch) async throws -> Void>)] = [
            (.register, \.register), (.configure, \.configure), (.endProcessPhase, \.endProcessPhase), (.connectScene, \.connectScene),
            (.startCoordinator, \.startCoordinator), (.installObservers, \.installObservers),
        ]
        for (step, body) in onMain {
            let original = self[keyPath: body]
            observed[keyPath: body] = { launch in
                try begin(step)
                try await original(launch)
            }
        }
        observed.chooseFirstScreen = { configuration, launch in
            try begin(.firstScreen)
            try await chooseFirstScreen(configuration, launch)
        }
        return observed
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

/// Lets operations wait until a number of them have come, and knows how many there were at the same time.
final class Meeting: Sendable {
    private let expected: Int
    private let everyone = Gate()
    private let state = Locked((present: 0, arrived: 0, most: 0))

    init(of expected: Int) { self.expected = expected }

    /// The most that were there at the same time.
    var most: Int { state.withLock { $0.most } }

    /// Comes, waits for the others, and leaves.
    func attend() async {
        let isLast = come()
        if isLast { everyone.open() }
        await everyone.wait()
        leave()
    }

    /// Comes, and is the one that the others waited for or not.
    @discardableResult
    func come() -> Bool {
        state.withLock { state in
            state.present += 1
            state.arrived += 1
            state.most = max(state.most, state.present)
            return state.arrived == expected
        }
    }

    func leave() { state.withLock { $0.present -= 1 } }
}
