import Foundation
import StartupStorage

extension LaunchState {
    /// The personal part of this state: the speaker used last, and that the onboarding was dismissed.
    public static let personalState = StoredPart.values([Key.lastSpeaker, Key.dismissedOnboarding], in: storeName)

    /// Removes stored parts, all of them, even when the process is killed on the way.
    ///
    /// The parts are written down first, and struck off when they are removed. The next process that opens the state
    /// completes an interrupted removal before anything else.
    ///
    /// ```swift
    /// try state.clear([.everything(in: "secure"), .everything(in: "cache"), LaunchState.personalState])
    /// ```
    ///
    /// - Throws: when a part could not be removed. The others are. The rest is in `pendingClearing`, and removed by the
    ///   next launch or by `completeClearing()`. Call that before storing anything new in the same place, or it will go
    ///   too.
    public func clear(_ parts: [StoredPart]) throws(StorageError) {
        // Before anything is written: a note of an unknown part could never be struck off.
        for part in parts where stores[part.store] == nil { throw unknownStore(part) }
        try store.exclusively { () throws(StorageError) in
            let pending = pendingClearing
            // An interrupted clearing stays a promise: its parts are removed with these.
            let all = pending + parts.filter { !pending.contains($0) }
            // A full disk must keep nobody logged in: without the note, there is only no promise for a kill.
            try? store.save(all, for: Key.pendingClearing)
            try remove(all)
        }
    }

    /// The parts that are still to be removed: a clearing was interrupted, or failed.
    var pendingClearing: [StoredPart] { store.value([StoredPart].self, for: Key.pendingClearing).value ?? [] }

    /// Completes an interrupted clearing. Opening the state does so too.
    func completeClearing() throws(StorageError) {
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
            // Remove the note last: until then it names the rest.
            if part.store == Self.storeName { for key in Key.values { try store.remove(key) } }
            try store.removeAll()
        }
    }

    private func unknownStore(_ part: StoredPart) -> StorageError {
        let names = stores.keys.sorted().joined(separator: ", ")
        return StorageError(.invalidPlace, part.store, "there is no store of this name to clear, expected one of \(names)")
    }
}

/// Some of what an app has stored: what ``LaunchState/clear(_:)`` is to remove.
public struct StoredPart: Sendable, Hashable, Codable {
    /// The name of a store.
    let store: String
    /// The keys in it; nil for all.
    let keys: [String]?

    /// Everything in a store, such as `"secure"` or `"cache"`.
    public static func everything(in store: String) -> StoredPart { StoredPart(store: store, keys: nil) }

    /// Some values of a store.
    static func values(_ keys: [StoreKey], in store: String) -> StoredPart {
        StoredPart(store: store, keys: keys.map(\.description))
    }
}
