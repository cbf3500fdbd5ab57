import Foundation

/// Keeps a session from one launch to the next, in a store for secrets.
///
/// Ending a session is safe against being interrupted: a marker is written first and removed last. Whoever reads after a crash in between finds
/// the marker, completes the clearing and says that there is no session: never half a session.
public struct SessionStore: Sendable {
    private static let session: StoreKey = "session"
    private static let clearing: StoreKey = "session.clearing"

    private let store: any SecureStore
    private let isProtectedDataAvailable: @Sendable () -> Bool
    private let alsoClear: @Sendable () -> Void

    /// A place for the session in `store`.
    ///
    /// - Parameters:
    ///   - store: where the session is kept.
    ///   - isProtectedDataAvailable: whether secrets can be read now. Before a phone's first unlock some stores say "not found" rather than
    ///     "locked"; while this says no, what is not found is unavailable, not absent.
    ///   - alsoClear: clears whatever else is kept of a session, such as cached answers. Called again when clearing was interrupted.
    public init(
        _ store: some SecureStore,
        isProtectedDataAvailable: @escaping @Sendable () -> Bool = { true },
        alsoClear: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.isProtectedDataAvailable = isProtectedDataAvailable
        self.alsoClear = alsoClear
    }

    /// The session that is stored. Unavailable is no logout: ask again later.
    public func load() -> StoredAnswer<Session> {
        switch store.read(Self.clearing) {
        case .unavailable(let error):
            return .unavailable(error)
        case .value:
            // Where even this fails the marker stays, and the session stays over.
            try? clear()
            return .absent
        case .absent:
            let isReadable = isProtectedDataAvailable()
            let answer = store.value(Session.self, for: Self.session)
            guard case .absent = answer, !isReadable else { return answer }
            return .unavailable(
                StorageError(.locked, Self.session.description, "protected data cannot be read before the device is unlocked")
            )
        }
    }

    /// Stores a session in place of the one that is stored.
    public func save(_ session: Session) throws(StorageError) {
        try exclusively { () throws(StorageError) in
            // What is left of an earlier session's clearing must not take the new one away at the next start.
            if case .value = store.read(Self.clearing) { try finishClearing() }
            try store.save(session, for: Self.session)
        }
    }

    /// Removes the session and all that is kept of it. When it fails, or is interrupted, the next ``load()`` goes on with it, provided that the
    /// marker could be written.
    public func clear() throws(StorageError) {
        try exclusively { () throws(StorageError) in
            // Where the marker cannot be written, removing may still succeed, and then nothing is left to be completed.
            try? store.write(Data("clearing".utf8), for: Self.clearing)
            try finishClearing()
        }
    }

    private func finishClearing() throws(StorageError) {
        alsoClear()
        try store.remove(Self.session)
        try store.remove(Self.clearing)
    }

    private func exclusively(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        do {
            try store.withExclusiveAccess { try body() }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.inputOutput, Self.session.description, "the store could not be locked for this process")
        }
    }
}
