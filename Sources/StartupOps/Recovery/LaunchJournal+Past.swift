import Foundation
import StartupStorage

extension LaunchJournal {
    /// The launches whose journals are kept, the newest first, this one included.
    ///
    /// - Parameter location: of a `StateDirectory`; nothing is created there.
    public static func launches(in location: URL, named name: String = "journal") -> [JournaledLaunch] {
        Array(journals(in: location, named: name).launches)
    }

    /// The recovery of a launch of this version, if it began now.
    package static func nextRecovery(
        after launches: [JournaledLaunch],
        version: String?,
        limits: RecoveryLimits = RecoveryLimits()
    ) -> Recovery {
        RecoveryLadder(limits: limits).recovery(after: RecoveryLadder.relevant(launches, for: version))
    }

    /// The folder of the journals of that name.
    static func journals(in location: URL, named name: String) -> JournalDirectory {
        let folder = location.appendingPathComponent(StoreFileName(StoreKey(name)).description)
        return JournalDirectory(directory: PosixDirectory(path: folder.path))
    }
}
