import Foundation
import StartupStorage

/// Tells this installation of the app from an earlier one, whose secrets may have survived.
///
/// It is beside the mark of the first completed launch: where the one is lost the other is, too. No identifier of the
/// app's or of the device does that: some survive a reinstallation.
struct InstallationMark: Sendable {
    /// The store of the app's state.
    let store: any DataStore

    /// The mark; nil before the first one is made, and when it cannot be read.
    var known: String? { store.value(String.self, for: LaunchState.Key.installation).value }

    /// Whether a mark is that of this installation. It counts as such where that cannot be told: nobody is logged out
    /// on a guess.
    func isOf(_ mark: String) -> Bool {
        switch store.value(String.self, for: LaunchState.Key.installation) {
        case .value(let known): known == mark
        case .unavailable: true
        // Damaged is not another installation (S22).
        case .absent: store.hasSetAside(LaunchState.Key.installation)
        }
    }

    /// The mark, made if missing; nil when it cannot be stored.
    func make() -> String? {
        if let known { return known }
        return try? store.exclusively { () throws(StorageError) in
            // Another process may have made it while this one waited for its turn.
            if let known { return known }
            let mark = UUID().uuidString
            try store.save(mark, for: LaunchState.Key.installation)
            return mark
        }
    }
}
