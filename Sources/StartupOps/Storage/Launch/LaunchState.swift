import Foundation
import Sequencer

/// What earlier launches have come to, which decides how this one goes.
///
/// Every change is on the disk before the method that makes it returns: a launch can be killed at any time. Where the store cannot be read, as
/// before a phone's first unlock, nothing counts as new, and nothing is changed.
///
/// ```swift
/// let state = StateDirectory.openDefault().launchState()
/// let context = LaunchContext(isFirstLaunch: state.isFirstLaunch, tutorialVersionSeen: state.tutorialVersionSeen.value)
/// ```
///
/// Every method can be called from any thread, and may wait for the disk.
public final class LaunchState: Sendable {
    enum Key {
        static let completedLaunch: StoreKey = "completed-launch"
        static let appStarts: StoreKey = "app-starts"
        static let tutorialVersion: StoreKey = "tutorial-version-seen"
        static let lastSpeaker: StoreKey = "last-speaker"
        static let chosenRegion: StoreKey = "chosen-region"
        static let updatePolicy: StoreKey = "update-policy"
        /// All of the above.
        static let values = [completedLaunch, appStarts, tutorialVersion, lastSpeaker, chosenRegion, updatePolicy]
        static let pendingClearing: StoreKey = "pending-clearing"
    }

    /// What ``clear(_:)`` calls the store of this state.
    static let storeName = "state"

    let store: any DataStore
    let others: [String: any DataStore]
    private let launch: UUID

    /// Opens the state in `store`, and completes a clearing that was interrupted.
    ///
    /// - Parameters:
    ///   - others: the further stores that ``clear(_:)`` can clear, by name.
    ///   - launch: identifies the launch, in which starts are counted only once; one that is created unless said otherwise.
    public init(_ store: any DataStore, clearing others: [String: any DataStore] = [:], launch: UUID = UUID()) {
        self.store = store
        self.others = others
        self.launch = launch
        // What cannot be completed now stays in `pendingClearing`.
        try? completeClearing()
    }

    /// Whether no launch has completed before. False when that cannot be told: only what is surely new may be treated as such.
    public var isFirstLaunch: Bool { store.read(Key.completedLaunch) == .absent }

    /// Keeps that a launch has completed.
    public func recordCompletedLaunch() throws(StorageError) {
        guard store.read(Key.completedLaunch) == .absent else { return }
        try store.save(true, for: Key.completedLaunch)
    }

    // MARK: Counting starts

    private struct AppStarts: Codable {
        var count = 0
        /// The launch that was counted last.
        var launch: UUID?
    }

    private var storedAppStarts: StoredAnswer<AppStarts> {
        store.value(for: Key.appStarts, expecting: "count of starts") { $0.count >= 0 }
    }

    /// How often the app was started by somebody who is known. 0 when that cannot be told.
    public var appStarts: Int { storedAppStarts.value?.count ?? 0 }

    /// Counts this launch, unless nobody is logged in, or somebody anonymous is, or it was counted before.
    ///
    /// The count and what it counted are stored as one: a launch that is killed in here is counted once, or not at all.
    ///
    /// - Returns: whether it was counted now.
    @discardableResult
    public func countAppStart(isLoggedIn: Bool, isAnonymous: Bool) throws(StorageError) -> Bool {
        guard isLoggedIn, !isAnonymous else { return false }
        return try store.exclusively { () throws(StorageError) in
            var starts: AppStarts
            switch storedAppStarts {
            case .value(let stored): starts = stored
            case .absent: starts = AppStarts()
            case .unavailable(let error): throw error
            }
            if starts.launch == launch { return false }
            if starts.count < .max { starts.count += 1 }
            starts.launch = launch
            try store.save(starts, for: Key.appStarts)
            return true
        }
    }
}
