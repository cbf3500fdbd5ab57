import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// A store that two processes share: each has its own view of the same content, and tells what it does.
private struct SharedStore: DataStore {
    let content: MemoryStore
    var willEnter: @Sendable () -> Void = {}
    var didWrite: @Sendable () -> Void = {}
    var willRemove: @Sendable () -> Void = {}

    func read(_ key: StoreKey) -> StoredAnswer<Data> { content.read(key) }

    func write(_ data: Data, for key: StoreKey) {
        content.write(data, for: key)
        didWrite()
    }

    func remove(_ key: StoreKey) {
        willRemove()
        content.remove(key)
    }

    func removeAll() { content.removeAll() }
    func setAside(_ key: StoreKey, because reason: String) { content.setAside(key, because: reason) }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        willEnter()
        return try content.withExclusiveAccess(body)
    }
}

/// A store that another process keeps locked.
private struct LockedStore: DataStore {
    let content: MemoryStore

    func read(_ key: StoreKey) -> StoredAnswer<Data> { content.read(key) }
    func write(_ data: Data, for key: StoreKey) { content.write(data, for: key) }
    func remove(_ key: StoreKey) { content.remove(key) }
    func removeAll() { content.removeAll() }
    func setAside(_ key: StoreKey, because reason: String) { content.setAside(key, because: reason) }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        throw StorageError(.inputOutput, "store", "another process kept it locked", systemError: ETIMEDOUT)
    }
}

@Suite("Configurations on trial in several processes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ConfigurationTrialTests {
    private let old = AppConfiguration(version: "1", country: "DE", language: "de")
    private let new = AppConfiguration(version: "2", country: "DE", language: "de")

    //     this process        the other one
    //     compares
    //     is to remove  --->  begins to save
    //                   <---  has saved, or waits for this one
    //     removes
    //                         saves, if it has waited
    @Test("fault S32: a configuration that another process saves while a trial ends is on trial after it", arguments: [false, true])
    func savedMeanwhile(confirmsAny: Bool) async throws {
        let content = MemoryStore()
        let (hasArrived, isDone) = (Gate(), Gate())
        let other = ConfigurationStore(
            SharedStore(content: content, willEnter: { hasArrived.open() }, didWrite: { hasArrived.open() })
        )
        let configurations = ConfigurationStore(
            SharedStore(
                content: content,
                willRemove: { [new] in
                    Thread.detachNewThread {
                        try? other.beginTrial(of: new)
                        isDone.open()
                    }
                    hasArrived.block()
                }
            )
        )
        try configurations.beginTrial(of: old)
        if confirmsAny { try configurations.confirmTrial() } else { try configurations.confirm(LoadedConfiguration(old, from: .remote)) }
        await isDone.wait()
        #expect(configurations.onTrial == new && configurations.lastKnown.configuration == old)
    }

    @Test("where another process keeps the store locked, a trial begins all the same; one that ends stays there, and is confirmed")
    func locked() throws {
        let configurations = ConfigurationStore(LockedStore(content: MemoryStore()))
        try configurations.beginTrial(of: old)
        try configurations.confirm(LoadedConfiguration(old, from: .remote))
        #expect(configurations.onTrial == old && configurations.lastKnown.configuration == old)
    }
}
