//  What the app is made of, apart from its launch: what it asks, and what it shows. A device has one of each, a test has others.

import StartupOps

nonisolated struct Account: Hashable, Sendable {
    let id: String
}

nonisolated struct Database: Hashable, Sendable {
    let account: Account?
}

/// What the old delegate called one after the other.
nonisolated protocol Services: Sendable {
    func startCrashReporter()
    func openDatabase() async throws -> Database
    func configuration() async throws -> String
    func isUpdateRequired() async throws -> Bool
    func register(token: String, for account: Account) async throws
    func news() async throws
    func prefetchImages() async throws
    func removeOldFiles() async throws
}

@MainActor protocol Screens: AnyObject, Sendable {
    /// Asks the user; throws when they leave without an answer.
    func logIn() async throws -> Account
    func showHome(_ account: Account, _ configuration: String)
    func showUpdate()
    /// With a button that sends ``AppEvent/retry``.
    func showFailure(_ message: String)
    func open(_ entryPoint: EntryPoint)
}
