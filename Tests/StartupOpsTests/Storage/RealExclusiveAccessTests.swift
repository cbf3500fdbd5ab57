import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupStorage

@Suite(.serialized, .timeLimit(.minutes(30)), .real)
struct RealExclusiveAccessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Threads that share a store, or have one each in the same place, go in one at a time", arguments: [2, 16])
    func threads(width: Int) async throws {
        let shared = try FileStore(directory: folder("store"), lockTimeout: .seconds(300))
        let total = Locked(0)
        try await atOnce(0..<width) { [folder] index in
            let own = index % 2 == 0 ? shared : try FileStore(directory: folder("store"), lockTimeout: .seconds(300))
            for _ in 0..<10 {
                try own.withExclusiveAccess {
                    // Unsafe unless exclusive: read, then write.
                    let before = total.withLock { $0 }
                    let count = own.value(Int.self, for: "count").value ?? 0
                    try own.save(count + 1, for: "count")
                    total.withLock { $0 = before + 1 }
                }
            }
        }
        #expect(shared.value(Int.self, for: "count") == .value(width * 10))
        #expect(total.withLock { $0 } == width * 10)
    }

    @Test("A thread that is in may enter again, and the error of the body gets out")
    func reentrance() throws {
        struct Oops: Error {}
        let store = try FileStore(directory: folder("store"))
        let result = try store.withExclusiveAccess { try store.withExclusiveAccess { try store.withExclusiveAccess { 7 } } }
        #expect(result == 7)
        #expect(throws: Oops.self) { try store.withExclusiveAccess { throw Oops() } }
        // Nothing is left locked.
        #expect(try FileStore(directory: folder("store"), lockTimeout: patience).withExclusiveAccess { 8 } == 8)
    }

    @Test("Who waits for another thread gives up after the timeout, with an error")
    func timeout() async throws {
        let store = try FileStore(directory: folder("store"), lockTimeout: .zero)
        let (inside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // A process that another test has started has this one's locks for a moment, until it has become its program.
        let end = Deadline.after(patience)
        let holder = Thread {
            var hasHeld = false
            while !hasHeld, !end.isOver {
                try? store.withExclusiveAccess {
                    hasHeld = true
                    inside.signal()
                    goOn.waitPatiently()
                }
            }
            inside.signal()
        }
        holder.start()
        inside.waitPatiently()
        let error = #expect(throws: StorageError.self) { try store.withExclusiveAccess {} }
        #expect(error?.systemError == ETIMEDOUT)
        #expect(error?.reason == "another thread kept the store locked for more than 0 ms; try again")
        goOn.signal()
        inside.waitPatiently()
        await eventually { (try? store.withExclusiveAccess { 7 }) == 7 }
    }

    @Test("Clearing a store keeps its lock, and a lock file that is removed is made again")
    func removedLockFile() throws {
        let store = try FileStore(directory: folder("store"))
        try store.withExclusiveAccess {
            try store.write(text("value"), for: "key")
            try store.removeAll()
            let other = try FileStore(directory: folder("store"), lockTimeout: .zero)
            #expect(throws: StorageError.self) { try other.withExclusiveAccess {} }
        }
        try FileManager.default.removeItem(at: folder("store/.lock"))
        #expect(try store.withExclusiveAccess { 7 } == 7)
    }

    @Test("No file stays open")
    func descriptors() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            func openFiles() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
            func useAll() throws {
                let store = try FileStore(directory: URL(fileURLWithPath: path).appendingPathComponent("store"), maximumSize: 100)
                try store.write(text("value"), for: "key")
                _ = store.read("key")
                try text("nonsense").write(to: URL(fileURLWithPath: path).appendingPathComponent("store/key"))
                _ = store.read("key")
                #expect(throws: StorageError.self) { try store.write(Data(count: 200), for: "key") }
                try store.withExclusiveAccess {}
                try store.removeAll()
            }
            try useAll()
            let before = try openFiles()
            for _ in 0..<100 { try useAll() }
            #expect(try openFiles() == before)
        }
    }
}
