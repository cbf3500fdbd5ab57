import Sequencer
import SequencerTesting
import TestSupport
import Testing

/// Work that launches of one process share, and things that steps of one launch share, as an app writes that.
@Suite("Public API: shared work", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SharedWorkTests {
    private actor Log {
        private(set) var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
    }

    @Test("two launches open the database once, and each holds a lock while it reads")
    func launches() async throws {
        let log = Log()
        let database = OnceInProcess<String>("open-database")
        let clock = VirtualClock(patience: .seconds(300))
        let released = ExternalEvent<String>("released")
        for name in ["cold", "warm"] {
            var graph = OperationGraph(name)
            let opened = graph.addOnce(database) { () async throws -> String in
                await log.add("opened by \(name)")
                return "database"
            }
            let read = graph.add("read", .milestone, using: opened) { database in "read from the \(database)" }
            let lock = try graph.hold("lock", over: read) {
                name
            } release: { name in
                released.fulfill(name)
            }
            let launch = try await graph.run(options: LaunchOptions(clock: clock))
            #expect(try launch[read] == "read from the database" && launch[lock] == name)
        }
        #expect(await log.lines == ["opened by cold"])
        #expect(try await released.value == "cold" && database.value == "database")
    }
}
