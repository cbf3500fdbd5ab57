import Foundation
import StartupNetworking

/// The services that an SDK's set-up needs from the app that it is a part of.
public protocol SDKServices: Sendable {
    /// Where credentials and tokens are kept.
    var secureStore: any SecureStore { get }
    /// Where everything else is kept.
    var dataStore: any DataStore { get }
    /// The access token of an earlier session. By default the one in the secure store.
    func storedAccessToken() -> StoredAnswer<Secret>
    /// Forgets an earlier session: after this no token of it can be sent anywhere. By default the token in the secure
    /// store is removed.
    func clearSession() throws
    /// Makes the client and the services that use it, for one configuration. Nothing is sent yet.
    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession
}

extension StoreKey {
    /// The access token, as UTF-8 text, for ``SDKServices`` that do not keep it elsewhere.
    public static let sdkAccessToken: StoreKey = "sdk-access-token"
}

extension SDKServices {
    /// The access token in the secure store.
    public func storedAccessToken() -> StoredAnswer<Secret> {
        secureStore.read(.sdkAccessToken).map { Secret(String(decoding: $0, as: UTF8.self)) }
    }

    /// Removes the access token from the secure store.
    public func clearSession() throws { try secureStore.remove(.sdkAccessToken) }
}

/// A client and the services that use it, from one initialisation to the next reset.
public protocol SDKSession: Sendable {
    /// Cancels the requests under way. From then on nothing is sent or stored: a late answer may bring a token that the
    /// next service must not get.
    func invalidate()

    /// Gets a new access token with the means of the SDK, and stores it. Called before the restore where the stored
    /// access token is a JSON Web Token that has expired, or does so within a minute. Nothing is done by default.
    func refreshToken(by deadline: Deadline) async throws

    /// The user's entitlements, the first part of every restore. This validates the session.
    func fetchEntitlements(by deadline: Deadline) async throws -> Set<String>

    /// The parts of the restore that follow, each when the one before it has ended; asked for when the restore begins.
    /// None by default.
    var restoreSteps: [SDKRestoreStep] { get }
}

extension SDKSession {
    /// Nothing: tokens that say when they expire are the service's matter.
    public func refreshToken(by deadline: Deadline) async throws {}

    /// None: the session is restored when the entitlements are there.
    public var restoreSteps: [SDKRestoreStep] { [] }
}

/// Stores the values of an SDK's set-up: secrets in the secure store, the rest in the data store.
struct SDKStorage: Sendable {
    /// The app's credentials, and the service that they are for. The service belongs to the secrets: they must never be
    /// sent to another.
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
    func open() throws -> Opened {
        switch services.secureStore.read(Self.credentials) {
        case .absent: return .empty
        case .value(let data):
            if let credentials = try? JSONDecoder().decodeForeign(Credentials.self, from: data) { return .credentials(credentials) }
            return try recreate(because: "what was stored under \(Self.credentials) made no sense")
        case .unavailable(let error) where error.code == .corrupt: return try recreate(because: error.description)
        // A locked or denied store has lost nothing, so nothing is made anew.
        case .unavailable(let error): throw error
        }
    }

    func persist(_ credentials: Credentials) throws { try services.secureStore.save(credentials, for: Self.credentials) }

    func persistBoot(_ configuration: SDKConfiguration) throws(StorageError) {
        let boot = Boot(
            baseURL: configuration.baseURL.absoluteString,
            isLoggingEnabled: configuration.isLoggingEnabled,
            logLevel: configuration.logLevel
        )
        try services.dataStore.save(boot, for: Self.boot)
    }

    /// The configuration of the last initialisation that got to its end.
    func recover() -> StoredAnswer<SDKConfiguration> {
        do throws(StorageError) {
            guard let credentials = try services.secureStore.value(Credentials.self, for: Self.credentials).get(),
                let boot = try services.dataStore.value(Boot.self, for: Self.boot).get(),
                // Both name the service: of two writes that were cut apart neither counts.
                boot.baseURL == credentials.baseURL, let url = URL(string: boot.baseURL)
            else { return .absent }
            return .value(
                SDKConfiguration(
                    baseURL: url,
                    clientID: Secret(credentials.clientID),
                    clientSecret: Secret(credentials.clientSecret),
                    isLoggingEnabled: boot.isLoggingEnabled,
                    logLevel: boot.logLevel,
                    // A writer cannot be stored.
                    logWriter: nil
                )
            )
        } catch {
            return .unavailable(error)
        }
    }

    /// Forgets the session, the credentials and the configuration.
    ///
    /// - Throws: the first error, after everything else has been removed.
    func removeAll() throws {
        // The secrets first: a removal that fails half-way leaves only the address.
        let removals = [
            services.clearSession,
            { try services.secureStore.remove(Self.credentials) },
            { try services.dataStore.remove(Self.boot) },
        ]
        var problem: (any Error)?
        for remove in removals { do { try remove() } catch { problem = problem ?? error } }
        if let problem { throw problem }
    }

    private func recreate(because reason: String) throws -> Opened {
        let store = services.secureStore
        try? store.setAside(Self.credentials, because: reason)
        // Where one value alone cannot be put away, the whole store goes.
        if store.read(Self.credentials) != .absent { try store.removeAll() }
        // A token from before may be for another service: who that was is not known any more.
        try services.clearSession()
        if case .unavailable(let error) = store.read(Self.credentials) { throw error }
        return .recreated(because: reason)
    }

    /// Why a set-up has failed; an app's own error can only be one of clearing the session.
    static func failure(_ error: any Error) -> SDKError {
        if let error = error as? SDKError { return error }
        guard let error = error as? StorageError else {
            return SDKError(.secureStorageFailed, "session", "it could not be cleared: \(error)", underlying: error)
        }
        let resolution =
            switch error.code {
            case .accessDenied:
                "give the app access to it: on Apple platforms the keychain-sharing entitlement and signing, elsewhere the folder's "
                    + "owner and mode 0700; then initialise again"
            case .locked: "initialise again after the device has been unlocked; nothing was deleted"
            default: "see that it can be written to, then initialise again"
            }
        let code: SDKError.Code = error.code == .accessDenied ? .accessDenied : .secureStorageFailed
        return SDKError(code, "secure storage", error.description, resolution: resolution, underlying: error)
    }
}
