import Foundation
import Sequencer

/// A store of settings that knows whether a launch has been configured by them: every object that writes here is told
/// that it comes too late.
///
/// All stores of one folder in a process share this knowledge while any of them exists.
package final class SettingsStore: DataStore {
    private struct State {
        var isFrozen = false
        var lateWrites: [String] = []
    }

    private final class Knowledge: Sendable {
        let state = Locked(State())
    }

    private struct WeakKnowledge: Sendable {
        // Weak: a folder that nobody has open any more is forgotten.
        weak var value: Knowledge?
    }

    /// By the path of the folder.
    private static let known = Locked<[String: WeakKnowledge]>([:])

    private let store: any DataStore
    private let knowledge: Knowledge
    private var state: Locked<State> { knowledge.state }

    /// The settings that are kept in `store`.
    ///
    /// - Parameter path: of the folder that they are kept in, without symbolic links; nil for those in memory.
    init(_ store: any DataStore, at path: String? = nil) {
        self.store = store
        knowledge = path.map { Self.knowledge(at: $0) } ?? Knowledge()
    }

    private static func knowledge(at path: String) -> Knowledge {
        known.withLock { known in
            if let knowledge = known[path]?.value { return knowledge }
            // Entries whose stores are gone are dropped here, or the table would grow.
            known = known.filter { $0.value.value != nil }
            let knowledge = Knowledge()
            known[path] = WeakKnowledge(value: knowledge)
            return knowledge
        }
    }

    /// Whether a launch has been configured by the settings in here.
    package var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// The settings that came too late for the launch that was configured last, each in one sentence.
    package var lateWrites: [String] { state.withLock { $0.lateWrites } }

    /// A launch is configured now.
    package func freeze() { state.withLock { $0 = State(isFrozen: true) } }

    /// Notes that something was written too late.
    package func addLateWrite(_ text: String) { state.withLock { if !$0.lateWrites.contains(text) { $0.lateWrites.append(text) } } }

    package func read(_ key: StoreKey) -> StoredAnswer<Data> { store.read(key) }
    package func write(_ data: Data, for key: StoreKey) throws(StorageError) { try store.write(data, for: key) }
    package func remove(_ key: StoreKey) throws(StorageError) { try store.remove(key) }
    package func removeAll() throws(StorageError) { try store.removeAll() }
    package func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { try store.setAside(key, because: reason) }
    package func hasSetAside(_ key: StoreKey) -> Bool { store.hasSetAside(key) }
    package func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try store.withExclusiveAccess(body) }
}
