import Foundation

/// The running app, as its services and its stored state know it.
public struct AppInfo: Sendable, Hashable {
    /// The version that decides whether an update is required, and whether the tutorial has anything new.
    public var version: SemanticVersion
    /// The platform, such as "ios" or "linux".
    public var platform: String
    /// The country and language the device is set to.
    var region: Region

    /// An app; unless said otherwise, on this platform, and in the region of this device.
    public init(version: SemanticVersion, platform: String? = nil, region: Region? = nil) {
        self.version = version
        self.platform = platform ?? currentPlatform
        self.region = region ?? Self.deviceRegion
    }

    /// The country and language this device is set to; English in the United States where it does not say.
    static var deviceRegion: Region {
        let locale = Locale.current
        return Region(country: locale.region?.identifier ?? "US", language: locale.language.languageCode?.identifier ?? "en")
    }
}

/// The platform of this process, by its name for services: "ios", "macos", "linux".
let currentPlatform: String = {
    #if os(iOS)
        "ios"
    #elseif os(macOS)
        "macos"
    #elseif os(tvOS)
        "tvos"
    #elseif os(watchOS)
        "watchos"
    #elseif os(visionOS)
        "visionos"
    #elseif os(Linux)
        "linux"
    #else
        "unknown"
    #endif
}()
