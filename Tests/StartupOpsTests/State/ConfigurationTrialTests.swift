import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// A store that two processes share: each has its own view of the same content, and tells what it does.
private struct SharedStore: StoreOver {
    let content: MemoryStore
    var willEnter: @Sendable () -> Void = {}
    var didWrite: @Sendable () -> Void = {}
    var willRemove: @Sendable () -> Void = {}
    var removalProblem: StorageError?

    func write(_ data: Data, for key: StoreKey) {
        content.write(data, for: key)
        didWrite()
    }

    func remove(_ key: StoreKey) throws(StorageError) {
        willRemove()
        if let removalProblem { throw removalProblem }
        content.remove(key)
    }

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        willEnter()
        return try content.withExclusiveAccess(body)
    }
}

/// A store that cannot be locked: because another process keeps it locked, or for another reason of the system's.
private struct LockedStore: StoreOver {
    let content: MemoryStore
    let reason: Int32

    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        throw StorageError(.inputOutput, "store", "it cannot be locked", systemError: reason)
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

    @Test(
        "where the store cannot be locked, a trial begins all the same; one that ends stays there, and is confirmed",
        arguments: [ETIMEDOUT, EACCES, ENOLCK]
    )
    func locked(reason: Int32) throws {
        let configurations = ConfigurationStore(LockedStore(content: MemoryStore(), reason: reason))
        try configurations.beginTrial(of: old)
        try configurations.confirm(LoadedConfiguration(old, from: .remote))
        #expect(configurations.onTrial == old && configurations.lastKnown.configuration == old)
    }

    @Test("a removal that takes too long, with the store locked by this process, is not taken for a store that another one keeps locked")
    func slowRemoval() throws {
        let problem = StorageError(.inputOutput, "store", "it does not answer", systemError: ETIMEDOUT)
        let configurations = ConfigurationStore(SharedStore(content: MemoryStore(), removalProblem: problem))
        try configurations.beginTrial(of: old)
        let error = #expect(throws: StorageError.self) { try configurations.confirm(LoadedConfiguration(old, from: .remote)) }
        #expect(error == problem)
    }
}
