import Foundation
import Sequencer

/// Keeps a user's session and gives out its access token, refreshed when that is needed: one manager for all transports
/// of a client.
///
/// However many callers need a token that has expired, it is refreshed once, and all get the new one. Each waits no
/// longer than its own deadline, and can be cancelled without the others noticing. A refresh that fails for a temporary
/// reason (network, status 5xx, time) fails its callers and keeps the session; only a ``SessionRejected`` ends
///
/// A token's own claim (`exp` of a `JSONWebToken`) says when it expires. A stored token without one is refreshed before
/// its first use. A token that has just been issued is trusted, also when it looks expired (then the device's clock is
/// wrong): for as long as the service said ("expires_in"), or until the service turns it down.
///
/// ```swift
/// let tokens = TokenManager(store: SessionStore(keychain)) { session, deadline in
///     try await endpoint.refresh(session, deadline: deadline)
/// }
/// let client = APIClient(environment, client: info, http: http, cache: cache, tokens: tokens)
/// ```
public final class TokenManager: Sendable, Opaque {
    /// Gets a new token for a session.
    typealias Refresh = @Sendable (Session, Deadline) async throws -> Session?
    private typealias Machine = TokenStateMachine

    private struct Flight {
        let task: Task<Void, Never>
        let timer: DeadlineTimer?
    }

    private struct State {
        var machine: Machine
        var waiters: [UInt64: OneShot<AccessToken?>] = [:]
        var refreshes: [UInt64: Flight] = [:]
        var nextWaiter: UInt64 = 0
        /// The session that the store had when it was asked or told last.
        var inStore: Session?
    }

    /// The waiting callers, the refreshes under way, and the machine that decides. With the lock taken it is asked;
    /// what follows is done after.
    private let state: Locked<State>
    /// Held while the store is told something, so that the last decision is stored last.
    private let storing = NSLock()
    private let store: SessionStore
    private let now: @Sendable () -> Date
    private let shared: SharedRefresh
    private let broadcaster = EventBroadcaster<TokenEvent>()
    private static let ends = DispatchQueue(label: "sequencer.networking.refreshes", qos: .userInitiated)

    /// A manager of the session that is kept in `store`.
    ///
    /// - Parameters:
    ///   - store: where the session is kept; read at the first use.
    ///   - now: the time of day, which tokens' expiry is compared with.
    ///   - refresh: gets a new token for a session; nil when that is not possible, which ends a session that has
    ///     expired and has no refresh token (``LogoutReason/expired``). It throws ``SessionRejected`` when the service
    ///     has ended the session. Called from a separate task, never more than once for a token unless it hung; a
    ///     result after its deadline is dropped.
    public convenience init(
        store: SessionStore,
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping @Sendable (Session, Deadline) async throws -> Session?
    ) {
        self.init(store: store, policy: TokenPolicy(), now: now, refresh: refresh)
    }

    init(
        store: SessionStore,
        policy: TokenPolicy,
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping Refresh
    ) {
        self.store = store
        self.now = now
        shared = SharedRefresh(store: store, limit: policy.refreshLimit, refresh: refresh)
        state = Locked(State(machine: Machine(leeway: policy.leeway, patience: policy.patience)))
    }

    /// The events of the session from now on: each access gives a separate stream.
    public var events: AsyncStream<TokenEvent> { broadcaster.stream() }

    /// The session, as it is now. Unavailable does not mean logged out: ask again later.
    public var session: StoredAnswer<Session> {
        loadIfNeeded()
        return state.withLock { state in
            switch state.machine.holding {
            case .session(let held): .value(held.session)
            case .nobody: .absent
            case .unknown(let error): .unavailable(error ?? StorageError(.inputOutput, "session", "the store has not been asked"))
            }
        }
    }

    /// Why the last session was ended in this process; nil when none was, or when a user other than a guest has logged
    /// in since.
    package var lastLogout: LogoutReason? { state.withLock { $0.machine.lastLogout } }

    /// Whether a token belongs to the session of now, be it its latest token or an earlier one.
    package func isCurrent(_ token: AccessToken) -> Bool { state.withLock { $0.machine.generation == token.generation } }

    /// Whether the service has turned down this token of the session.
    func hasRefused(_ token: AccessToken) -> Bool { state.withLock { $0.machine.refused == token } }

    /// A session has been opened, in place of the one that was open. A token that has expired by its own claim is
    /// refreshed before its first use.
    public func begin(_ session: Session) { begin(session, isIssuedNow: false) }

    /// - Parameter isIssuedNow: whether the service has given the token just now. If it looks expired, the device's
    ///   clock is wrong, and the token is used.
    package func begin(_ session: Session, isIssuedNow: Bool) {
        let now = now()
        KnownSecrets.add(session)
        perform { $0.begin(session, isIssuedNow: isIssuedNow, now: now) }
    }

    /// Keeps the session that is open, for a login that the user may leave half-way; nil without one.
    ///
    /// - Returns: opens it again, with the tokens that it had, in place of another user's, and says whether it did: not
    ///   where it is open still, nor where a session has been ended since.
    package func sessionKeeper() -> (@Sendable () -> Bool)? {
        // A session of the app's own source cannot be put back there.
        if store.source != nil { return nil }
        loadIfNeeded()
        let kept = state.withLock { state in state.machine.session.map { (session: $0.session, ends: state.machine.ends) } }
        guard let kept else { return nil }
        return { [self] in
            let now = now()
            let events = perform { $0.putBack(kept.session, ends: kept.ends, now: now) ?? Machine.Effects() }
            return !events.isEmpty
        }
    }

    /// Ends the session and clears all that is stored of it.
    public func end(_ reason: LogoutReason) {
        // Only the store knows whether there is a session to end, and an event to send.
        loadIfNeeded()
        perform { $0.end(reason) }
    }

    /// How many callers wait for a refresh: for tests, to know that all have arrived.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// A token to send.
    ///
    /// - Parameters:
    ///   - requirement: `.optional` gives nil, at once, without a usable token.
    ///   - rejected: the token that the service has just turned down, to get a better one; waits for a refresh unless
    ///       there has been one since.
    ///   - deadline: how long to wait for a refresh.
    /// - Throws: ``NetworkError`` with the code `missingAccessToken`, `sessionUnavailable`, `refreshTokenFailed` (with
    ///   the cause underneath), `timedOut` or `cancelled` (also when the session became another one meanwhile).
    package func token(
        for requirement: TokenRequirement,
        replacing rejected: AccessToken? = nil,
        deadline: Deadline
    ) async throws(NetworkError) -> AccessToken? {
        try await grant(for: requirement, replacing: rejected, deadline: deadline).token
    }

    /// A token to send, and whether it was refreshed meanwhile: to refresh it again would bring another one like it.
    func grant(
        for requirement: TokenRequirement,
        replacing rejected: AccessToken? = nil,
        deadline: Deadline
    ) async throws(NetworkError) -> (token: AccessToken?, isNew: Bool) {
        // Both at each use: a store that could not be read, or written, is tried again.
        loadIfNeeded()
        storeIfNeeded()
        let now = now()
        let grant = OneShot<AccessToken?>()
        let (waiter, answer) = state.withLock { state in
            state.nextWaiter += 1
            let answer = state.machine.ask(requirement, replacing: rejected, by: state.nextWaiter, now: now)
            // In the same lock as the answer: a refresh that ends at once has to find the waiter, and itself.
            if case .wait = answer { state.waiters[state.nextWaiter] = grant }
            switch answer {
            case .use(_, let flight?), .wait(let flight?): state.refreshes[flight.id] = begin(flight)
            default: break
            }
            return (state.nextWaiter, answer)
        }
        switch answer {
        case .fail(let error): throw error
        case .use(let token, _): return (token, isNew: false)
        case .wait:
            let timer = DeadlineTimer(deadline) { grant.give(.failure(NetworkError.tokenTimedOut)) }
            defer { timer?.cancel() }
            do {
                return (try await grant.value, isNew: true)
            } catch {
                let error = error as? NetworkError ?? .tokenCancelled
                state.withLock { state in
                    // By a deadline alone a refresh is told to be overdue.
                    state.machine.leave(waiter, isOutOfTime: error.code == .timedOut)
                    state.waiters[waiter] = nil
                }
                throw error
            }
        }
    }

    // MARK: - Refreshing

    /// Begins a refresh, with the lock held: it cannot end before it is written down.
    private func begin(_ flight: Machine.Flight) -> Flight {
        // Not a child of the caller's task: the caller may be cancelled, and others wait for it too. It keeps this
        // object until it has ended, so that a refresh token which the service has replaced is stored also when all
        // callers have left.
        let task = Task.detached { [self] in
            await shared.run(flight.session, knowing: { knowledge }) { ended(flight.id, $0) }
        }
        // Not on the timers' queue: what could not be stored before is stored then, which may wait for a disk.
        let timer = DeadlineTimer(.after(shared.longest)) { [weak self] in
            Self.ends.async { [weak self] in self?.ended(flight.id, .failed(NetworkError.tokenTimedOut)) }
        }
        return Flight(task: task, timer: timer)
    }

    private func ended(_ flight: UInt64, _ result: Machine.RefreshResult) {
        let now = now()
        switch result {
        // Before it is used: an answer to the first request may quote it.
        case .session(let session), .stored(let session): KnownSecrets.add(session)
        case .impossible, .rejected, .failed: break
        }
        perform(ending: flight) { $0.refreshEnded(flight, result, now: now) }
    }

    /// Changes the machine and does what follows from it: first it is told and stored, then the callers continue.
    ///
    /// - Returns: the events that it has told.
    @discardableResult
    private func perform(ending flight: UInt64? = nil, _ change: (inout Machine) -> Machine.Effects) -> [TokenEvent] {
        let (events, refreshes, waiters) = state.withLock { state in
            let effects = change(&state.machine)
            // Noted under the lock, so that events have the order of the decisions.
            effects.events.forEach(broadcaster.note)
            let ended = effects.cancelled + (flight.map { [$0] } ?? [])
            return (
                effects.events,
                ended.compactMap { state.refreshes.removeValue(forKey: $0) },
                effects.resumed.compactMap { waiter, result in state.waiters.removeValue(forKey: waiter).map { ($0, result) } }
            )
        }
        // Outside the lock, here and below: a cancelled task may call back at once.
        for refresh in refreshes {
            refresh.timer?.cancel()
            refresh.task.cancel()
        }
        // Stored before anybody has the token: a crash must not lose the only good refresh token (T7).
        storeIfNeeded()
        for (waiter, result) in waiters { waiter.give(result.mapError { $0 }) }
        return events
    }

    // MARK: - Storing

    private func loadIfNeeded() {
        if store.source != nil { return followSource() }
        guard state.withLock({ $0.machine.needsLoading }) else { return }
        let answer = store.load()
        if let session = answer.value { KnownSecrets.add(session) }
        state.withLock { state in
            // Another thread may have been faster, whose answer counts then.
            if state.machine.needsLoading { state.inStore = answer.value }
            state.machine.loaded(answer)
        }
    }

    /// Follows the events of the session in the app's own source.
    private func followSource() {
        // An end that the source has not been told yet counts more than its word.
        guard state.withLock({ $0.machine.unstored == nil }) else { return }
        let (answer, now) = (store.load(), now())
        if let session = answer.value { KnownSecrets.add(session) }
        perform { $0.follow(answer, now: now) }
        state.withLock { $0.inStore = answer.value }
    }

    private var knowledge: SharedRefresh.Knowledge {
        state.withLock { SharedRefresh.Knowledge(stored: $0.inStore, hasNewer: $0.machine.unstored != nil) }
    }

    /// Tells the store the latest change, if it has not been told. After a failure this is tried again at each use of
    /// the session.
    private func storeIfNeeded() {
        guard state.withLock({ $0.machine.unstored != nil }) else { return }
        storing.lock()
        defer { storing.unlock() }
        // Looked at again under the lock: another thread may have told the store, or there may be something newer to
        // tell.
        while let (change, session) = state.withLock({ $0.machine.unstored }) {
            let reason = state.withLock { $0.machine.lastLogout }
            do {
                if let session { try store.save(session) } else { try store.clear(because: reason) }
                state.withLock { state in
                    state.machine.didStore(change)
                    state.inStore = session
                }
            } catch {
                state.withLock { $0.machine.couldNotStore(change, error).forEach(broadcaster.note) }
                return
            }
        }
    }
}
