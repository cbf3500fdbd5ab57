import Foundation
import Sequencer

/// A store of settings that knows whether a launch has been configured by them: every object that writes here is told
/// that it comes too late. A folder that is opened once more has another store, which does not know.
package final class SettingsStore: DataStore {
    private struct State {
        var isFrozen = false
        var lateWrites: [String] = []
        /// Values that could not be stored, by the names of the settings.
        var unsaved: [String: String] = [:]
    }

    private let store: any DataStore
    private let state = Locked(State())

    /// The settings that are kept in `store`.
    init(_ store: any DataStore) { self.store = store }

    /// Whether a launch has been configured by the settings in here.
    package var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// The settings that came too late for the launch that was configured last, each in one sentence.
    package var lateWrites: [String] { state.withLock { $0.lateWrites } }

    /// The values that could not be stored: in this process they count nevertheless.
    package var unsaved: [String: String] { state.withLock { $0.unsaved } }

    /// A launch is configured now; `false`: a new one that will be, so that settings count until then.
    package func freeze(_ isFrozen: Bool = true) { state.withLock { ($0.isFrozen, $0.lateWrites) = (isFrozen, []) } }

    /// Notes a value that could not be stored; nil when one of this name has been stored.
    package func keep(_ value: String?, for name: String) { state.withLock { $0.unsaved[name] = value } }

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
