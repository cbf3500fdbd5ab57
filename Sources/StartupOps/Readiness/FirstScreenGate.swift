extension ConditionName {
    /// The splash video has ended, or the app has gone to the background while it played.
    static let splashVideoDone: ConditionName = "splashVideoDone"
    /// The app's own splash screen has ended.
    static let splashControllerEnded: ConditionName = "splashControllerEnded"
    /// There is a configuration: from the server, from the cache, or the default one.
    static let configurationPresent: ConditionName = "configurationPresent"
    /// The flags of the first start have been fetched.
    static let initialFlagsRefreshed: ConditionName = "initialFlagsRefreshed"
    /// The user is known: logged in, a guest, or nobody.
    static let userKnown: ConditionName = "userKnown"
}

extension ReadinessGate {
    /// The gate before the first screen of a white-label app: the splash has been seen, there is a configuration, the
    /// flags are there, and the user is known.
    ///
    /// The configuration is met by the first of the server's answer, the cached one and the default one; say which with
    /// `meet(.configurationPresent, by: "the cache")`.
    ///
    /// - Parameters:
    ///   - showsSplashVideo: whether a video is shown while the app starts.
    ///   - hasSplashController: whether the app has its own splash screen, which says itself when it has finished.
    static func firstScreen(
        showsSplashVideo: Bool = false,
        hasSplashController: Bool = false,
        elapsed: (@Sendable () -> Duration)? = nil
    ) -> ReadinessGate {
        let conditions: [(ConditionName, setBy: String, reason: String, isMet: Bool)] = [
            (.splashVideoDone, "splash video", "the video is not to be cut off", !showsSplashVideo),
            (.splashControllerEnded, "splash controller", "the app's own splash is not to be cut off", !hasSplashController),
            (.configurationPresent, "fetch-config", "the first screen is chosen by it", false),
            (.initialFlagsRefreshed, "fetch-flags", "onboarding is chosen by them", false),
            (.userKnown, "start-coordinator", "an account is offered to nobody else", false),
        ]
        return ReadinessGate(
            "first-screen",
            conditions.map { GateCondition($0.0, setBy: $0.setBy, because: $0.reason, isMetByDefault: $0.isMet) },
            elapsed: elapsed
        )
    }

    /// Bypasses the flags, unless the app waits for them and nobody is logged in.
    func bypassInitialFlags(unlessWaiting waits: Bool, isLoggedIn: Bool) {
        if waits, !isLoggedIn { return }
        bypass(.initialFlagsRefreshed, because: isLoggedIn ? "the person is logged in already" : "the app does not wait for them")
    }
}
