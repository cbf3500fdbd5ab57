/// What this code runs on, as services are told: "ios", "macos", "linux".
public let currentPlatform: String = {
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
