import Foundation

extension SDKConfiguration {
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
        /// Who the app is to the service. Required.
        public func clientId(_ id: String) -> Builder { with { $0.clientId = Secret(id) } }
        /// What the app proves that with. Required.
        public func clientSecret(_ secret: Secret) -> Builder { with { $0.clientSecret = secret } }
        /// Whether anything is logged; not by default.
        public func enableLogging(_ isEnabled: Bool = true) -> Builder { with { $0.isLoggingEnabled = isEnabled } }
        /// From which level on; ``SDKLogLevel/off`` by default.
        public func logLevel(_ level: SDKLogLevel) -> Builder { with { $0.level = level } }
        /// Where to; to standard error by default.
        public func logWriter(_ writer: any SDKLogWriter) -> Builder { with { $0.writer = writer } }
        /// Accepts `http` as long as it stays on this machine (127.0.0.1, ::1, localhost): for tests.
        public func allowInsecureLoopback() -> Builder { with { $0.allowsInsecureLoopback = true } }

        /// The configuration.
        ///
        /// - Throws: ``SDKError`` with ``SDKError/Code/missingField``, or with ``SDKError/Code/invalidBaseURL``, naming the field.
        public func build() throws(SDKError) -> SDKConfiguration {
            let baseUrl = try required(baseUrl, "baseUrl")
            let clientId = try required(clientId?.value, "clientId")
            let clientSecret = try required(clientSecret?.value, "clientSecret")
            return SDKConfiguration(
                baseURL: try SDKBaseURL.check(baseUrl, allowsInsecureLoopback: allowsInsecureLoopback),
                clientID: Secret(clientId),
                clientSecret: Secret(clientSecret),
                isLoggingEnabled: isLoggingEnabled,
                logLevel: level,
                logWriter: writer
            )
        }

        /// A log as asked for so far: to log that the rest is wrong.
        func makeLog() -> SDKLog {
            let log = SDKLog(isEnabled: isLoggingEnabled, level: level, writer: writer)
            if let clientId { log.redact(clientId) }
            if let clientSecret { log.redact(clientSecret) }
            return log
        }

        private func required(_ value: String?, _ field: String) throws(SDKError) -> String {
            guard let value else {
                throw SDKError(.missingField, field, "it is required and was not set", resolution: "set it with .\(field)(...)")
            }
            if value.allSatisfy(\.isWhitespace) {
                throw SDKError(
                    .missingField,
                    field,
                    "it is required and is blank",
                    resolution: "give .\(field)(...) the value you were issued"
                )
            }
            return value
        }

        private func with(_ change: (inout Builder) -> Void) -> Builder {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
