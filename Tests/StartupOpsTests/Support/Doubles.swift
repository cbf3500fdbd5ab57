import Foundation
import Sequencer

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Accounts that answer as `real` does, but for what a test puts in its place.
protocol AccountsOver: AccountService {
    var real: any AccountService { get }
}

extension AccountsOver {
    func storedSession() -> StoredAnswer<StoredSession> { real.storedSession() }
    func restore(by deadline: Deadline) async throws -> Account { try await real.restore(by: deadline) }
    func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        try await real.logIn(email: email, password: password, by: deadline)
    }
    func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        try await real.createAccount(email: email, password: password, by: deadline)
    }
    func logInAnonymously(by deadline: Deadline) async throws -> Account { try await real.logInAnonymously(by: deadline) }
    func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account {
        try await real.verify(email: email, code: code, by: deadline)
    }
    func logOut(because reason: String) async { await real.logOut(because: reason) }
}

/// A store that does as `content` does, but for what a test puts in its place.
protocol StoreOver: DataStore {
    associatedtype Content: DataStore
    var content: Content { get }
}

extension StoreOver {
    func read(_ key: StoreKey) -> StoredAnswer<Data> { content.read(key) }
    func write(_ data: Data, for key: StoreKey) throws(StorageError) { try content.write(data, for: key) }
    func remove(_ key: StoreKey) throws(StorageError) { try content.remove(key) }
    func removeAll() throws(StorageError) { try content.removeAll() }
    func setAside(_ key: StoreKey, because reason: String) throws(StorageError) { try content.setAside(key, because: reason) }
    func hasSetAside(_ key: StoreKey) -> Bool { content.hasSetAside(key) }
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result { try content.withExclusiveAccess(body) }
}

/// Notes where speakers were looked for.
final class LookedFor: DeviceConnector {
    let asked = Locked<[AppConfiguration.Endpoint]>([])

    func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
        throw DeviceError(.unreachable, speaker.description, "nobody is there")
    }

    func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
        asked.withLock { $0 = endpoints }
        return []
    }
}
