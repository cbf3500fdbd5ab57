import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupStorage

/// Processes that are killed while they use a store.
@Suite(.serialized, .timeLimit(.minutes(30)), .real)
struct RealFileStoreKillTests {
    @Test("fault S7: Of many processes killed while they write, none leaves a torn value or a temporary file")
    func killedWriters() async throws {
        let folder = try TemporaryFolder()
        let path = folder("store").path
        var seen: Set<Data> = []
        let rounds = Nightly.times(day: 30, night: 100)
        for round in 0..<rounds {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
                var random = SplitMix64(seed: UInt64(round))
                func value(of count: ClosedRange<Int>) -> Data {
                    Data(repeating: .random(in: 0...255, using: &random), count: .random(in: count, using: &random))
                }
                let store = try FileStore(directory: URL(fileURLWithPath: path))
                try store.write(value(of: 50_000...50_000), for: "first")
                try store.write(value(of: 1...100_000), for: "key")
                // The kill is to hit at any point of a later write.
                let pause = UInt32.random(in: 0...5_000, using: &random)
                Thread.detachNewThread {
                    usleep(pause)
                    killThisProcess()
                }
                while true { try store.write(value(of: 1...100_000), for: "key") }
            }
            let problems = Problems()
            let store = try FileStore(directory: folder("store"), onProblem: problems.add)
            #expect(names(in: folder("store")).allSatisfy { ["first", "key"].contains($0) }, "round \(round)")
            #expect(store.read("first").value?.count == 50_000)
            switch store.read("key") {
            case .value(let value):
                #expect(value.allSatisfy { $0 == value.first }, "round \(round)")
                seen.insert(value)
            case .absent: break
            case .unavailable(let error): Issue.record("round \(round): \(error)")
            }
            #expect(problems.all.isEmpty)
        }
        #expect(seen.count > rounds / 10)
    }

    @Test("fault S11: Two processes that change one value lose no change")
    func twoProcesses() async throws {
        let folder = try TemporaryFolder()
        let path = folder("store").path
        async let one = #expect(processExitsWith: .success) { [path = path as String] in try count(to: 100, in: path) }
        async let other = #expect(processExitsWith: .success) { [path = path as String] in try count(to: 100, in: path) }
        _ = await (one, other)
        let store = try FileStore(directory: folder("store"))
        #expect(store.value(Int.self, for: "count") == .value(200))
        #expect(names(in: folder("store")) == ["count"])
    }

    @Test("fault S12: The lock of a process that is killed goes to the next")
    func killedHolder() async throws {
        let folder = try TemporaryFolder()
        // Waiting for the child takes one of the few threads that tasks have, so what the child waits for happens on another one.
        let outcome = Locked(Outcome())
        let observer = Thread { [folder] in
            let seen = Outcome(usingLockOfChildIn: folder)
            outcome.withLock { $0 = seen }
        }
        observer.start()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let folder = URL(fileURLWithPath: path)
            let store = try FileStore(directory: folder.appendingPathComponent("store"))
            try store.withExclusiveAccess {
                try text("1").write(to: folder.appendingPathComponent("held"))
                waitForFile(folder.appendingPathComponent("go"))
                killThisProcess()
            }
        }
        await eventually { observer.isFinished }
        let seen = outcome.withLock { $0 }
        #expect(seen.refusal?.systemError == ETIMEDOUT)
        let expected = /process [0-9]+ kept the store locked for more than 1 ms; try again when it is done, or end it if it hangs/
        #expect(seen.refusal?.reason.wholeMatch(of: expected) != nil, "\(seen.refusal?.reason ?? "")")
        // Reading and writing wait for nobody.
        #expect(seen.valueWhileLocked == text("value"))
        #expect(seen.gotTheLockAfterwards)
    }
}

/// What another process finds while, and after, a child holds the lock.
private struct Outcome {
    var refusal: StorageError?
    var valueWhileLocked: Data?
    var gotTheLockAfterwards = false

    init() {}

    init(usingLockOfChildIn folder: TemporaryFolder) {
        waitForFile(folder("held"))
        do {
            let impatient = try FileStore(directory: folder("store"), lockTimeout: .milliseconds(1))
            do {
                try impatient.withExclusiveAccess {}
            } catch {
                refusal = error as? StorageError
            }
            try impatient.write(text("value"), for: "key")
            valueWhileLocked = impatient.read("key").value
            try text("1").write(to: folder("go"))
            let patient = try FileStore(directory: folder("store"), lockTimeout: .seconds(300))
            gotTheLockAfterwards = try patient.withExclusiveAccess { true }
        } catch {
            // The child has to go on, or the test would never end.
            try? text("1").write(to: folder("go"))
        }
    }
}

/// Blocks the thread until another process has made the file, and no longer than a test is patient.
private func waitForFile(_ url: URL) {
    let end = Deadline.after(patience)
    while !FileManager.default.fileExists(atPath: url.path), !end.isOver { usleep(500) }
}

/// Adds one to a stored number, again and again.
private func count(to limit: Int, in path: String) throws {
    let store = try FileStore(directory: URL(fileURLWithPath: path), lockTimeout: .seconds(300))
    for _ in 0..<limit {
        try store.withExclusiveAccess {
            let count = store.value(Int.self, for: "count").value ?? 0
            try store.save(count + 1, for: "count")
        }
    }
}
