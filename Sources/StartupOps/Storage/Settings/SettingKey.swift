/// A setting: its name, the type of its values, and the value it has until another one is set.
///
/// ```swift
/// extension SettingKey where Value == Int {
///     static var tutorialPages: SettingKey { SettingKey("tutorialPages", default: 3) }
/// }
/// settings[.tutorialPages]
/// ```
public struct SettingKey<Value: Codable & Sendable>: Sendable {
    /// What it is stored under, and called in reports.
    public let name: String
    /// Its value while none is set, or what is set makes no sense.
    public let defaultValue: Value

    /// A setting of this name.
    public init(_ name: String, default defaultValue: Value) {
        self.name = name
        self.defaultValue = defaultValue
    }
}

extension SettingKey: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension SettingKey where Value == OnboardingType {
    /// How somebody who starts the app for the first time gets in. Default: `regular`.
    public static var onboarding: SettingKey { SettingKey("onboarding", default: .regular) }
}

extension SettingKey where Value == Bool {
    /// Whether the first launch stays on the splash screen until the remote configuration is there. Default: false.
    public static var waitsForRemoteConfigurationOnFirstLaunch: SettingKey {
        SettingKey("waitsForRemoteConfigurationOnFirstLaunch", default: false)
    }

    /// Whether the subscription offer is presented right after a login. Default: false.
    public static var presentsSubscriptionAfterLogin: SettingKey { SettingKey("presentsSubscriptionAfterLogin", default: false) }

    /// Whether the subscription offer is presented on every start to those who have no subscription. Default: false.
    public static var presentsSubscriptionOnEveryStart: SettingKey { SettingKey("presentsSubscriptionOnEveryStart", default: false) }

    /// Whether no launch has completed before. Default: true.
    ///
    /// ``Settings/freeze(_:)`` sets it in the snapshot from what ``LaunchState`` knows; there is no need to set it.
    public static var isFirstLaunch: SettingKey { SettingKey("isFirstLaunch", default: true) }

    /// Whether a session that is there in the first launch, from an earlier installation, is kept to restore the account. Default: false.
    public static var enablesRestoreAccount: SettingKey { SettingKey("enablesRestoreAccount", default: false) }

    /// Whether the splash screen plays its video. Default: false.
    public static var showsSplashVideo: SettingKey { SettingKey("showsSplashVideo", default: false) }
}

extension SettingKey where Value == String {
    /// Identifies this installation. ``Settings`` generates it once; its default, the empty text, is never seen in a snapshot.
    public static var deviceIdentifier: SettingKey { SettingKey("deviceIdentifier", default: "") }
}
