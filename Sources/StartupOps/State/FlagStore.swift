import Sequencer
import StartupStorage

/// Keeps the feature flags from one launch to the next, and knows which of them a launch goes by.
final class FlagStore: Sendable {
    private struct State {
        var fetched: FeatureFlags?
        var used: FeatureFlags?
        var isBeingFetched = false
    }

    private static let key: StoreKey = "flags"

    private let store: any DataStore
    private let state = Locked(State())

    /// The flags that are kept in `store`.
    init(_ store: any DataStore) { self.store = store }

    /// The flags that were fetched last, in this launch or before; without any, no flags.
    var latest: FeatureFlags { known ?? FeatureFlags() }

    /// The same; nil where none were fetched yet, or they cannot be read.
    var known: FeatureFlags? { state.withLock { $0.fetched } ?? store.value(FeatureFlags.self, for: Self.key).value }

    /// Whether a step of this launch has begun to fetch the flags. It tells the gate when it ends, in any way.
    var isBeingFetched: Bool { state.withLock { $0.isBeingFetched } }

    /// Notes that a step begins to fetch the flags.
    func fetchBegins() { state.withLock { $0.isBeingFetched = true } }

    /// The flags for this launch, from the first call on: later ones count from the next launch.
    func use() -> FeatureFlags {
        let latest = latest
        // Fetched meanwhile counts more than the stored ones that were read before the lock.
        return state.withLock { state in
            let flags = state.used ?? state.fetched ?? latest
            state.used = flags
            return flags
        }
    }

    /// Keeps flags that were fetched now. Flags that cannot be stored still count in this launch.
    ///
    /// - Returns: the flags that this launch goes by instead, when it has decided by others already.
    func keep(_ flags: FeatureFlags) -> FeatureFlags? {
        try? store.save(flags, for: Self.key)
        return state.withLock { state in
            state.fetched = flags
            // Nil also where nothing was used: the launch will go by these.
            return state.used == flags ? nil : state.used
        }
    }
}
