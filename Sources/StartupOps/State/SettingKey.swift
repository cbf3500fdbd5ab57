/// A setting: its name, the type of its values, and the value it has until another one is set.
///
/// ```swift
/// extension SettingKey where Value == Int {
///     static var tutorialPages: SettingKey { SettingKey("tutorialPages", default: 3) }
/// }
/// settings[.tutorialPages]
/// ```
public struct SettingKey<Value: Codable & Sendable>: Sendable {
    /// The setting's name in the store and in reports.
    let name: String
    /// Its value until one is set, and in place of an unreadable one.
    let defaultValue: Value

    /// A setting of this name.
    public init(_ name: String, default defaultValue: Value) {
        self.name = name
        self.defaultValue = defaultValue
    }
}

extension SettingKey where Value == OnboardingType {
    /// How somebody who starts the app for the first time gets in. Once set, it counts over the configuration's kind.
    /// Default: the configuration's, or `regular`.
    public static var onboarding: SettingKey { SettingKey("onboarding", default: .regular) }
}

extension SettingKey where Value == Bool {
    /// Whether the first launch of a white-label app stays on the splash screen until the feature flags are there,
    /// which count over its configuration; for as long as ``StartupStep/fetchFlags`` may take. Default: false.
    public static var waitsForRemoteConfigurationOnFirstLaunch: SettingKey {
        SettingKey("waitsForRemoteConfigurationOnFirstLaunch", default: false)
    }

    /// Whether the subscription offer is presented right after a login, but to no guest. Default: false.
    public static var presentsSubscriptionAfterLogin: SettingKey { SettingKey("presentsSubscriptionAfterLogin", default: false) }

    /// Whether the subscription offer is presented on every start to those who have no subscription, other than guests.
    /// Default: false.
    public static var presentsSubscriptionOnEveryStart: SettingKey { SettingKey("presentsSubscriptionOnEveryStart", default: false) }

    /// Whether a session that is there in the first launch, from an earlier installation, is kept to restore the
    /// account. In a launch by a ``BootstrapPlan``, the plan can say so, too: either is enough. Default: false.
    public static var enablesRestoreAccount: SettingKey { SettingKey("enablesRestoreAccount", default: false) }

    /// Whether the splash screen plays its video, ``SplashPresenter/playSplashVideo()``. Default: false.
    public static var showsSplashVideo: SettingKey { SettingKey("showsSplashVideo", default: false) }
}
