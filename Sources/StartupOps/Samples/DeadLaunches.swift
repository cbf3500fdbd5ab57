import StartupOps

extension LaunchJournal {
    /// Writes the journals of launches that died, so that a test can see what the app does in safe mode.
    ///
    /// ```swift
    /// try LaunchJournal.writeDeadLaunches(3, in: directory, version: "1.4.0", diedIn: "tutorial")
    /// let journal = LaunchJournal.open(in: directory, version: "1.4.0")    // leaves the tutorial out
    /// ```
    ///
    /// Each one counts as a launch that the user waited for, and is at the level that those before it lead to. In a
    /// directory without a journal, three make the next launch leave the operation out, four also go without the
    /// configuration on trial, five also with empty caches, and six do only what the main screen needs. Nothing but
    /// journals is written; nothing is deleted but the oldest ones.
    ///
    /// A process that is started meanwhile has the files open for a moment: the launches seem to run until it has
    /// loaded its program.
    ///
    /// - Parameters:
    ///   - count: how many launches died.
    ///   - directory: the app's, on the disk.
    ///   - name: the journal's.
    ///   - version: that of the next launch; launches of another one do not count.
    ///   - operation: the operation in progress; nil for launches that died outside of any.
    /// - Throws: a `StorageError` when a journal cannot be written, as in memory.
    public static func writeDeadLaunches(
        _ count: Int = 3,
        in directory: StateDirectory,
        named name: String = "journal",
        version: String?,
        diedIn operation: String?
    ) throws(StorageError) {
        if directory.location == nil {
            throw directory.problem
                ?? StorageError(.invalidPlace, name, "in memory no launch is written down; open the directory at a folder")
        }
        for _ in 0..<max(count, 0) {
            // Each journal is released at the end of its round, and so looks like the journal of a dead process.
            let journal = LaunchJournal.open(in: directory, named: name, version: version)
            // A journal without a launch would be removed when this process exits.
            journal.launchBegins()
            if let operation { journal.recordStart(of: operation, attempt: 1) }
            // A launch that is not written down would not count, and the test would see nothing.
            if let problem = journal.problem { throw problem }
        }
    }
}
