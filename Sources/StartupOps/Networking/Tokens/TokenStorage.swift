import Foundation
import Sequencer
import StartupStorage

/// The lock, the tasks and the store around a `TokenStateMachine`: takes the lock, asks, lets go, then acts.
///
/// - `state`: the waiting callers, the refreshes under way, and the machine that decides; guarded by its own lock.
/// - `storing`: held while the store is told something, so that the last decision is stored last.
final class TokenStorage: Sendable {
    private typealias Machine = TokenStateMachine
    private typealias Answer = Result<TokenGrant, NetworkError>

    private struct Waiter {
        let continuation: CheckedContinuation<Answer, Never>
        var timer: DeadlineTimer?
    }

    private struct Refresh {
        let task: Task<Void, Never>
        let timer: DeadlineTimer?
    }

    private struct State {
        var machine: Machine
        var waiters: [UInt64: Waiter] = [:]
        var refreshes: [UInt64: Refresh] = [:]
        var nextWaiter: UInt64 = 0
        /// The session that the store had when it was asked or told last.
        var inStore: Session?
    }

    private let state: Locked<State>
    private let storing = NSLock()
    private let store: SessionStore
    private let policy: TokenPolicy
    private let now: @Sendable () -> Date
    private let refresh: SharedRefresh
    private let broadcaster = EventBroadcaster<TokenEvent>()

    init(store: SessionStore, policy: TokenPolicy, now: @escaping @Sendable () -> Date, refresh: @escaping TokenManager.Refresh) {
        self.store = store
        self.policy = policy
        self.now = now
        self.refresh = SharedRefresh(store: store, limit: policy.refreshLimit, refresh: refresh)
        state = Locked(State(machine: Machine(leeway: policy.leeway, patience: policy.patience)))
    }

    var events: AsyncStream<TokenEvent> { broadcaster.stream() }

    var session: StoredAnswer<Session> {
        loadIfNeeded()
        return state.withLock { state in
            switch state.machine.holding {
            case .session(let held): .value(held.session)
            case .nobody: .absent
            case .unknown(let error): .unavailable(error ?? StorageError(.inputOutput, "session", "the store has not been asked"))
            }
        }
    }

    var usableToken: AccessToken? {
        loadIfNeeded()
        let now = now()
        return state.withLock { state in
            state.machine.session.flatMap { $0.freshness(at: now) == .expired ? nil : $0.token }
        }
    }

    var lastLogout: LogoutReason? { state.withLock { $0.machine.lastLogout } }

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func isCurrent(_ token: AccessToken) -> Bool {
        state.withLock { $0.machine.generation == token.generation }
    }

    func begin(_ session: Session) {
        let now = now()
        KnownSecrets.add(session)
        perform { $0.begin(session, now: now) }
    }

    func keep() -> KeptSession? {
        loadIfNeeded()
        return state.withLock { $0.machine.keep() }.map { KeptSession(self, $0) }
    }

    fileprivate func putBack(_ id: UInt64) -> Bool {
        let now = now()
        var isBack = false
        perform { machine in
            guard let effects = machine.putBack(id, now: now) else { return Machine.Effects() }
            isBack = true
            return effects
        }
        return isBack
    }

    fileprivate func letGo(_ id: UInt64) { state.withLock { $0.machine.letGo(id) } }

    func end(_ reason: LogoutReason) {
        // Only the store knows whether there is a session to end, and an event to send.
        loadIfNeeded()
        perform { $0.end(reason) }
    }

    func grant(
        for requirement: TokenRequirement,
        replacing rejected: AccessToken?,
        deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        // Both at each use: a store that could not be read, or written, is tried again.
        loadIfNeeded()
        storeIfNeeded()
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(requirement, replacing: rejected, by: waiter, deadline: deadline, continuation)
            }
        } onCancel: {
            leave(waiter, .tokenCancelled)
        }
        return try result.get()
    }
}

/// A session that is kept for a login that a person may leave half-way. It is kept until this is let go of, or a session is ended.
package final class KeptSession: Sendable {
    private let storage: TokenStorage
    private let id: UInt64

    fileprivate init(_ storage: TokenStorage, _ id: UInt64) {
        self.storage = storage
        self.id = id
    }

    deinit { storage.letGo(id) }

    /// Opens the session again, with the latest tokens it was given, in place of another user's.
    ///
    /// - Returns: whether it did: not where it is open still, nor where a session has been ended since.
    package func putBack() -> Bool { storage.putBack(id) }
}

// MARK: - Waiting

extension TokenStorage {
    private func ask(
        _ requirement: TokenRequirement,
        replacing rejected: AccessToken?,
        by waiter: UInt64,
        deadline: Deadline,
        _ continuation: CheckedContinuation<Answer, Never>
    ) {
        let now = now()
        let answer = state.withLock { state in
            let answer = state.machine.ask(requirement, replacing: rejected, by: waiter, now: now)
            // In the same lock as the answer: a refresh that ends at once has to find the waiter.
            if case .wait = answer { state.waiters[waiter] = Waiter(continuation: continuation) }
            return answer
        }
        switch answer {
        case .fail(let error): continuation.resume(returning: .failure(error))
        case .use(let token, let flight):
            if let flight { start(flight) }
            continuation.resume(returning: .success(TokenGrant(token: token, isNew: false)))
        case .wait(let flight):
            if let flight { start(flight) }
            let timer = DeadlineTimer(deadline) { [weak self] in self?.leave(waiter, .tokenTimedOut) }
            // Under the lock: the refresh may have ended before there was a timer to cancel.
            let isWaiting = state.withLock { state in
                state.waiters[waiter]?.timer = timer
                return state.waiters[waiter] != nil
            }
            if !isWaiting { timer?.cancel() }
            // A cancellation from before there was anything to leave has found nothing; this finds it.
            if Task.isCancelled { leave(waiter, .tokenCancelled) }
        }
    }

    private func leave(_ id: UInt64, _ error: NetworkError) {
        let waiter = state.withLock { state in
            // By a deadline alone a refresh is told to be overdue.
            state.machine.leave(id, isOutOfTime: error.code == .timedOut)
            return state.waiters.removeValue(forKey: id)
        }
        waiter?.timer?.cancel()
        waiter?.continuation.resume(returning: .failure(error))
    }
}

// MARK: - Refreshing

extension TokenStorage {
    private func start(_ flight: Machine.Flight) {
        // Not a child of the caller's task: the caller may be cancelled, and others wait for it too. It keeps this object until it has ended, so
        // that a refresh token which the service has replaced is stored also when all callers have left.
        let task = Task.detached { [self] in
            await refresh.run(flight.session, knowing: { knowledge }) { ended(flight.id, $0) }
        }
        let timer = DeadlineTimer(.after(refresh.longest)) { [weak self] in self?.ended(flight.id, .failed(NetworkError.tokenTimedOut)) }
        // The task may have ended the flight before this line.
        let isUnderWay = state.withLock { state in
            guard state.machine.flights.contains(where: { $0.id == flight.id }) else { return false }
            state.refreshes[flight.id] = Refresh(task: task, timer: timer)
            return true
        }
        if !isUnderWay {
            task.cancel()
            timer?.cancel()
        }
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

    /// Changes the machine and does what follows from it: first it is stored, then it is told.
    private func perform(ending flight: UInt64? = nil, _ change: (inout Machine) -> Machine.Effects) {
        let (refreshes, waiters) = state.withLock { state in
            let effects = change(&state.machine)
            // Noted under the lock, so that events have the order of the decisions.
            broadcaster.note(effects.events)
            let ended = effects.cancelled + (flight.map { [$0] } ?? [])
            return (
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
        broadcaster.handOut()
        for (waiter, result) in waiters {
            waiter.timer?.cancel()
            waiter.continuation.resume(returning: result.map { TokenGrant(token: $0, isNew: true) })
        }
    }
}

// MARK: - Storing

extension TokenStorage {
    private func loadIfNeeded() {
        guard state.withLock({ $0.machine.needsLoading }) else { return }
        let answer = store.load()
        if let session = answer.value { KnownSecrets.add(session) }
        state.withLock { state in
            // Another thread may have been faster, whose answer counts then.
            if state.machine.needsLoading { state.inStore = answer.value }
            state.machine.loaded(answer)
        }
    }

    private var hasUnstored: Bool { state.withLock { $0.machine.unstored != nil } }

    private var knowledge: SharedRefresh.Knowledge {
        state.withLock { SharedRefresh.Knowledge(stored: $0.inStore, hasNewer: $0.machine.unstored != nil) }
    }

    /// Tells the store the latest change, if it has not been told. After a failure this is tried again at each use of the session.
    private func storeIfNeeded() {
        guard hasUnstored else { return }
        storing.lock()
        defer {
            storing.unlock()
            broadcaster.handOut()
        }
        // Looked at again under the lock: another thread may have told the store, or there may be something newer to tell.
        while let (change, session) = state.withLock({ $0.machine.unstored }) {
            do {
                if let session { try store.save(session) } else { try store.clear() }
                state.withLock { state in
                    state.machine.didStore(change)
                    state.inStore = session
                }
            } catch {
                // Noted now, told after `storing` is free: a listener may use the session.
                state.withLock { state in broadcaster.note(state.machine.couldNotStore(change, error)) }
                return
            }
        }
    }
}
