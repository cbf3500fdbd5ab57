extension ConditionName {
    /// The splash video has ended, or the app has gone to the background while it played.
    static let splashVideoDone: ConditionName = "splashVideoDone"
    /// The app's own splash screen has ended.
    static let splashControllerEnded: ConditionName = "splashControllerEnded"
    /// There is a configuration: from the server, from the cache, or the default one.
    static let configurationPresent: ConditionName = "configurationPresent"
    /// The flags of the first start have been fetched.
    static let initialFlagsRefreshed: ConditionName = "initialFlagsRefreshed"
    /// It is known who is there: somebody who is logged in, a guest, or nobody.
    static let userKnown: ConditionName = "userKnown"
    /// The first screen has not been chosen yet.
    static let notAlreadyPassed: ConditionName = "notAlreadyPassed"
}

/// The conditions of the first screen of an app; by default nothing is waited for but the configuration.
struct FirstScreenOptions: Sendable, Hashable {
    /// Whether a video is shown while the app starts.
    var showsSplashVideo = false
    /// Whether the app has a splash screen of its own, which says itself when it has ended.
    var hasSplashController = false
    /// Whether the first start waits for the flags from the server.
    var waitsForInitialFlags = false
    /// Whether someone is logged in: who is has been through a first start before.
    var isLoggedIn = false
    /// Whether it is found out during the launch who is there.
    var waitsForUser = false
}

extension ReadinessGate {
    /// The gate before the first screen: the splash has been seen, there is a configuration, the flags are there, and it has not opened before.
    ///
    /// The configuration is met by the first of the server's answer, the cached one and the default one; say which with
    /// `meet(.configurationPresent, by: "the cache")`.
    static func firstScreen(
        _ options: FirstScreenOptions = FirstScreenOptions(),
        elapsed: (@Sendable () -> Duration)? = nil
    ) -> ReadinessGate {
        var conditions = [
            GateCondition(
                .splashVideoDone,
                setBy: "splash video",
                because: "the video is not to be cut off",
                isMetByDefault: !options.showsSplashVideo
            ),
            GateCondition(
                .splashControllerEnded,
                setBy: "splash controller",
                because: "the app's own splash is not to be cut off",
                isMetByDefault: !options.hasSplashController
            ),
            GateCondition(.configurationPresent, setBy: "fetch-config", because: "the first screen is chosen by it"),
            GateCondition(.initialFlagsRefreshed, setBy: "fetch-flags", because: "onboarding is chosen by them"),
        ]
        // Only where somebody has to be found out: another app would wait for ever.
        if options.waitsForUser {
            conditions.append(GateCondition(.userKnown, setBy: "start-coordinator", because: "an account is offered to nobody else"))
        }
        conditions.append(
            GateCondition(.notAlreadyPassed, setBy: "first-screen", because: "the first screen is chosen once", isMetByDefault: true)
        )
        let gate = ReadinessGate("first-screen", conditions, unmetOncePassed: .notAlreadyPassed, elapsed: elapsed)
        gate.bypassInitialFlags(unlessWaiting: options.waitsForInitialFlags, isLoggedIn: options.isLoggedIn)
        return gate
    }

    /// Bypasses the flags, unless the app waits for them and nobody is logged in.
    func bypassInitialFlags(unlessWaiting waits: Bool, isLoggedIn: Bool) {
        if isLoggedIn {
            bypass(.initialFlagsRefreshed, because: "the person is logged in already")
        } else if !waits {
            bypass(.initialFlagsRefreshed, because: "the app does not wait for them")
        }
    }

    /// Bypasses those of the conditions that are still unmet. The steps that should meet them have ended: they failed, or were cut off, left out
    /// or replaced by the app's own.
    ///
    /// - Returns: the conditions that were bypassed.
    func bypassUnmet(_ ended: [ConditionName]) -> [ConditionName] {
        let unmet = Set(conditions.filter { !$0.isMet }.map(\.condition.name))
        // Only those that are unmet: a bypass would otherwise take the place of the true source.
        return ended.filter { unmet.contains($0) && bypass($0, because: "its step has ended without it") != .tooLate }
    }

    /// Lets the splash video count as done when the app goes to the background: nobody is watching, and nothing would say that it ended.
    @discardableResult
    func endSplashVideoInBackground(_ lifecycle: AppLifecycle) -> Task<Void, Never> {
        // Other events say nothing about the video.
        follow(.splashVideoDone, lifecycle.events(), by: "going to the background") { $0 == .didEnterBackground ? true : nil }
    }
}
