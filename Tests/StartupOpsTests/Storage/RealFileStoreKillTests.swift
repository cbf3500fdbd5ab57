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
        let rounds = Nightly.times(day: 10, night: 100)
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
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder("store").path as String] in
            let store = try FileStore(directory: URL(fileURLWithPath: path))
            try store.withExclusiveAccess { () -> Void in killThisProcess() }
        }
        #expect(try FileStore(directory: folder("store"), lockTimeout: .zero).withExclusiveAccess { true })
    }
}

private func count(to limit: Int, in path: String) throws {
    let store = try FileStore(directory: URL(fileURLWithPath: path), lockTimeout: .seconds(300))
    for _ in 0..<limit {
        try store.withExclusiveAccess {
            let count = store.value(Int.self, for: "count").value ?? 0
            try store.save(count + 1, for: "count")
        }
    }
}
