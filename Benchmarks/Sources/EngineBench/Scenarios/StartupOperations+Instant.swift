import StartupOps

extension StartupOperations {
    /// Operations that succeed at once, and are noted.
    static func instant(_ times: BodyTimes) -> StartupOperations {
        let configuration = LoadedConfiguration(.bundled, from: .bundled)
        var operations = StartupOperations.simulated()
        operations.splash = { _ in times.body(()) }
        operations.forceUpdate = { _ in times.body(()) }
        operations.fetchConfiguration = { _ in times.body(configuration) }
        operations.logIn = { _, _ in times.body(.guest) }
        operations.tutorial = { _, _ in times.body(()) }
        operations.connectSpeaker = { _, _ in times.body(nil) }
        operations.presentPushInformation = { _ in times.body(()) }
        operations.followLink = { _ in times.body(()) }
        operations.performShortcut = { _ in times.body(()) }
        operations.restoreAccount = { _ in times.body(()) }
        operations.fetchEntitlements = { _ in times.body(Entitlements()) }
        operations.paywall = { _, _ in times.body(()) }
        operations.onboarding = { _ in times.body(()) }
        operations.becomeActive = { _ in times.body(()) }
        operations.mainApp = { _, _ in times.body(()) }
        operations.bootstrap.checkResources = { _ in times.body(()) }
        operations.bootstrap.register = { _ in times.body(()) }
        operations.bootstrap.configure = { _ in times.body(()) }
        operations.bootstrap.endProcessPhase = { _ in times.body(()) }
        operations.bootstrap.connectScene = { _ in times.body(()) }
        operations.bootstrap.startCoordinator = { _ in times.body(()) }
        operations.bootstrap.willFetchConfiguration = { _ in times.body(()) }
        operations.bootstrap.chooseFirstScreen = { _, _ in times.body(()) }
        operations.bootstrap.installObservers = { _ in times.body(()) }
        return operations
    }
}
