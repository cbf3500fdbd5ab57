extension ConditionName {
    /// The splash video has ended, or the app has gone to the background while it played.
    public static let splashVideoDone: ConditionName = "splashVideoDone"
    /// The app's own splash screen has ended.
    public static let splashControllerEnded: ConditionName = "splashControllerEnded"
    /// There is a configuration: from the server, from the cache, or the default one.
    public static let configurationPresent: ConditionName = "configurationPresent"
    /// The flags of the first start have been fetched.
    public static let initialFlagsRefreshed: ConditionName = "initialFlagsRefreshed"
    /// The first screen has not been chosen yet.
    public static let notAlreadyPassed: ConditionName = "notAlreadyPassed"
}

/// What the first screen of an app has to wait for.
public struct FirstScreenOptions: Sendable, Hashable {
    /// Whether a video is shown while the app starts.
    public var showsSplashVideo: Bool
    /// Whether the app has a splash screen of its own, which says itself when it has ended.
    public var hasSplashController: Bool
    /// Whether the first start waits for the flags from the server.
    public var waitsForInitialFlags: Bool
    /// Whether someone is logged in: who is has been through a first start before.
    public var isLoggedIn: Bool

    /// Options; by default nothing is waited for but the configuration.
    public init(
        showsSplashVideo: Bool = false,
        hasSplashController: Bool = false,
        waitsForInitialFlags: Bool = false,
        isLoggedIn: Bool = false
    ) {
        self.showsSplashVideo = showsSplashVideo
        self.hasSplashController = hasSplashController
        self.waitsForInitialFlags = waitsForInitialFlags
        self.isLoggedIn = isLoggedIn
    }
}

extension ReadinessGate {
    /// The gate before the first screen: the splash has been seen, there is a configuration, the flags are there, and it has not opened before.
    ///
    /// The configuration is met by whichever comes first of the server's answer, the cached one and the default one; say which with
    /// `meet(.configurationPresent, by: "the cache")`.
    public static func firstScreen(
        _ options: FirstScreenOptions = FirstScreenOptions(),
        elapsed: (@Sendable () -> Duration)? = nil
    ) -> ReadinessGate {
        let gate = ReadinessGate(
            "first-screen",
            [
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
                GateCondition(.initialFlagsRefreshed, setBy: "refresh of the flags", because: "onboarding is chosen by them"),
                GateCondition(
                    .notAlreadyPassed,
                    setBy: "first-screen",
                    because: "the first screen is chosen once",
                    isMetByDefault: true
                ),
            ],
            unmetOncePassed: .notAlreadyPassed,
            elapsed: elapsed
        )
        if options.isLoggedIn {
            gate.bypass(.initialFlagsRefreshed, because: "the person is logged in already")
        } else if !options.waitsForInitialFlags {
            gate.bypass(.initialFlagsRefreshed, because: "the app does not wait for them")
        }
        return gate
    }

    /// Lets the splash video count as done when the app goes to the background: nobody is watching, and nothing would say that it ended.
    @discardableResult
    public func endSplashVideoInBackground(_ lifecycle: AppLifecycle) -> Task<Void, Never> {
        follow(.splashVideoDone, lifecycle.events(), by: "going to the background") { $0 == .didEnterBackground ? true : nil }
    }
}
