import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupStorage

/// A store in which another process writes a value right after a read.
private final class OvertakenStore: StoreOver {
    let content: FileStore
    /// The values that are written, one after each read.
    let next = Locked<[Data]>([])

    init(_ content: FileStore) { self.content = content }

    func read(_ key: StoreKey) -> StoredAnswer<Data> {
        let answer = content.read(key)
        if let data = next.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { try? content.write(data, for: key) }
        return answer
    }
}

@Suite("Values of stores", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DataStoreTests {
    private let folder: TemporaryFolder
    private let store: OvertakenStore

    init() throws {
        folder = try TemporaryFolder()
        store = OvertakenStore(try FileStore(directory: folder("store")))
    }

    @Test(
        "fault S33: a value that another process writes while one that makes no sense is read stays, and counts",
        arguments: ["nonsense", "-1"]
    )
    func overtaken(old: String) throws {
        try store.write(text(old), for: "key")
        store.next.withLock { $0 = [text("7")] }
        let answer = store.value(for: "key", expecting: "count") { (count: Int) in count >= 0 }
        #expect(answer == .value(7))
        #expect(!store.hasSetAside("key") && names(in: folder("store")) == ["key"])
    }

    @Test("fault S33: of several that make no sense, the last one is set aside")
    func nonsense() throws {
        try store.write(text("nonsense"), for: "key")
        store.next.withLock { $0 = [text("more"), text("most")] }
        #expect(store.value(Int.self, for: "key") == .absent)
        #expect(names(in: folder("store")) == ["key.corrupt-1"])
    }
}
