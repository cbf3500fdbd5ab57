/// What a client says about itself with every request.
public struct ClientInfo: Sendable, Hashable {
    /// This installation's identifier.
    public let deviceID: String
    /// "ios", "macos", "linux".
    public let platform: String
    /// The app's version, such as "1.4.0".
    public let appVersion: String
    /// What the names of the REST headers begin with: "X-Sequencer" makes "X-Sequencer-Platform".
    public let headerPrefix: String
    /// The language that operations ask for when nothing else is said; empty: the service's default.
    public let language: String

    /// What a client says about itself.
    public init(
        deviceID: String,
        platform: String,
        appVersion: String,
        headerPrefix: String = "X-Sequencer",
        language: String = ""
    ) {
        self.deviceID = deviceID
        self.platform = platform
        self.appVersion = appVersion
        self.headerPrefix = headerPrefix
        self.language = language
    }
}
