//  Stands in for the device: its disk, its network and its screen.

import Foundation
import StartupOps

nonisolated struct NoNetwork: Error, CustomStringConvertible {
    let description = "there is no network"
}

nonisolated struct DatabaseDamaged: Error, CustomStringConvertible {
    let description = "the database is damaged"
}

nonisolated struct NobodyLoggedIn: Error, CustomStringConvertible {
    let description = "nobody has logged in"
}

/// The services, with answers that take as long as they say.
nonisolated final class Phone: Services, @unchecked Sendable {
    // @unchecked: `state` is only touched while `lock` is held; the rest is constant.

    private struct State {
        var done: [String] = []
        var isOnline = true
        var isOutdated = false
        var opensDatabase = true
    }

    private let clock: any Clock<Duration>
    private let account: Account?
    private let lock = NSLock()
    private var state = State()

    /// - Parameter account: who has logged in on an earlier day.
    init(_ clock: any Clock<Duration>, account: Account? = nil) {
        (self.clock, self.account) = (clock, account)
    }

    /// What was done, in order.
    var done: [String] { lock.withLock { state.done } }
    var isOnline: Bool {
        get { lock.withLock { state.isOnline } }
        set { lock.withLock { state.isOnline = newValue } }
    }
    var isOutdated: Bool {
        get { lock.withLock { state.isOutdated } }
        set { lock.withLock { state.isOutdated = newValue } }
    }
    var opensDatabase: Bool {
        get { lock.withLock { state.opensDatabase } }
        set { lock.withLock { state.opensDatabase = newValue } }
    }

    private func note(_ work: String) { lock.withLock { state.done.append(work) } }

    func startCrashReporter() { note("crashes are reported") }

    func openDatabase() async throws -> Database {
        note("the database is opened")
        try await clock.sleep(for: .milliseconds(200))
        guard opensDatabase else { throw DatabaseDamaged() }
        return Database(account: account)
    }

    func configuration() async throws -> String {
        try await ask(for: .milliseconds(300))
        return "remote"
    }

    func isUpdateRequired() async throws -> Bool {
        try await ask(for: .milliseconds(150))
        return isOutdated
    }

    func register(token: String, for account: Account) async throws {
        try await ask(for: .milliseconds(100))
        note("\(token) is registered for \(account.id)")
    }

    func news() async throws {
        try await ask(for: .seconds(2))
        note("news are fetched")
    }

    func prefetchImages() async throws {
        try await ask(for: .milliseconds(500))
        note("images are fetched")
    }

    func removeOldFiles() async throws {
        try await clock.sleep(for: .milliseconds(100))
        note("old files are removed")
    }

    private func ask(for time: Duration) async throws {
        try await clock.sleep(for: time)
        guard isOnline else { throw NoNetwork() }
    }
}

/// The screen, as a list of what was on it.
@MainActor final class Screen: Screens {
    private(set) var shown: [String] = []
    /// What the user enters; nil for one who leaves.
    var enters: Account? = Account(id: "ann")

    func logIn() async throws -> Account {
        shown.append("log in")
        guard let enters else { throw NobodyLoggedIn() }
        return enters
    }

    func showHome(_ account: Account, _ configuration: String) { shown.append("home of \(account.id) (\(configuration))") }
    func showUpdate() { shown.append("update") }
    func showFailure(_ message: String) { shown.append("\(message), try again?") }
    func open(_ entryPoint: EntryPoint) { shown.append("\(entryPoint)") }

    /// Forgets what was on it.
    func take() -> [String] {
        defer { shown = [] }
        return shown
    }
}
