import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FileStoreTests {
    private let folder: TemporaryFolder
    private let store: FileStore

    init() throws {
        folder = try TemporaryFolder()
        store = try FileStore(directory: folder("a/b/store"))
    }

    @Test("Values are there in the next launch, until they are replaced or removed")
    func persistence() throws {
        #expect(store.read("key") == .absent)
        try store.write(text("one"), for: "key")
        try store.write(text("two"), for: "key")
        try store.write(Data(), for: "empty")
        let large = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try store.write(large, for: "large")

        let next = try FileStore(directory: folder("a/b/store"))
        #expect(next.read("key") == .value(text("two")))
        #expect(next.read("empty") == .value(Data()))
        #expect(next.read("large") == .value(large))
        try next.remove("key")
        try next.remove("key")
        #expect(store.read("key") == .absent)
        try next.removeAll()
        #expect(store.read("large") == .absent)
        #expect(names(in: folder("a/b/store")).isEmpty)
    }

    @Test("Only the owner gets into the directories that are created")
    func directories() throws {
        for name in ["a", "a/b", "a/b/store"] { #expect(try permissions(of: folder(name)) == 0o700) }
    }

    @Test("A value can be a slice of other data, and comes back with indices from zero")
    func slices() throws {
        let slice = text("--value--").dropFirst(2).dropLast(2)
        try store.write(slice, for: "key")
        #expect(store.read("key").value?.first == UInt8(ascii: "v"))
        #expect(store.read("key").value?[0] == UInt8(ascii: "v"))
    }

    @Test("A value that is too large is refused, and the old one kept")
    func tooLarge() throws {
        let small = try FileStore(directory: folder("small"), maximumSize: 10)
        try small.write(Data(count: 10), for: "key")
        let error = #expect(throws: StorageError.self) { try small.write(Data(count: 11), for: "key") }
        #expect(error?.code == .noSpace)
        #expect(error?.description == "\(folder("small/key").path): 11 bytes are more than the 10 allowed here")
        #expect(small.read("key") == .value(Data(count: 10)))
    }

    @Test("A directory that is cleared away, as caches may be, is created again")
    func clearedAway() throws {
        try store.write(text("one"), for: "key")
        try FileManager.default.removeItem(at: folder("a"))
        #expect(store.read("key") == .absent)
        try store.write(text("two"), for: "key")
        #expect(store.read("key") == .value(text("two")))
        try FileManager.default.removeItem(at: folder("a"))
        #expect(try store.withExclusiveAccess { 7 } == 7)
    }

    @Test("What a caller finds to be nonsense is moved aside, the newest three kept")
    func setAside() throws {
        let problems = Problems()
        let store = try FileStore(directory: folder("store"), onProblem: problems.add)
        for index in 1...5 {
            try store.save(["number": index], for: "config")
            #expect(store.value([Int].self, for: "config") == .absent)
        }
        #expect(names(in: folder("store")) == ["config.corrupt-3", "config.corrupt-4", "config.corrupt-5"])
        #expect(problems.all.count == 5)
        #expect(problems.all.first?.code == .corrupt)
        let path = folder("store/config").path
        #expect(problems.all.first?.description == "\(path): it is no Array<Int>; it was moved to config.corrupt-1 and counts as absent")
        try store.setAside("not there", because: "it is not there")
        #expect(problems.all.count == 5)
        try store.remove("config")
        #expect(names(in: folder("store")).isEmpty)
    }

    @Test("Temporary files of processes that are gone are removed, those in use stay")
    func sweeping() throws {
        let used = try PosixFile(folder("a/b/store/.tmp-2-used").path, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
        #expect(try used.lockIfFree())
        try text("half").write(to: folder("a/b/store/.tmp-1-left"))
        try store.write(text("value"), for: "key")
        _ = try FileStore(directory: folder("a/b/store"))
        #expect(names(in: folder("a/b/store")) == [".tmp-2-used", "key"])
        #expect(try used.status().st_size == 0)
    }

    @Test("Stores that are opened while others write remove nothing that is in use")
    func openingWhileWriting() throws {
        let rounds = Nightly.times(day: 200, night: 1000)
        let directory = PosixDirectory(path: folder("a/b/store").path)
        let isWriting = Locked(true)
        let sweepers = (0..<2).map { _ in Thread { while isWriting.withLock({ $0 }) { directory.sweep() } } }
        for sweeper in sweepers { sweeper.start() }
        defer { isWriting.withLock { $0 = false } }
        for round in 1...rounds {
            let name = StoreFileName("key")
            try directory.replace(name.description, with: StoredFile.encode(Data(count: round), for: name))
        }
        #expect(store.read("key") == .value(Data(count: rounds)))
        #expect(names(in: folder("a/b/store")) == ["key"])
    }
}
