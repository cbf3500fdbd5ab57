import Foundation

/// The running app, as its services and its stored state know it.
public struct AppInfo: Sendable, Hashable {
    /// The version that decides whether an update is required, and whether the tutorial has anything new.
    public var version: SemanticVersion
    /// What the app runs on, such as "ios" or "linux".
    public var platform: String
    /// The country and language the device is set to.
    public var region: Region

    /// An app.
    public init(version: SemanticVersion, platform: String = currentPlatform, region: Region = AppInfo.deviceRegion) {
        self.version = version
        self.platform = platform
        self.region = region
    }

    /// The country and language this device is set to; English in the United States where it does not say.
    public static var deviceRegion: Region {
        let locale = Locale.current
        return Region(country: locale.region?.identifier ?? "US", language: locale.language.languageCode?.identifier ?? "en")
    }
}
