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

/// The services, with answers that take as long as they say, and the database.
nonisolated final class Phone: Services, Database, @unchecked Sendable {
    // @unchecked: `state` is only touched while `lock` is held; the rest is constant.

    private struct State {
        var done: [String] = []
        var isOnline = true
        var isOutdated = false
        var opensDatabase = true
        var openingTakes = Duration.milliseconds(200)
        var whileOpening: @MainActor @Sendable () -> Void = {}
        var account: Account?
    }

    private let clock: any Clock<Duration>
    private let lock = NSLock()
    private var state: State

    /// - Parameter account: who has logged in on an earlier day.
    init(_ clock: any Clock<Duration>, account: Account? = nil) {
        (self.clock, state) = (clock, State(account: account))
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
    var openingTakes: Duration {
        get { lock.withLock { state.openingTakes } }
        set { lock.withLock { state.openingTakes = newValue } }
    }
    /// What happens meanwhile.
    var whileOpening: @MainActor @Sendable () -> Void {
        get { lock.withLock { state.whileOpening } }
        set { lock.withLock { state.whileOpening = newValue } }
    }
    var account: Account? {
        get { lock.withLock { state.account } }
        set { lock.withLock { state.account = newValue } }
    }

    private func note(_ work: String) { lock.withLock { state.done.append(work) } }

    func startCrashReporter() { note("crashes are reported") }

    func openDatabase() async throws -> any Database {
        note("the database is opened")
        try await clock.sleep(for: openingTakes / 2)
        await whileOpening()
        try await clock.sleep(for: openingTakes / 2)
        guard opensDatabase else { throw DatabaseDamaged() }
        return self
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
    private(set) var isAsking = false
    /// What the user enters; nil for one who leaves.
    var enters: Account? = Account(id: "ann")
    /// What the user does before that.
    var whileAsking: @MainActor () -> Void = {}

    func logIn() async throws -> Account {
        shown.append("log in")
        isAsking = true
        defer { isAsking = false }
        whileAsking()
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
