import Foundation

/// Keeps a session from one launch to the next, in a store for secrets.
///
/// Ending a session is safe against being interrupted: a marker is written first and removed last. The next reader
/// after a crash in between finds the marker, completes the clearing and reports no session: never half a session.
///
/// A session belongs to the service that has opened it. With a `service` given, a stored session of another one counts
/// as absent: it is neither used nor ended, and a session of this service is kept beside it. A session that does not
/// say whose it is is not used, and the next login replaces it.
public struct SessionStore: Sendable {
    private let store: any SecureStore
    private let origin: String?
    /// The lock of those who refresh; nil when the session is not shared.
    let refreshLock: LockFile?
    private let isProtectedDataAvailable: @Sendable () -> Bool
    private let alsoClear: @Sendable () -> Void
    /// The app's own source of sessions in place of the store, as far as it is there; nil where the store keeps them.
    package var source: (@Sendable () -> (any TokenSource)?)?
    /// The values that belong to the session, each under ``key(beside:)``, and are removed with it.
    package var companions: [StoreKey] = []

    /// A place for the session in `store`.
    ///
    /// - Parameters:
    ///   - store: where the session is kept.
    ///   - service: an address of the service: scheme, host and port count. Without it, every stored session is taken
    ///     for the service's own: only for apps that have never had but one service.
    ///   - folder: a folder that all processes which share the session have: one of them refreshes it at a time, the
    ///     others take its result. Without it each refreshes for itself.
    ///   - isProtectedDataAvailable: whether secrets can be read now. Before a phone's first unlock some stores say
    ///     "not found" rather than "locked"; while this says no, a missing session is unavailable, not absent.
    ///   - alsoClear: clears everything else of a session, such as cached answers. Called again when clearing was
    ///       interrupted.
    public init(
        _ store: some SecureStore,
        of service: URL? = nil,
        sharedIn folder: URL? = nil,
        isProtectedDataAvailable: @escaping @Sendable () -> Bool = { true },
        alsoClear: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        origin = service.map { HTTPOrigin($0).description }
        refreshLock = folder.map { LockFile(directory: PosixDirectory(path: $0.path), name: ".refresh-lock") }
        self.isProtectedDataAvailable = isProtectedDataAvailable
        self.alsoClear = alsoClear
    }

    /// The stored session. Unavailable does not mean logged out: ask again later.
    func load() -> StoredAnswer<Session> {
        if let source { return source()?.session ?? .absent }
        let place = place
        switch store.read(place.clearing) {
        case .unavailable(let error):
            return .unavailable(error)
        case .value(let marker):
            // Where even this fails the marker stays, and the session stays over.
            try? clear(because: Self.reason(of: marker))
            return .absent
        case .absent:
            // Asked before the store: unlocked in between, a missing session would count as absent.
            let isReadable = isProtectedDataAvailable()
            switch store.value(SessionDocument.self, for: place.session) {
            case .value(let kept) where isOurs(kept): return .value(Session(kept))
            case .unavailable(let error): return .unavailable(error)
            case .absent where !isReadable:
                let reason = "protected data cannot be read before the device is unlocked"
                return .unavailable(StorageError(.locked, place.session.description, reason))
            case .absent, .value: return .absent
            }
        }
    }

    /// Stores a session in place of the one that is stored, as one of this service.
    ///
    /// If the store cannot be locked, it is still written. Another process that ends a session at this moment may
    /// remove it; if it were not kept, it would be lost for certain.
    func save(_ session: Session) throws(StorageError) {
        // The source has it already.
        if source != nil { return }
        var document = session.document
        document.origin = origin ?? document.origin
        try store.exclusivelyIfPossible { _ throws(StorageError) in
            let place = place
            // Complete an earlier session's clearing now: it must not take the new one away at the next start.
            if case .value = store.read(place.clearing) { try finishClearing(place) }
            try store.save(document, for: place.session)
            if endedBecause != nil { try? store.remove(Place(origin: origin).rejected) }
        }
    }

    /// Removes the session and all that is kept of it. When it fails, or is interrupted, the next ``load()`` continues
    /// with it, provided that the marker could be written.
    ///
    /// A process that holds the lock of the store delays the removal, not the end of the session: the marker is written
    /// without the lock.
    ///
    /// - Parameter reason: why it has ended: ``endedBecause`` says so until the next login, where no user has ended
    ///     it.
    func clear(because reason: LogoutReason? = nil) throws(StorageError) {
        source?()?.endSession()
        let place = place
        // Where the marker cannot be written, removing may still succeed, and then nothing is left to be completed.
        let marker = Self.markers.first { $0.reason == reason }?.marker ?? Data("clearing".utf8)
        let isMarked = (try? store.write(marker, for: place.clearing)) != nil
        try store.exclusively { () throws(StorageError) in
            // Another process has completed it meanwhile: a session that it has stored since is a new one.
            if isMarked, case .absent = store.read(place.clearing) { return }
            try finishClearing(place)
        }
    }

    /// The markers of sessions that no user has ended.
    private static let markers: [(reason: LogoutReason, marker: Data)] = [
        (.rejected, Data("rejected".utf8)), (.expired, Data("expired".utf8)),
    ]

    private static func reason(of marker: Data?) -> LogoutReason? { markers.first { $0.marker == marker }?.reason }

    /// Why the last session has ended; nil where the user has ended it.
    package var endedBecause: LogoutReason? { Self.reason(of: store.read(Place(origin: origin).rejected).value) }

    /// Whether the session is absent because it could not be read, and not because somebody has ended it: ending it
    /// removes all that is left of it.
    var isDamaged: Bool {
        if source != nil { return false }
        let place = place
        guard case .absent = store.read(place.clearing) else { return false }
        return store.hasSetAside(place.session) || store.hasSetAside(Place(origin: origin).session)
    }

    /// The key of a value that is kept beside the session, and belongs to the same service.
    package func key(beside name: StoreKey) -> StoreKey { place.key(name) }

    private func finishClearing(_ place: Place) throws(StorageError) {
        // A session that another process has ended meanwhile was not ended by the service.
        let marker = store.read(place.clearing).value
        if let marker, Self.reason(of: marker) != nil, store.read(place.session) != .absent {
            try? store.write(marker, for: Place(origin: origin).rejected)
        }
        // Before the session: once that is gone, nobody would know that the rest has to go.
        alsoClear()
        for name in companions { try? store.remove(place.key(name)) }
        // The marker last: until then the next reader continues here.
        try store.remove(place.session)
        // A damaged session that was put aside in the other place would count as one that nobody has ended.
        for other in [Place(origin: nil), Place(origin: origin)] where other.origin != place.origin && store.read(other.session) == .absent
        {
            try? store.remove(other.session)
        }
        try store.remove(place.clearing)
    }

    // MARK: - Places

    /// Where the session of a service is: the first service's is in the usual place, as it always was, those of others
    /// are beside it.
    private struct Place {
        /// Nil for the usual place.
        let origin: String?

        var session: StoreKey { key("session") }
        var clearing: StoreKey { key("session.clearing") }
        var rejected: StoreKey { key("session.rejected") }

        func key(_ name: StoreKey) -> StoreKey { origin.map { StoreKey("\(name) of \($0)") } ?? name }
    }

    private var place: Place {
        let (usual, own) = (Place(origin: nil), Place(origin: origin))
        if origin == nil { return usual }
        if store.read(own.session) != .absent || store.read(own.clearing) != .absent { return own }
        guard case .value(let other) = store.value(SessionDocument.self, for: usual.session), !isOurs(other) else { return usual }
        // A session that nobody can ever use keeps no place.
        return other.origin == nil ? usual : own
    }

    private func isOurs(_ session: SessionDocument) -> Bool { origin == nil || session.origin == origin }
}
