//  Stands in for what a messenger finds on a phone: a disk, a database, a keychain, a network, and the person in front of it.

import Sequencer

/// What the messages are in.
nonisolated struct Database: Sendable {
    let version: Int

    /// The version that this app works with.
    static let current = 7

    var isOld: Bool { version < Self.current }
}

nonisolated struct Account: Sendable {
    let name: String
}

/// The list of the main screen.
nonisolated struct Chats: Sendable {
    /// Nil when they could not be loaded in time.
    let count: Int?

    static let unknown = Chats(count: nil)
}

/// Messages of an older version are in the database, and whoever opens it may not move them.
nonisolated struct DatabaseIsOld: Error {}
/// The phone has not been unlocked since it was switched on.
nonisolated struct KeychainIsLocked: Error {}
nonisolated struct NoNetwork: Error {}

/// What the person touches when there is hardly any room left.
nonisolated enum Answer: Sendable {
    case goOn, makeRoom, leave
}

actor Disk {
    private(set) var isFull: Bool

    init(isFull: Bool = false) {
        self.isFull = isFull
    }

    func makeRoom() {
        isFull = false
    }
}

nonisolated struct Phone: Sendable {
    var disk = Disk()
    var databaseVersion = Database.current
    /// How long it takes to move the messages of an older database.
    var migration = Duration.seconds(2)
    var isLocked = false
    var isOnline = true
    var isOutdated = false
    /// What the person answers when there is no room.
    var answer = Answer.goOn
    /// Whether the person agrees to a launch in safe mode.
    var agreesToSafeMode = true

    /// A phone whose app has been updated: its first launch moves the messages.
    static let updated = afterUpdate(moving: .seconds(2))

    /// - Parameter duration: how long that takes.
    static func afterUpdate(moving duration: Duration) -> Phone {
        Phone(databaseVersion: Database.current - 1, migration: duration)
    }

    /// A request that takes this long.
    func request(_ duration: Duration, in launch: StepContext) async throws {
        try await launch.sleep(for: duration)
        if !isOnline { throw NoNetwork() }
    }
}

/// All that a person sees, in order.
@MainActor
final class Screen {
    private(set) var shown: [String] = []
    /// Whether something else has the screen than the launch.
    private(set) var isTakenOver = false
    /// What was done when the app was ready; nobody sees it.
    private(set) var done: [String] = []

    nonisolated init() {}

    func show(_ what: String) {
        shown.append(what)
    }

    func takeOver(_ what: String) {
        isTakenOver = true
        shown.append(what)
    }

    func note(_ work: String) {
        done.append(work)
    }
}
