import Foundation

/// What an SDK's set-up keeps, and where: secrets in the secure store, the rest in the data store.
struct SDKStorage: Sendable {
    /// Who the app is to the service, and to which. The place belongs to the secrets: they must never be sent to another.
    struct Credentials: Codable, Equatable, Sendable {
        let baseURL: String
        let clientID: String
        let clientSecret: String

        init(_ configuration: SDKConfiguration) {
            baseURL = configuration.baseURL.absoluteString
            clientID = configuration.clientID.value
            clientSecret = configuration.clientSecret.value
        }

        /// Whether a session of these is one of the others too.
        func sharesSessions(with other: Credentials) -> Bool { baseURL == other.baseURL && clientID == other.clientID }
    }

    private struct Boot: Codable, Sendable {
        let baseURL: String
        let isLoggingEnabled: Bool
        let logLevel: SDKLogLevel
    }

    enum Opened {
        case credentials(Credentials)
        case empty
        /// It could not be read, and has been made anew.
        case recreated(because: String)
    }

    static let credentials: StoreKey = "sdk-credentials"
    static let boot: StoreKey = "sdk-boot-configuration"

    let services: any SDKServices

    /// Opens the secure store; one that is corrupted is made anew.
    func open() throws(SDKError) -> Opened {
        switch services.secureStore.read(Self.credentials) {
        case .absent: return .empty
        case .value(let data):
            if let credentials = try? JSONDecoder().decode(Credentials.self, from: data) { return .credentials(credentials) }
            return try recreate(because: "what was stored under \(Self.credentials) made no sense")
        case .unavailable(let error) where error.code == .corrupt: return try recreate(because: error.description)
        case .unavailable(let error): throw failure(error)
        }
    }

    func persist(_ credentials: Credentials) throws(SDKError) {
        do {
            try services.secureStore.save(credentials, for: Self.credentials)
        } catch {
            throw failure(error)
        }
    }

    func persistBoot(_ configuration: SDKConfiguration) throws(StorageError) {
        let boot = Boot(
            baseURL: configuration.baseURL.absoluteString,
            isLoggingEnabled: configuration.isLoggingEnabled,
            logLevel: configuration.logLevel
        )
        try services.dataStore.save(boot, for: Self.boot)
    }

    /// The configuration of the last initialisation. Of an initialisation that did not get to its end there is none.
    func recover() -> StoredAnswer<SDKConfiguration> {
        let credentials: Credentials
        switch services.secureStore.value(Credentials.self, for: Self.credentials) {
        case .value(let value): credentials = value
        case .absent: return .absent
        case .unavailable(let error): return .unavailable(error)
        }
        switch services.dataStore.value(Boot.self, for: Self.boot) {
        case .absent: return .absent
        case .unavailable(let error): return .unavailable(error)
        case .value(let boot):
            guard boot.baseURL == credentials.baseURL, let url = URL(string: boot.baseURL) else { return .absent }
            return .value(
                SDKConfiguration(
                    baseURL: url,
                    clientID: Secret(credentials.clientID),
                    clientSecret: Secret(credentials.clientSecret),
                    isLoggingEnabled: boot.isLoggingEnabled,
                    logLevel: boot.logLevel,
                    logWriter: nil
                )
            )
        }
    }

    /// Forgets the session, and so that no token of it can be sent elsewhere, fails when that is not possible.
    func clearSession() throws(SDKError) {
        do {
            try services.clearSession()
        } catch let error as StorageError {
            throw failure(error)
        } catch {
            throw SDKError(.secureStorageFailed, "session", "it could not be cleared: \(error)", underlying: error)
        }
    }

    func removeAll() throws(SDKError) {
        do {
            try services.secureStore.remove(Self.credentials)
            try services.dataStore.remove(Self.boot)
        } catch {
            throw failure(error)
        }
    }

    private func recreate(because reason: String) throws(SDKError) -> Opened {
        let store = services.secureStore
        do {
            try store.setAside(Self.credentials, because: reason)
        } catch {
            // One value alone cannot be put away: the whole store goes.
            do { try store.removeAll() } catch { throw failure(error) }
        }
        if case .unavailable = store.read(Self.credentials) {
            do { try store.removeAll() } catch { throw failure(error) }
        }
        // A token from before may be for another service: who that was is not known any more.
        try clearSession()
        if case .unavailable(let error) = store.read(Self.credentials) { throw failure(error) }
        return .recreated(because: reason)
    }

    private func failure(_ error: StorageError) -> SDKError {
        switch error.code {
        case .accessDenied:
            SDKError(
                .accessDenied,
                "secure storage",
                error.description,
                resolution:
                    "give the app access to it: on Apple platforms the keychain-sharing entitlement and signing, elsewhere the folder's "
                    + "owner and mode 0700; then initialise again",
                underlying: error
            )
        case .locked:
            SDKError(
                .secureStorageFailed,
                "secure storage",
                error.description,
                resolution: "initialise again after the device has been unlocked; nothing was deleted",
                underlying: error
            )
        default:
            SDKError(
                .secureStorageFailed,
                "secure storage",
                error.description,
                resolution: "see that it can be written to, then initialise again",
                underlying: error
            )
        }
    }
}
