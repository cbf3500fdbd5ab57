import Foundation
import StartupNetworking

/// The configuration of an SDK. It is made by a ``Builder``, which checks it.
///
/// ```swift
/// let configuration = try SDKConfiguration.Builder()
///     .baseUrl("https://api.example.com").clientId("app").clientSecret(secret).enableLogging().logLevel(.info)
///     .build()
/// ```
public struct SDKConfiguration: Sendable, Equatable {
    /// Where its service is.
    public let baseURL: URL
    /// The app's identifier at the service.
    let clientID: Secret
    /// The secret that belongs to the identifier.
    public let clientSecret: Secret
    /// Whether it logs at all.
    let isLoggingEnabled: Bool
    /// From which level on it logs.
    let logLevel: SDKLogLevel
    /// Where it logs to; nil for standard error.
    let logWriter: (any SDKLogWriter)?

    /// Two configurations are the same when no field differs; a log writer is the same only as itself.
    public static func == (left: SDKConfiguration, right: SDKConfiguration) -> Bool { left.differences(from: right).isEmpty }

    /// The names of the fields in which two configurations differ, without their values.
    func differences(from other: SDKConfiguration) -> [String] {
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
    func makeLog() -> SDKLog { SDKLog(isEnabled: isLoggingEnabled, level: logLevel, writer: logWriter, id: clientID, secret: clientSecret) }

    /// Collects the fields of a configuration, in any order, and checks them at the end.
    public struct Builder: Sendable {
        private var baseUrl: String?
        private var clientId: Secret?
        private var clientSecret: Secret?
        private var isLoggingEnabled = false
        private var level = SDKLogLevel.off
        private var writer: (any SDKLogWriter)?
        private var allowsInsecureLoopback = false

        /// Nothing is set yet; logging is off.
        public init() {}

        /// Where the service is: `https`, with a host. Required.
        public func baseUrl(_ url: String) -> Builder { with { $0.baseUrl = url } }
        /// The app's identifier at the service. Required.
        public func clientId(_ id: String) -> Builder { with { $0.clientId = Secret(id) } }
        /// The secret that belongs to the identifier. Required.
        public func clientSecret(_ secret: Secret) -> Builder { with { $0.clientSecret = secret } }
        /// Whether anything is logged; not by default.
        public func enableLogging(_ isEnabled: Bool = true) -> Builder { with { $0.isLoggingEnabled = isEnabled } }
        /// From which level on; ``SDKLogLevel/off`` by default.
        public func logLevel(_ level: SDKLogLevel) -> Builder { with { $0.level = level } }
        /// Where to; to standard error by default.
        public func logWriter(_ writer: any SDKLogWriter) -> Builder { with { $0.writer = writer } }
        /// Accepts `http` as long as it stays on this machine (127.0.0.1, ::1, localhost): for tests.
        package func allowInsecureLoopback() -> Builder { with { $0.allowsInsecureLoopback = true } }

        /// The configuration.
        ///
        /// - Throws: ``SDKError`` with ``SDKError/Code/missingField``, or with ``SDKError/Code/invalidBaseURL``, naming
        ///     the field.
        public func build() throws(SDKError) -> SDKConfiguration {
            let baseUrl = try required(baseUrl, "baseUrl")
            let clientId = try required(clientId?.value, "clientId")
            let clientSecret = try required(clientSecret?.value, "clientSecret")
            return SDKConfiguration(
                baseURL: try checkedURL(baseUrl),
                clientID: Secret(clientId),
                clientSecret: Secret(clientSecret),
                isLoggingEnabled: isLoggingEnabled,
                logLevel: level,
                logWriter: writer
            )
        }

        /// A log as asked for so far: to log that the rest is wrong.
        func makeLog() -> SDKLog {
            SDKLog(isEnabled: isLoggingEnabled, level: level, writer: writer, id: clientId, secret: clientSecret)
        }

        private func required(_ value: String?, _ field: String) throws(SDKError) -> String {
            guard let value else {
                throw SDKError(.missingField, field, "it is required and was not set", resolution: "set it with .\(field)(...)")
            }
            if !value.allSatisfy(\.isWhitespace) { return value }
            throw SDKError(.missingField, field, "it is required and is blank", resolution: "give .\(field)(...) the value you were issued")
        }

        private func with(_ change: (inout Builder) -> Void) -> Builder {
            var copy = self
            change(&copy)
            return copy
        }
    }
}

extension SDKConfiguration.Builder {
    /// The URL, when it is `https` with a plain host, and nothing in it that does not belong into a base URL.
    private func checkedURL(_ text: String) throws(SDKError) -> URL {
        func refuse(_ reason: String) -> SDKError {
            SDKError(.invalidBaseURL, "baseUrl", reason, resolution: "give one like https://api.example.com")
        }
        guard let url = URL(plain: text) else {
            throw refuse("it is no URL, or has characters that have to be percent-encoded")
        }
        if let violation = url.requestViolation { throw refuse(violation) }
        if url.query() != nil || url.fragment() != nil { throw refuse("it has a query or a fragment") }
        if url.scheme?.lowercased() == "http", !allowsInsecureLoopback {
            throw refuse("it is http, and credentials would travel in the clear: https is required")
        }
        return url
    }
}
