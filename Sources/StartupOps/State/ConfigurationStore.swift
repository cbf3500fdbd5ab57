import Foundation
import StartupStorage

/// Keeps configurations from one launch to the next.
///
/// A configuration that has just been fetched is on trial: it is used, but later launches fall back on it only after a
/// launch has completed with it. So the app never falls back on a configuration that keeps it from launching.
struct ConfigurationStore: Sendable {
    private let store: any DataStore
    private let bundled: AppConfiguration

    private static let confirmed: StoreKey = "configuration"
    private static let trial: StoreKey = "configuration-on-trial"

    /// The configurations that are kept in `store`.
    ///
    /// - Parameter bundled: the configuration the app is delivered with.
    init(_ store: any DataStore, bundled: AppConfiguration = .bundled) {
        self.store = store
        self.bundled = bundled
    }

    /// The configuration that is on trial, if one is.
    var onTrial: AppConfiguration? { store.value(AppConfiguration.self, for: Self.trial).value }

    /// The configuration to fall back on: the last one that a launch has completed with, or else the bundled one.
    var lastKnown: LoadedConfiguration {
        if let configuration = store.value(AppConfiguration.self, for: Self.confirmed).value {
            return LoadedConfiguration(configuration, from: .cached)
        }
        return LoadedConfiguration(bundled, from: .bundled)
    }

    /// Keeps a configuration on trial. Another process that ends a trial at this moment does not take it away.
    ///
    /// If the store cannot be locked, it is still written, like every value that nothing else depends on.
    func beginTrial(of configuration: AppConfiguration) throws(StorageError) {
        try store.exclusivelyIfPossible { _ throws(StorageError) in try store.save(configuration, for: Self.trial) }
    }

    /// The configuration for `region` that a launch can go by before it has fetched one: the one that is on trial, or
    /// else the last one that a launch has completed with. Nil without one.
    func kept(for region: Region) -> LoadedConfiguration? {
        guard let kept = onTrial ?? store.value(AppConfiguration.self, for: Self.confirmed).value, kept.country == region.country,
            kept.language == region.language
        else { return nil }
        return LoadedConfiguration(kept, from: .cached)
    }

    /// A launch has completed with `used`: where that is, or was, on trial, it becomes the one to fall back on. Another
    /// one that was put on trial meanwhile, by this process or another one, stays so.
    func confirm(_ used: LoadedConfiguration) throws(StorageError) {
        guard used.source != .bundled, onTrial != nil else { return }
        try store.exclusivelyIfPossible { isExclusive throws(StorageError) in
            guard let trial = onTrial else { return }
            try store.save(used.original, for: Self.confirmed)
            // A trial that another process saves between the comparison and the removal would be lost with it. Without
            // exclusive access it stays on trial: the next launch that completes with it ends that.
            if isExclusive, used.original == trial { try store.remove(Self.trial) }
        }
    }

    /// Drops the configuration that is on trial.
    func dropTrial() throws(StorageError) {
        try store.remove(Self.trial)
    }
}
