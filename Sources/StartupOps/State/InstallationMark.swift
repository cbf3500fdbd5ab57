import Foundation
import StartupStorage

/// Tells this installation of the app from an earlier one, whose secrets may have survived.
///
/// It is beside the mark of the first completed launch: where the one is lost the other is, too. No identifier of the app's or of the device does that: some
/// survive a reinstallation.
struct InstallationMark: Sendable {
    /// The store of the app's state.
    let store: any DataStore

    /// The mark; nil where there is none yet, or it cannot be read: then no session is taken for one of this installation.
    var known: String? { store.value(String.self, for: LaunchState.Key.installation).value }

    /// The mark, which is made where there is none; nil where it cannot be kept.
    func make() -> String? {
        if let known { return known }
        return try? store.exclusively { () throws(StorageError) in
            if let known { return known }
            let mark = UUID().uuidString
            try store.save(mark, for: LaunchState.Key.installation)
            return mark
        }
    }
}
