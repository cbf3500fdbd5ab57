import Foundation
import Sequencer

/// The backend that the sample launch talks to: accounts, tokens, configuration, GraphQL and faults, all in memory.
///
/// It is logic without a transport. ``EmbeddedBackend`` puts it behind `URLSession` in this process, the server in `Examples/Backend` behind
/// a socket; both give the same answers. Its passwords are samples and are kept as they are, its tokens cannot be verified: nothing here is fit
/// for anything but samples and tests. Any thread may call it.
///
/// Two accounts exist: `person@example.com` (verified, entitled to `premium`) and `new@example.com` (not verified), both with the
/// password `correct horse`. The code that verifies an account is `000000`.
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
    private static let memory: StoreKey = "sample-service"

    /// A service.
    ///
    /// - Parameters:
    ///   - store: keeps accounts and sessions, so that a service in another process knows them; nil when they are forgotten.
    ///   - now: what it takes for the time. Nil, the default: the time at which it is made and what has passed since, so that setting the machine's clock
    ///     ends no session.
    public init(
        _ options: SampleServiceOptions = SampleServiceOptions(),
        store: (any DataStore)? = nil,
        now: (@Sendable () -> Date)? = nil
    ) {
        var state = SampleServiceState(options)
        if let memory = store?.value(SampleServiceState.Memory.self, for: Self.memory).value { state.memory = memory }
        self.state = Locked(state)
        self.store = store
        self.now = now ?? Self.steadyTime()
    }

    /// The time now, and from then on by a clock that nobody can set.
    private static func steadyTime() -> @Sendable () -> Date {
        let (date, start) = (Date(), ContinuousClock.now)
        return { date.addingTimeInterval(start.duration(to: .now) / .seconds(1)) }
    }

    /// What to send in answer to a request.
    public func answer(_ request: HTTPRequest) -> SampleAnswer {
        let now = now()
        let answer = state.withLock { $0.answer(request, now: now) }
        if request.method != .get { remember() }
        return answer
    }

    /// Keeps what must not be forgotten, before the answer is out. What cannot be kept is forgotten: it is a sample.
    private func remember() {
        guard let store else { return }
        try? store.withExclusiveAccess {
            try store.save(state.withLock { $0.memory }, for: Self.memory)
        }
    }

    /// How many requests have come, by method and path ("POST /oauth/token"). Requests to `/_admin` are not counted.
    public var counts: [String: Int] { state.withLock { $0.counts } }

    /// Makes the requests to a path go wrong: all of them until ``removeFaults()``, or as many as `times` says. The latest fault counts.
    public func setFault(_ fault: SampleFault, for path: String, times: Int? = nil) {
        state.withLock { $0.setFault(fault, for: path, times: times) }
    }

    /// Makes nothing go wrong any more.
    public func removeFaults() { state.withLock { $0.removeFaults() } }

    /// From now on every access token that was given out has expired, whatever is written in it.
    public func expireTokens() { state.withLock { $0.sessions.expireAccessTokens() } }

    /// From now on no refresh token that was given out is worth anything.
    public func endSessions() { state.withLock { $0.sessions.endSessions() } }

    /// Replaces the version policy.
    public func setVersionPolicy(_ policy: SampleVersionPolicy) {
        state.withLock { $0.versionPolicy = HTTPResponse.json(policy) }
    }

    /// Demands an update: no version below this one may run.
    public func requireUpdate(to version: String = "999.0.0", message: String? = "This version can no longer be used.") {
        setVersionPolicy(SampleVersionPolicy(minimumVersion: version, message: message))
    }

    /// Replaces the speakers, such as when their port is known.
    public func setSpeakers(_ speakers: [SampleSpeaker]) {
        state.withLock { $0.options.speakers = speakers }
    }

    /// Everything as it was to begin with: no new accounts, no sessions, no faults, no counts, the first version policy. Speakers stay.
    public func reset() { state.withLock { $0.reset() } }
}
