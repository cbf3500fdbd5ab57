//  What the app is made of, apart from its launch: what it asks, and what it shows. A device has one of each, a test has others.

import StartupOps

nonisolated struct Account: Hashable, Sendable {
    let id: String
}

nonisolated struct Registration: Hashable, Sendable {
    let token: String
    let account: Account
}

/// What lasts as long as the process is a handle, and is asked: a copy of the account would be as old as the process.
nonisolated protocol Database: AnyObject, Sendable {
    var account: Account? { get set }
}

/// What the old delegate called one after the other.
nonisolated protocol Services: Sendable {
    func startCrashReporter()
    func openDatabase() async throws -> any Database
    func configuration() async throws -> String
    func isUpdateRequired() async throws -> Bool
    func register(token: String, for account: Account) async throws
    func news() async throws
    func prefetchImages() async throws
    func removeOldFiles() async throws
}

@MainActor protocol Screens: AnyObject, Sendable {
    /// Whether a question of ``logIn()`` is on the screen.
    var isAsking: Bool { get }
    /// Asks the user; throws when they leave without an answer.
    func logIn() async throws -> Account
    func showHome(_ account: Account, _ configuration: String)
    func showUpdate()
    /// With a button that sends ``AppEvent/retry``.
    func showFailure(_ message: String)
    func open(_ entryPoint: EntryPoint)
}
