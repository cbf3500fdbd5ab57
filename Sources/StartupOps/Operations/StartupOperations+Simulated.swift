import Sequencer

extension StartupOperations {
    /// Operations that take their time and do nothing else: to see a launch's shape, and to try budgets before anything is written.
    ///
    /// Each takes as long as it is expected to, or as `durations` says, by the launch's clock and without holding a thread.
    ///
    /// - Parameters:
    ///   - requiresUpdate: whether the force-update check finds that this version may not be used.
    ///   - durations: how long steps take that do not take what is expected of them, by identifier.
    ///   - showUpdate: called when the update screen takes over.
    public static func simulated(
        requiresUpdate: Bool = false,
        durations: [String: Duration] = [:],
        showUpdate: @escaping @MainActor @Sendable () -> Void = {}
    ) -> StartupOperations {
        @Sendable func wait(_ step: StartupStep, _ launch: Launch) async throws {
            try await launch.sleep(for: durations[step.id] ?? step.expected)
        }
        let configuration = LoadedConfiguration(.bundled, from: .bundled)
        return StartupOperations(
            splash: { try await wait(.splash, $0) },
            forceUpdate: { launch in
                try await wait(.forceUpdate, launch)
                if requiresUpdate { launch.abort(.forceUpdate) { showUpdate() } }
            },
            fetchConfiguration: { launch in
                try await wait(.fetchConfig, launch)
                return configuration
            },
            fallbackConfiguration: { _, _ in configuration },
            logIn: { _, launch in
                try await wait(.login, launch)
                return .guest
            },
            tutorial: { _, launch in try await wait(.tutorial, launch) },
            connectSpeaker: { _, launch in
                try await wait(.connectSpeaker, launch)
                return nil
            },
            presentPushInformation: { try await wait(.presentPushInformation, $0) },
            followLink: { try await wait(.deeplink, $0) },
            performShortcut: { try await wait(.shortcut, $0) },
            restoreAccount: { try await wait(.restoreAccount, $0) },
            fetchEntitlements: { launch in
                try await wait(.entitlements, launch)
                return Entitlements()
            },
            paywall: { _, launch in try await wait(.paywall, launch) },
            onboarding: { try await wait(.onboarding, $0) },
            becomeActive: { try await wait(.becomeActive, $0) },
            mainApp: { _, launch in try await wait(.mainApp, launch) },
            offersSubscription: false,
            bootstrap: .simulated(wait)
        )
    }
}
