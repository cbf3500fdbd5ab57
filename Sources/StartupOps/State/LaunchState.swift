import Foundation
import Sequencer
import StartupNetworking

/// The results of earlier launches, which decide how this one goes.
///
/// Every change is on the disk before the method that makes it returns: a launch can be killed at any time. Where the
/// store cannot be read, as before a phone's first unlock, nothing counts as new, and nothing is changed.
///
/// ```swift
/// let state = StateDirectory.openDefault().launchState()
/// if state.isFirstLaunch { print("welcome") }
/// ```
///
/// Every method can be called from any thread, and may wait for the disk.
public final class LaunchState: Sendable {
    enum Key {
        static let completedLaunch: StoreKey = "completed-launch"
        static let appStarts: StoreKey = "app-starts"
        static let tutorialVersion: StoreKey = "tutorial-version-seen"
        static let lastSpeaker: StoreKey = "last-speaker"
        static let declinedSpeaker: StoreKey = "declined-speaker"
        static let chosenRegion: StoreKey = "chosen-region"
        static let updatePolicy: StoreKey = "update-policy"
        static let dismissedOnboarding: StoreKey = "dismissed-onboarding"
        static let installation: StoreKey = "installation"
        static let pendingClearing: StoreKey = "pending-clearing"
    }

    let store: any DataStore
    let others: [any DataStore]
    private let launch: UUID
    private let doubt: StorageError?

    /// Opens the state in `store`, and completes a removal that was interrupted.
    ///
    /// - Parameters:
    ///   - others: the further stores that ``forgetPerson()`` empties.
    ///   - launch: identifies the launch, in which starts are counted only once; one that is created unless said
    ///       otherwise.
    ///   - doubt: why `store` says nothing about earlier launches, such as one in memory in place of one that cannot be
    ///       opened.
    init(
        _ store: any DataStore,
        forgetting others: [any DataStore] = [],
        launch: UUID = UUID(),
        doubt: StorageError? = nil
    ) {
        self.doubt = doubt
        self.store = store
        self.others = others
        self.launch = launch
        // If this fails, the note stays.
        try? completeForgetting()
    }

    /// Whether a launch has completed before, as far as that can be told.
    var firstLaunch: FirstLaunch {
        switch store.read(Key.completedLaunch) {
        case .value: return .later
        case .unavailable(let error): return .unknown(because: error)
        case .absent: break
        }
        // In memory, absent says nothing about earlier launches (S22).
        if let doubt { return .unknown(because: doubt) }
        guard store.hasSetAside(Key.completedLaunch) else { return .first }
        return .unknown(because: StorageError(.corrupt, Key.completedLaunch.description, "what was stored was damaged"))
    }

    /// Whether surely no launch has completed before. False when that cannot be told.
    public var isFirstLaunch: Bool { firstLaunch == .first }

    /// Keeps that a launch has completed.
    func recordCompletedLaunch() throws(StorageError) {
        // Written once: a launch need not wait for a disk for the same value.
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

    /// How often a known user has started the app. 0 when that cannot be told.
    public var appStarts: Int { storedAppStarts.value?.count ?? 0 }

    /// Counts this launch, unless nobody is logged in, or somebody anonymous is, or it was counted before.
    ///
    /// The count is stored together with the launch that was counted last, so a launch that is killed in here is
    /// counted once or not at all.
    ///
    /// - Returns: whether it was counted now.
    @discardableResult
    func countAppStart(isLoggedIn: Bool, isAnonymous: Bool) throws(StorageError) -> Bool {
        guard isLoggedIn, !isAnonymous else { return false }
        return try store.exclusively { () throws(StorageError) in
            // Damage counts as absent; a store that cannot be read must not begin to count at 0.
            var starts = try storedAppStarts.get() ?? AppStarts()
            // A retry of the step, or a second one in the graph, counts nothing.
            if starts.launch == launch { return false }
            // A number out of a file may be the largest.
            if starts.count < .max { starts.count += 1 }
            starts.launch = launch
            try store.save(starts, for: Key.appStarts)
            return true
        }
    }

    /// The version of the app in which the user last saw the tutorial. Any other text counts as absent.
    var tutorialVersionSeen: StoredAnswer<SemanticVersion> { store.value(for: Key.tutorialVersion, expecting: "version") { _ in true } }

    /// Keeps that the user has seen the tutorial of this version of the app.
    func recordTutorialSeen(version: SemanticVersion) throws(StorageError) { try store.save(version, for: Key.tutorialVersion) }

    /// Whether the user has dismissed the onboarding: absent when not, or when a user was logged in since.
    var dismissedOnboarding: StoredAnswer<Bool> { store.value(for: Key.dismissedOnboarding, expecting: "mark") { $0 } }

    /// Keeps that the user has dismissed the onboarding.
    func recordDismissedOnboarding() throws(StorageError) { try store.save(true, for: Key.dismissedOnboarding) }

    /// Forgets that the onboarding was dismissed: a guest who comes after a login is received as new.
    func forgetDismissedOnboarding() throws(StorageError) {
        if case .value = dismissedOnboarding { try store.remove(Key.dismissedOnboarding) }
    }

    /// The speaker that was connected to last.
    public var lastSpeaker: StoredAnswer<Speaker> {
        store.value(for: Key.lastSpeaker, expecting: "speaker") {
            !$0.id.isEmpty && hostViolation($0.host, $0.port) == nil
        }
    }

    /// Keeps the speaker to connect to in the next launch.
    func rememberSpeaker(_ speaker: Speaker) throws(StorageError) { try store.save(speaker, for: Key.lastSpeaker) }

    /// Forgets the speaker that was connected to last, and that the user wanted none: the next launch asks. For a
    /// button in the app's settings.
    public func forgetSpeaker() throws(StorageError) {
        try store.remove(Key.lastSpeaker)
        try store.remove(Key.declinedSpeaker)
    }

    /// Whether the user has chosen no speaker, and is not asked again. False when that cannot be told.
    var hasDeclinedSpeaker: Bool { store.value(Bool.self, for: Key.declinedSpeaker).value ?? false }

    /// Keeps that the user has chosen no speaker.
    func recordDeclinedSpeaker() throws(StorageError) { try store.save(true, for: Key.declinedSpeaker) }

    /// The country and the language the user has chosen.
    var chosenRegion: StoredAnswer<Region> {
        store.value(for: Key.chosenRegion, expecting: "country and language") { !$0.country.isEmpty && !$0.language.isEmpty }
    }

    /// Keeps the country and the language the user has chosen.
    func recordChosenRegion(_ region: Region) throws(StorageError) { try store.save(region, for: Key.chosenRegion) }

    /// The service's last word on updates, as it came: for a launch without network.
    var lastUpdatePolicy: StoredAnswer<Data> { store.read(Key.updatePolicy) }

    /// Whether the service's last word on updates was kept, and cannot be read any more.
    var isUpdatePolicyDamaged: Bool { store.hasSetAside(Key.updatePolicy) }

    /// Keeps the service's word on updates.
    func recordUpdatePolicy(_ policy: Data) throws(StorageError) { try store.write(policy, for: Key.updatePolicy) }

    // MARK: Forgetting

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

/// Whether an app has completed a launch before.
///
/// If it cannot be told, nothing is ended or removed that would be on a first launch.
enum FirstLaunch: Sendable, Hashable {
    /// No launch has completed.
    case first
    /// A launch has.
    case later
    /// It cannot be told: the mark of it is damaged, of a newer format, or cannot be read now.
    case unknown(because: StorageError)
}

extension StateDirectory {
    /// The results of earlier launches. An interrupted ``LaunchState/forgetPerson()`` is completed first.
    ///
    /// - Parameter launch: identifies the launch, in which starts of the app are counted once.
    public func launchState(launch: UUID = UUID()) -> LaunchState {
        LaunchState(state, forgetting: [secure, cache], launch: launch, doubt: stateProblem)
    }
}
