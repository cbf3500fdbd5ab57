import Foundation

/// Decides who gets which token, when to refresh, and how a refresh's result is used. Values only: no lock, no clock,
/// no task.
///
/// Two numbers fence off late results. The *generation* moves when the session becomes another one (login, logout,
/// switch of users): requests and refreshes of an earlier session have no effect on this one. The *revision* moves with
/// every token: of several refreshes of one token the first to succeed counts.
struct TokenStateMachine {
    typealias WaiterID = UInt64

    let leeway: TimeInterval
    let patience: Duration

    private(set) var holding = Holding.unknown(nil)
    private(set) var generation: UInt64 = 0
    private(set) var flights: [Flight] = []
    /// The token that the service has turned down last.
    private(set) var refused: AccessToken?
    /// How many sessions have ended.
    private(set) var ends: UInt64 = 0
    /// Why the last session ended; nil when none has, or when a user other than a guest has logged in since.
    private(set) var lastLogout: LogoutReason?
    /// Counts what the store has to be told; `stored` is how much of it it has been told, `reported` how much it
    /// refused and was reported.
    private(set) var changes: UInt64 = 0
    private var stored: UInt64 = 0
    private var reported: UInt64 = 0
    private var revision: UInt64 = 0
    private var nextID: UInt64 = 0
    private var waiters: [WaiterID: UInt64] = [:]
    /// A rejection that does not count yet, because an earlier refresh of the same token is still under way and may be
    /// its cause.
    private var heldRejection: SessionRejected?

    /// As many refreshes of one token as may be under way at once, all but the last taken for hung.
    private static let flightLimit = 3

    init(leeway: TimeInterval, patience: Duration) {
        self.leeway = leeway
        self.patience = patience
    }

    var session: HeldSession? {
        if case .session(let held) = holding { held } else { nil }
    }

    // MARK: - Storing

    /// Whether the store has to be asked.
    var needsLoading: Bool {
        if case .unknown = holding { true } else { false }
    }

    /// The store's answer; without effect when something has been learned meanwhile.
    mutating func loaded(_ answer: StoredAnswer<Session>) {
        // A login meanwhile is newer than the answer of the store.
        guard needsLoading else { return }
        switch answer {
        case .unavailable(let error): holding = .unknown(error)
        case .absent: holding = .nobody
        case .value(let session): hold(session, issued: nil)
        }
    }

    /// The change that the store has to be told; nil when it knows all.
    var unstored: (change: UInt64, session: Session?)? {
        changes == stored ? nil : (changes, session?.session)
    }

    // Never backwards: an older change may be told later.
    mutating func didStore(_ change: UInt64) { stored = max(stored, change) }

    /// The store refused; reported once for each change.
    mutating func couldNotStore(_ change: UInt64, _ error: StorageError) -> [TokenEvent] {
        guard change > reported else { return [] }
        reported = change
        return [.notStored(error)]
    }

    /// - Parameter isIssuedNow: whether the service has given its token at this moment, so that its claim is not older.
    private mutating func hold(_ session: Session, isIssuedNow: Bool, now: Date) {
        let hasExpired = session.expiresAt ?? JSONWebToken(session.accessToken.value)?.expiry ?? .distantFuture <= now
        hold(session, issued: isIssuedNow || !hasExpired ? now : nil)
    }

    private mutating func hold(_ session: Session, issued: Date?) {
        revision += 1
        heldRejection = nil
        holding = .session(HeldSession(session, generation: generation, revision: revision, issued: issued, leeway: leeway))
    }

    // MARK: - Asking

    /// Somebody needs a token; in place of `rejected`, which the service has turned down.
    mutating func ask(_ requirement: TokenRequirement, replacing rejected: AccessToken?, by waiter: WaiterID, now: Date) -> Answer {
        // Its answer must not touch the session that came after it.
        if let rejected, rejected.generation != generation { return .fail(.sessionReplaced) }
        guard case .session(var held) = holding else {
            if requirement == .optional { return .use(nil, refresh: nil) }
            guard case .unknown(let error) = holding else { return .fail(.nobodyLoggedIn) }
            return .fail(.sessionUnavailable(error))
        }
        // Only the latest token: an earlier one has been replaced, so the newer one is given at once.
        if rejected?.revision == revision {
            held.isRejected = true
            holding = .session(held)
            refused = rejected
        }
        guard held.hasExpired(at: now) else {
            return .use(held.token, refresh: held.isExpiring(at: now) ? flightToBegin(for: held) : nil)
        }
        // Nobody waits for a token that is not needed, unless it was tried and turned down.
        if requirement == .optional, rejected == nil { return .use(nil, refresh: nil) }
        let flight = flightToBegin(for: held)
        // To the latest refresh, which may be another one than has just begun.
        waiters[waiter] = flights.last { $0.revision == revision }?.id
        return .wait(refresh: flight)
    }

    /// Somebody no longer waits: cancelled, or out of time.
    mutating func leave(_ waiter: WaiterID, isOutOfTime: Bool) {
        // A cancelled caller says nothing about the refresh; one whose time is over does.
        guard let id = waiters.removeValue(forKey: waiter), isOutOfTime else { return }
        if let index = flights.firstIndex(where: { $0.id == id }) { flights[index].isOverdue = true }
    }

    /// A new refresh, unless there is one to join.
    private mutating func flightToBegin(for held: HeldSession) -> Flight? {
        let running = flights.filter { $0.revision == revision }
        // A rejection that waits for an earlier refresh begins no other one.
        if let last = running.last, !last.isHung || heldRejection != nil || running.count >= Self.flightLimit { return nil }
        nextID += 1
        let flight = Flight(id: nextID, session: held.session, revision: revision, patience: .after(patience))
        flights.append(flight)
        return flight
    }

    // MARK: - Refreshing

    /// A refresh has ended.
    mutating func refreshEnded(_ id: UInt64, _ result: RefreshResult, now: Date) -> Effects {
        guard let index = flights.firstIndex(where: { $0.id == id }) else { return Effects() }
        let flight = flights.remove(at: index)
        // A flight of an earlier revision has lost to a later one; nobody waits for it.
        guard flight.revision == revision, let held = session else { return Effects() }
        switch result {
        case .session(let new), .stored(let new):
            // Tokens of another user would be sent with this one's requests (T20).
            guard new.userID == nil || held.session.userID == nil || areSame(new.userID, held.session.userID) else {
                let giver = if case .stored = result { "another process of the app has stored" } else { "the service gave" }
                return failed(flight, .refreshFailed("\(giver) another user's token", nil))
            }
            // Stored by the other process: nothing to tell the store.
            if case .stored = result { return refreshed(new, now: now) }
            changes += 1
            return refreshed(held.session.refreshed(by: new), now: now)
        case .impossible where held.session.refreshToken == nil && held.isOver(at: now):
            return end(.expired, failing: .refreshFailed("\(LogoutReason.expired)", nil))
        case .impossible where held.session.refreshToken == nil && held.hasExpired(at: now):
            // It does not say when it expires: only the service can judge it.
            return refreshed(held.session, now: now)
        case .impossible:
            return failed(flight, .refreshFailed("there is no way to refresh it", nil))
        case .rejected(let rejection):
            heldRejection = rejection
            return failed(flight, .refreshFailed("\(rejection)", rejection))
        case .failed(let error):
            return failed(flight, .refreshFailed(error))
        }
    }

    private mutating func refreshed(_ session: Session, isIssuedNow: Bool = true, now: Date) -> Effects {
        hold(session, isIssuedNow: isIssuedNow, now: now)
        var effects = Effects(events: [.sessionChanged(userID: session.userID)])
        if let token = self.session?.token { effects.resumed = resumeAll(.success(token)) }
        return effects
    }

    private mutating func failed(_ flight: Flight, _ error: NetworkError) -> Effects {
        let remaining = flights.last { $0.revision == revision }
        // Only those who wait for this one: a younger refresh may still succeed.
        guard let rejection = heldRejection else {
            let affected = waiters.filter { $0.value == flight.id }.keys
            for waiter in affected { waiters[waiter] = nil }
            return Effects(resumed: affected.sorted().map { ($0, .failure(error)) })
        }
        // An earlier refresh that is still under way may have replaced the refresh token that was turned down now.
        if let remaining {
            // All are moved to the refresh that may still bring a token.
            for waiter in waiters.keys { waiters[waiter] = remaining.id }
            return Effects()
        }
        return end(.rejected, failing: .refreshFailed("\(rejection)", rejection))
    }

    // MARK: - Beginning and ending

    /// A user has logged in, perhaps in place of somebody else.
    mutating func begin(_ session: Session, isIssuedNow: Bool = true, now: Date) -> Effects {
        var effects = replaceGeneration(failing: .sessionReplaced)
        if !session.isAnonymous { lastLogout = nil }
        hold(session, isIssuedNow: isIssuedNow, now: now)
        effects.events = [.sessionChanged(userID: session.userID)]
        return effects
    }

    /// Follows the current answer of the app's own source of sessions, which need not be told of changes.
    mutating func follow(_ answer: StoredAnswer<Session>, now: Date) -> Effects {
        defer { stored = changes }
        switch answer {
        case .value(let new):
            guard let held = session?.session, areSame(held.userID, new.userID) else {
                return begin(new, isIssuedNow: false, now: now)
            }
            if held.hasTokens(of: new) { return Effects() }
            return refreshed(new, isIssuedNow: false, now: now)
        case .absent where session != nil: return end(.requested)
        case .absent, .unavailable:
            loaded(answer)
            return Effects()
        }
    }

    /// Opens a session again in place of another user's; nil where it is open still, and where one has been ended since
    /// there were so many ends.
    mutating func putBack(_ former: Session, ends formerEnds: UInt64, now: Date) -> Effects? {
        guard ends == formerEnds, let session = session?.session,
            !areSame(session.userID, former.userID) || session.isAnonymous != former.isAnonymous
        else { return nil }
        return begin(former, isIssuedNow: false, now: now)
    }

    /// The session is over, if there is one.
    mutating func end(_ reason: LogoutReason, failing error: NetworkError = .nobodyLoggedIn) -> Effects {
        let wasOver = if case .nobody = holding { true } else { false }
        ends += 1
        var effects = replaceGeneration(failing: error)
        holding = .nobody
        heldRejection = nil
        // An end is told once for each session.
        if !wasOver {
            effects.events = [.loggedOut(reason)]
            lastLogout = reason
        }
        return effects
    }

    private mutating func replaceGeneration(failing error: NetworkError) -> Effects {
        generation += 1
        revision += 1
        changes += 1
        defer { flights = [] }
        return Effects(cancelled: flights.map(\.id), resumed: resumeAll(.failure(error)))
    }

    private mutating func resumeAll(_ result: Result<AccessToken?, NetworkError>) -> [(WaiterID, Result<AccessToken?, NetworkError>)] {
        // In the order in which they came.
        let all = waiters.keys.sorted()
        waiters = [:]
        return all.map { ($0, result) }
    }

    // MARK: - The inputs and the results of decisions

    /// The knowledge of the session.
    enum Holding {
        /// Nobody has asked the store yet, or it could not tell (with the error it gave).
        case unknown(StorageError?)
        case nobody
        case session(HeldSession)
    }

    /// A refresh that is under way.
    struct Flight: Sendable {
        let id: UInt64
        let session: Session
        let revision: UInt64
        /// Until when it may be slow without being taken for hung.
        let patience: Deadline
        /// Whether somebody's time ended while waiting for it.
        var isOverdue = false
        /// Nobody joins a refresh that is taken for hung. It continues: it may have the only refresh token that is
        /// still good.
        var isHung: Bool { isOverdue && patience.isOver }
    }

    /// The answer to a request for a token.
    enum Answer {
        /// This, at once; and begin this refresh ahead.
        case use(AccessToken?, refresh: Flight?)
        /// Wait; and begin this refresh.
        case wait(refresh: Flight?)
        case fail(NetworkError)
    }

    /// How a refresh ended.
    enum RefreshResult: Sendable {
        case session(Session)
        /// Another process has refreshed it, and this is stored.
        case stored(Session)
        /// It cannot be refreshed.
        case impossible
        case rejected(SessionRejected)
        case failed(any Error)
    }

    /// The actions to take, in this order, after letting go of the lock.
    struct Effects {
        var cancelled: [UInt64] = []
        var events: [TokenEvent] = []
        var resumed: [(waiter: WaiterID, result: Result<AccessToken?, NetworkError>)] = []
    }
}
