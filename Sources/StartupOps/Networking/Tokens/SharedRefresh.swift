import Foundation
import Sequencer

/// Refreshes a session once for all processes that share it: each waits for its turn, reads the stored session again,
/// and asks the service only if no other process has refreshed it meanwhile.
///
/// A refresh token may be good for one use, and some services end the session of one that is used twice. So a refresh
/// that does not get a turn in the time that a refresh may take fails: the session stays, and the next refresh tries
/// again.
final class SharedRefresh: Sendable {
    typealias Result = TokenStateMachine.RefreshResult

    /// The turn of this process, for one of its refreshes at a time.
    private struct ProcessTurn {
        var lock: HeldLock?
        var isTaken = false
    }

    private let store: SessionStore
    private let limit: Duration
    private let refresh: TokenManager.Refresh
    private let turn = Locked(ProcessTurn())

    init(store: SessionStore, limit: Duration, refresh: @escaping TokenManager.Refresh) {
        self.store = store
        self.limit = limit
        self.refresh = refresh
    }

    /// This process's knowledge of the store, when it has its turn.
    struct Knowledge {
        /// The session that was stored when this process looked last, or has stored one.
        let stored: Session?
        /// Whether this process has a newer one, which it could not store.
        let hasNewer: Bool
    }

    /// How long ``run(_:knowing:_:)`` takes at most, where `refresh` keeps to its deadline.
    var longest: Duration { store.refreshLock == nil ? limit : limit * 2 }

    /// Refreshes `session` and gives the result to `done`; the next process has its turn when that returns.
    func run(_ session: Session, knowing knowledge: () -> Knowledge, _ done: (Result) -> Void) async {
        guard let file = store.refreshLock else { return done(await result(session, knowledge)) }
        do {
            try await takeTurn(of: file)
        } catch {
            return done(.failed(error))
        }
        defer { endTurn() }
        done(await result(session, knowledge))
    }

    private func result(_ session: Session, _ knowledge: () -> Knowledge) async -> Result {
        let stored = store.load()
        if let other = Self.result(of: stored, isDamaged: store.isDamaged, for: session, knowledge()) { return other }
        do {
            guard let new = try await refresh(session, .after(limit)) else { return .impossible }
            // Another process may have logged out meanwhile, or in: the refreshed session must not come back, nor take
            // the place of the new one.
            return Self.result(of: store.load(), isDamaged: store.isDamaged, for: session, knowledge()) ?? .session(new)
        } catch let rejection as SessionRejected {
            // Another process may have been faster, where nothing can be locked.
            guard !knowledge().hasNewer, case .value(let stored) = store.load(), !stored.hasTokens(of: session) else {
                return .rejected(rejection)
            }
            return .stored(stored)
        } catch {
            return .failed(error)
        }
    }

    /// The store's word in place of a refresh of `session`, or of what that has brought; nil when the refresh counts.
    ///
    /// Only a change since this process looked is another process's doing. A session that is gone because its file is
    /// damaged was ended by nobody.
    static func result(of answer: StoredAnswer<Session>, isDamaged: Bool, for session: Session, _ knowledge: Knowledge) -> Result? {
        if knowledge.hasNewer { return nil }
        switch answer {
        case .value(let stored):
            let hasChanged = knowledge.stored.map { !stored.hasTokens(of: $0) } ?? true
            return hasChanged && !stored.hasTokens(of: session) ? .stored(stored) : nil
        case .absent where isDamaged: return nil
        // Somebody has logged out.
        case .absent: return knowledge.stored.map { _ in .rejected(SessionRejected("another process of the app has ended the session")) }
        case .unavailable: return nil
        }
    }

    // MARK: Turns

    private func takeTurn(of file: LockFile) async throws(NetworkError) {
        let deadline = Deadline.after(limit)
        while !hasTaken(file) {
            // Told by name, as only the user can end it.
            if deadline.isOver || Task.isCancelled { throw .refreshedElsewhere(by: file.holder) }
            // Cancelled, it looks once more and leaves.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private func hasTaken(_ file: LockFile) -> Bool {
        turn.withLock { turn in
            // A refresh that seems to hang may be one whose process was stopped, with its answer waiting: another one
            // would use its token again.
            if turn.isTaken { return false }
            do {
                turn.lock = try file.lock()
                if turn.lock == nil { return false }
            } catch {
                // Where nothing can be locked, nobody is waited for.
            }
            turn.isTaken = true
            return true
        }
    }

    private func endTurn() { turn.withLock { $0 = ProcessTurn() } }
}
