import Foundation

extension LaunchState {
    /// What this state says about a person: the speaker used last.
    public static let personalState = StoredPart.values([Key.lastSpeaker], in: storeName)

    /// Removes parts of what is stored, all of them, even when the process is killed on the way.
    ///
    /// What is to be removed is written down first, and struck off when it is done: who opens the state next completes it before anything else.
    ///
    /// ```swift
    /// try state.clear([.everything(in: "secure"), .everything(in: "cache"), LaunchState.personalState])
    /// ```
    ///
    /// - Throws: when a part could not be removed. The others are; what is left is in ``pendingClearing``, and removed by the next launch or by
    ///   ``completeClearing()``. Call that before storing anything new in the same place, or it will go too.
    public func clear(_ parts: [StoredPart]) throws(StorageError) {
        for part in parts where stores[part.store] == nil { throw unknownStore(part) }
        try store.exclusively { () throws(StorageError) in
            let pending = pendingClearing
            let all = pending + parts.filter { !pending.contains($0) }
            // A full disk must keep nobody logged in: without the note, there is only no promise for a kill.
            try? store.save(all, for: Key.pendingClearing)
            try remove(all)
        }
    }

    /// What is still to be removed, because a clearing was interrupted or something could not be removed.
    public var pendingClearing: [StoredPart] { store.value([StoredPart].self, for: Key.pendingClearing).value ?? [] }

    /// Removes what is still to be removed. Opening the state does so too.
    public func completeClearing() throws(StorageError) {
        // Most launches find nothing, and need not wait for anybody.
        if pendingClearing.isEmpty { return }
        try store.exclusively { () throws(StorageError) in try remove(pendingClearing) }
    }

    private var stores: [String: any DataStore] { others.merging([Self.storeName: store]) { $1 } }

    private func remove(_ parts: [StoredPart]) throws(StorageError) {
        // This state's own store last: the note is in there.
        let ordered = parts.filter { $0.store != Self.storeName } + parts.filter { $0.store == Self.storeName }
        var left: [StoredPart] = []
        var problem: StorageError?
        for part in ordered {
            do throws(StorageError) {
                try remove(part)
            } catch {
                left.append(part)
                problem = problem ?? error
            }
        }
        if let problem {
            try? store.save(left, for: Key.pendingClearing)
            throw problem
        }
        try store.remove(Key.pendingClearing)
    }

    private func remove(_ part: StoredPart) throws(StorageError) {
        guard let store = stores[part.store] else { throw unknownStore(part) }
        if let keys = part.keys {
            for key in keys { try store.remove(StoreKey(key)) }
        } else {
            // The note that this is to be done must outlast what it is about.
            if part.store == Self.storeName { for key in Key.values { try store.remove(key) } }
            try store.removeAll()
        }
    }

    private func unknownStore(_ part: StoredPart) -> StorageError {
        let names = stores.keys.sorted().joined(separator: ", ")
        return StorageError(.invalidPlace, part.store, "there is no store of this name to clear, expected one of \(names)")
    }
}
