/// What an SDK's set-up needs from the app that it is a part of.
public protocol SDKServices: Sendable {
    /// Where credentials and tokens are kept.
    var secureStore: any SecureStore { get }
    /// Where everything else is kept.
    var dataStore: any DataStore { get }
    /// The access token of an earlier session. By default the one in the secure store.
    func storedAccessToken() -> StoredAnswer<Secret>
    /// Forgets an earlier session: after this no token of it can be sent anywhere. By default the token in the secure store is removed.
    func clearSession() throws
    /// Makes the client and what works on it, for one configuration. Nothing is sent yet.
    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession
}

extension StoreKey {
    /// The access token, as UTF-8 text, for ``SDKServices`` that do not keep it elsewhere.
    public static let sdkAccessToken: StoreKey = "sdk-access-token"
}

extension SDKServices {
    /// The access token in the secure store.
    public func storedAccessToken() -> StoredAnswer<Secret> {
        switch secureStore.read(.sdkAccessToken) {
        case .value(let data): .value(Secret(String(decoding: data, as: UTF8.self)))
        case .absent: .absent
        case .unavailable(let error): .unavailable(error)
        }
    }

    /// Removes the access token from the secure store.
    public func clearSession() throws { try secureStore.remove(.sdkAccessToken) }
}

/// A client and what works on it, from one initialisation to the next reset.
public protocol SDKSession: Sendable {
    /// Cancels what is under way, and lets nothing be sent any more.
    func invalidate()

    /// What the person is entitled to. This validates the session, and refreshes a token that is about to expire.
    func fetchEntitlements(by deadline: Deadline) async throws -> Set<String>

    /// Whether geofencing was active when the app last ran.
    var wasGeofencingActive: Bool { get }
    /// Takes geofencing up again.
    func resumeGeofencing(by deadline: Deadline) async throws

    /// Whether the person has walking sync switched on.
    var isWalkingSyncEnabled: Bool { get }
    /// What a person has to be entitled to for walking sync.
    var walkingSyncEntitlement: String { get }
    /// Takes walking sync up again.
    func startWalkingSync(by deadline: Deadline) async throws
    /// Syncs once, now.
    func syncWalkingNow(by deadline: Deadline) async throws
}
