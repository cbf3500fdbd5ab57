import Foundation
import Sequencer
import StartupOps

/// The backend that the sample launch talks to: accounts, tokens, configuration, GraphQL and faults, all in memory.
///
/// It is logic without a transport. ``EmbeddedBackend`` puts it behind `URLSession` in this process, the server in
/// `Examples/Backend` behind a socket; both give the same answers. Its passwords are samples and are kept as they are,
/// its tokens cannot be verified: nothing here is fit for anything but samples and tests. Any thread may call it.
///
/// Two accounts exist: `person@example.com` (verified, entitled to `premium`) and `new@example.com` (not verified),
/// both with the password `correct horse`. The code that verifies an account is `000000`.
///
/// ```swift
/// let service = SampleService()
/// service.setFault(.status(503), for: "/v1/configuration", times: 2)
/// let backend = EmbeddedBackend(service)
/// ```
public final class SampleService: Sendable {
    private let state: Locked<SampleServiceState>
    private let now: @Sendable () -> Date
    private let store: (any DataStore)?
    /// Whether the last change got into the store.
    private let isStored = Locked(true)
    /// Where it is: the same place wherever it is made from the same store.
    let address: URL
    private static let memory: StoreKey = "sample-service"

    /// A service.
    ///
    /// - Parameters:
    ///   - store: keeps accounts and sessions, so that services in other processes know them, also at the same time;
    ///       nil when they are forgotten.
    ///   - now: its clock.
    public init(
        _ options: SampleServiceOptions = SampleServiceOptions(),
        store: (any DataStore)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        var state = SampleServiceState(options)
        let memory = store?.value(SampleServiceState.Memory.self, for: Self.memory).value
        if let memory { state.memory = memory }
        address = memory?.host.flatMap(Self.address) ?? Self.newAddress()
        self.state = Locked(state)
        self.store = store
        self.now = now
    }

    /// The address of a host that has the form of ours; nil for any other: a stored host may have been damaged or
    /// planted.
    private static func address(of host: String) -> URL? {
        host.wholeMatch(of: /sample-[a-z0-9]{1,40}\.invalid/).flatMap { URL(string: "https://\($0.output)") }
    }

    private static func newAddress() -> URL {
        while true {
            if let url = address(of: "sample-\(String(UInt32.random(in: .min ... .max), radix: 36)).invalid") { return url }
        }
    }

    /// The answer to a request.
    public func answer(_ request: HTTPRequest) -> SampleAnswer {
        let now = now()
        // A GET changes nothing that outlives the service.
        if request.method == .get { return state.withLock { $0.answer(request, now: now) } }
        return change { $0.answer(request, now: now) }
    }

    /// Changes accounts and sessions as the store has them, and stores them before the answer is out. A failure is
    /// ignored: it is a sample.
    private func change<Result>(_ body: (inout SampleServiceState) -> Result) -> Result {
        guard let store else { return state.withLock { body(&$0) } }
        var result: Result?
        do {
            // Other processes may run a service over the same store, so their additions are read again before this one
            // writes.
            try store.withExclusiveAccess {
                let stored = isStored.withLock { $0 } ? store.value(SampleServiceState.Memory.self, for: Self.memory).value : nil
                var memory = state.withLock { state in
                    if let stored { state.memory = stored }
                    result = body(&state)
                    return state.memory
                }
                memory.host = address.host()
                try store.save(memory, for: Self.memory)
                isStored.withLock { $0 = true }
            }
        } catch {
            // The store lacks a change: what this process knows counts next time.
            isStored.withLock { $0 = false }
        }
        return result ?? state.withLock { body(&$0) }
    }

    /// The number of requests by method and path ("POST /oauth/token"). Requests to `/_admin` are not counted.
    package var counts: [String: Int] { state.withLock { $0.counts } }

    /// Makes the requests to a path go wrong: all of them until ``removeFaults()``, or as many as `times` says. The
    /// latest fault counts.
    public func setFault(_ fault: SampleFault, for path: String, times: Int? = nil) {
        state.withLock { $0.setFault(fault, for: path, times: times) }
    }

    /// Makes nothing go wrong any more.
    public func removeFaults() { state.withLock { $0.removeFaults() } }

    /// From now on every access token that was given out counts as expired, also before the time that is written in it.
    public func expireTokens() { change { $0.memory.sessions.expireAccessTokens() } }

    /// From now on no refresh token that was given out is worth anything.
    public func endSessions() { change { $0.memory.sessions.endSessions() } }

    /// Replaces the version policy by this JSON, such as `["minimumVersion": "2.0.0"]`; what makes no sense is sent,
    /// too.
    public func setVersionPolicy(_ policy: JSONValue) { state.withLock { $0.versionPolicy = .json(policy) } }

    /// Demands an update: no version below this one may run.
    package func requireUpdate(to version: String = "999.0.0", message: String = "This version can no longer be used.") {
        setVersionPolicy(["minimumVersion": .string(version), "message": .string(message)])
    }

    /// Replaces the speakers, such as when their port is known.
    public func setSpeakers(_ speakers: [Speaker]) { state.withLock { $0.options.speakers = speakers } }

    /// Everything as it was to begin with: no new accounts, no sessions, no faults, no counts, the first version
    /// policy. Speakers stay.
    package func reset() { change { $0.reset() } }
}

/// The state of a sample service to begin with, and after `reset`. Unless changed, nothing in it keeps an app from
/// launching.
public struct SampleServiceOptions: Sendable {
    /// How long an access token is valid; whole seconds. None are at zero: each token has expired when it arrives.
    public var tokenLifetime = Duration.seconds(3600)
    /// The version of the configuration.
    public var configurationVersion = "7"
    /// How the app greets a new user.
    public var onboarding = OnboardingType.regular
    /// The features that are switched on or off.
    public var features = ["paywall": true, "speakers": true]
    /// The feature flags, which count over the configuration; nil for a service without them.
    public var flags: FeatureFlags? = FeatureFlags()
    /// Whether a session that outlived a reinstallation is kept; nil leaves it to the app.
    public var restoreAccount: Bool?
    /// The speakers that can be connected to. The first one's address is in the configuration.
    public var speakers: [Speaker] = []

    /// The options of a service that has no speakers.
    public init() {}
}
