import StartupStorage

extension LaunchState {
    /// Forgets the user, even when the process is killed on the way: all secrets, the whole cache, the speaker used
    /// last, and that the onboarding was dismissed. The settings and the rest of this state stay.
    ///
    /// A note is written first, and removed last. The next process that opens the state completes an interrupted
    /// removal before anything else.
    ///
    /// - Throws: when a part could not be removed. The others are removed, and the next launch removes the rest,
    ///   including values stored in the same place before that.
    public func forgetPerson() throws(StorageError) {
        try store.exclusively { () throws(StorageError) in
            // A full disk must keep nobody logged in: without the note, there is only no promise for a kill.
            try? store.save(true, for: Key.pendingClearing)
            try forget()
        }
    }

    /// Whether the user is still to be forgotten: a removal was interrupted, or failed.
    var isForgetting: Bool { store.value(Bool.self, for: Key.pendingClearing).value == true }

    /// Completes an interrupted removal. Opening the state does so too.
    func completeForgetting() throws(StorageError) {
        // Most launches find nothing, and need not wait for anybody.
        if !isForgetting { return }
        try store.exclusively { () throws(StorageError) in if isForgetting { try forget() } }
    }

    private func forget() throws(StorageError) {
        var problem: StorageError?
        func attempt(_ removal: () throws(StorageError) -> Void) {
            do throws(StorageError) { try removal() } catch { problem = problem ?? error }
        }
        for other in others { attempt { () throws(StorageError) in try other.removeAll() } }
        for key in [Key.lastSpeaker, Key.dismissedOnboarding] { attempt { () throws(StorageError) in try store.remove(key) } }
        if let problem { throw problem }
        // The note last: until then the next process continues here.
        try store.remove(Key.pendingClearing)
    }
}
