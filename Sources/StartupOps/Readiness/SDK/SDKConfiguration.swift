import Foundation

/// What an SDK is set up with. It is made by a ``Builder``, which checks it.
///
/// ```swift
/// let configuration = try SDKConfiguration.Builder()
///     .baseUrl("https://api.example.com").clientId("app").clientSecret(secret).enableLogging().logLevel(.info)
///     .build()
/// ```
public struct SDKConfiguration: Sendable, Equatable {
    /// Where its service is.
    public let baseURL: URL
    /// Who the app is to the service.
    public let clientID: Secret
    /// What the app proves that with.
    public let clientSecret: Secret
    /// Whether it logs at all.
    public let isLoggingEnabled: Bool
    /// From which level on it logs.
    public let logLevel: SDKLogLevel
    /// Where it logs to; nil for standard error.
    public let logWriter: (any SDKLogWriter)?

    init(
        baseURL: URL,
        clientID: Secret,
        clientSecret: Secret,
        isLoggingEnabled: Bool,
        logLevel: SDKLogLevel,
        logWriter: (any SDKLogWriter)?
    ) {
        self.baseURL = baseURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.isLoggingEnabled = isLoggingEnabled
        self.logLevel = logLevel
        self.logWriter = logWriter
    }

    /// Two configurations are the same when no field differs; a log writer is the same only as itself.
    public static func == (left: SDKConfiguration, right: SDKConfiguration) -> Bool { left.differences(from: right).isEmpty }

    /// The names of the fields in which two configurations differ: never what they hold.
    public func differences(from other: SDKConfiguration) -> [String] {
        [
            ("baseUrl", baseURL != other.baseURL),
            ("clientId", clientID != other.clientID),
            ("clientSecret", clientSecret != other.clientSecret),
            ("enableLogging", isLoggingEnabled != other.isLoggingEnabled),
            ("logLevel", logLevel != other.logLevel),
            ("logWriter", logWriter !== other.logWriter),
        ]
        .filter(\.1).map(\.0)
    }

    /// A log as this configuration asks for it, which keeps the credentials to itself.
    func makeLog() -> SDKLog {
        let log = SDKLog(isEnabled: isLoggingEnabled, level: logLevel, writer: logWriter)
        log.redact(clientID)
        log.redact(clientSecret)
        log.redact(Secret("\(clientID.value):\(clientSecret.value)"))
        return log
    }
}
