import Sequencer
import StartupOps

extension StartupSteps {
    /// Steps that succeed at once, and are noted.
    static func instant(_ times: BodyTimes) -> StartupSteps {
        let configuration = LoadedConfiguration(.bundled, from: .bundled)
        var steps = StartupSteps.simulated()
        let screens: [StartupStep<ScreenWork>] = [
            .splash, .presentPushInformation, .deeplink, .shortcut, .restoreAccount, .onboarding, .becomeActive, .register, .configure,
            .endProcessPhase, .connectScene, .startCoordinator, .installObservers,
        ]
        for screen in screens { steps[screen] = { _ in times.body(()) } }
        steps[.forceUpdate] = { _ in times.body(()) }
        steps[.checkResources] = { _ in times.body(()) }
        steps[.fetchConfig] = { _ in times.body(configuration) }
        steps[.fetchFlags] = { _ in times.body(FeatureFlags()) }
        steps[.login] = { _, _ in times.body(.guest) }
        steps[.tutorial] = { _, _ in times.body(()) }
        steps[.connectSpeaker] = { _, _ in times.body(nil) }
        steps[.entitlements] = { _ in times.body(Entitlements()) }
        steps[.paywall] = { _, _ in times.body(()) }
        steps[.mainApp] = { _, _ in times.body(()) }
        steps[.firstScreen] = { _, _ in times.body(()) }
        return steps
    }
}
