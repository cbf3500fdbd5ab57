import Foundation

/// What goes into the decisions about tokens, and what comes out.
extension TokenStateMachine {
    /// What is known of the session.
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
        let generation: UInt64
        let revision: UInt64
        /// Until when it may be slow without being taken for hung.
        let patience: Deadline
        /// Whether somebody's time ended while waiting for it.
        var isOverdue = false
        /// Nobody joins a refresh that is taken for hung. It goes on: it may have the only refresh token that is still good.
        var isHung: Bool { isOverdue && patience.isOver }
    }

    /// What to say to who asks for a token.
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
        /// There is no way to refresh it.
        case impossible
        case rejected(SessionRejected)
        case failed(any Error)
    }

    /// What has to be done, in this order, after letting go of the lock.
    struct Effects {
        var cancelled: [UInt64] = []
        var events: [TokenEvent] = []
        var resumed: [(waiter: WaiterID, result: Result<AccessToken?, NetworkError>)] = []
    }
}
