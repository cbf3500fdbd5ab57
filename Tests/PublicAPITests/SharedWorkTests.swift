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

    /// ```
    /// first   migrate: 20 s ──────────┬ cancelled at 10 s
    /// second  waits ──────────────────┴────────────────────▶ has the value at 20 s
    /// ```
    @Test("work that another launch waits for goes on when its own launch is cancelled, or its step is too late", arguments: [true, false])
    func handedOver(isCancelled: Bool) async throws {
        let log = Log()
        let migration = OnceInProcess<Int>("migrate")
        let clock = VirtualClock(patience: .seconds(300))
        func graph(_ name: String, _ option: StepOption) -> OperationGraph {
            var graph = OperationGraph(name)
            let migrate = graph.addOnce(migration, option) {
                await log.add("begun by \(name)")
                try await clock.sleep(for: .seconds(8))
                try await clock.sleep(for: .seconds(12))
                return 20
            }
            graph.add("read", .milestone, using: migrate) { $0 }
            return graph
        }
        let options = LaunchOptions(clock: clock)
        let (first, second) = try clock.hold {
            let first = try graph("first", .timeout(.seconds(isCancelled ? 60 : 10))).start(options: options)
            let second = try graph("second", .timeout(.seconds(60))).start(options: options)
            if isCancelled {
                var graph = OperationGraph("expiration")
                graph.add("wait") { step in
                    try await step.sleep(for: .seconds(10))
                    first.cancel()
                }
                try graph.start(options: options)
            }
            return (first, second)
        }
        let end = await first.end()
        let (one, two) = (end.report, await second.end().report)
        #expect(one.outcome.name == (isCancelled ? "cancelled" : "failed") && one.makespan == .seconds(10))
        #expect(one["migrate"]?.outcome == (isCancelled ? .cancelled : .timedOut) && end.anomalies.isEmpty)
        #expect(two.outcome == .completed && two.makespan == .seconds(20))
        #expect(await log.lines == ["begun by first"] && migration.value == 20)
    }

    @Test("work that nobody else waits for is cancelled with its launch, which ends with it; so is work that the last one leaves")
    func cancelled() async throws {
        for others in [false, true] {
            let log = Log()
            let migration = OnceInProcess<Int>("migrate")
            let clock = VirtualClock(patience: .seconds(300))
            var launches: [RunningLaunch] = []
            let ended = ExternalEvent<Void>("ended")
            try clock.hold {
                for name in others ? ["first", "second"] : ["first"] {
                    var graph = OperationGraph(name)
                    graph.addOnce(migration) {
                        do { try await clock.sleep(for: .seconds(20)) } catch {
                            await log.add("cancelled after \(name)")
                            ended.fulfill()
                            throw error
                        }
                        return 20
                    }
                    launches.append(try graph.start(options: LaunchOptions(clock: clock)))
                }
                var graph = OperationGraph("expiration")
                graph.add("wait") { [launches] step in
                    for launch in launches {
                        try await step.sleep(for: .seconds(5))
                        launch.cancel()
                    }
                }
                try graph.start(options: LaunchOptions(clock: clock))
            }
            for launch in launches { #expect(await launch.end().report.outcome == .cancelled) }
            try await ended.value
            #expect(await log.lines == ["cancelled after first"] && migration.value == nil)
        }
    }

    @Test("work that was handed over, and that nobody wants any more, has ended when the last launch that wanted it has")
    func handedOverToNobody() async throws {
        let log = Log()
        let migration = OnceInProcess<Int>("migrate")
        let clock = VirtualClock(patience: .seconds(300))
        let launches = try clock.hold {
            let launches = try ["first", "second", "third"].map { name in
                var graph = OperationGraph(name)
                graph.addOnce(migration) { () async throws -> Int in
                    do { try await clock.sleep(for: .seconds(20)) } catch {
                        for _ in 0..<1_000 { await Task.yield() }
                        await log.add("put in order")
                        throw error
                    }
                    return 20
                }
                return try graph.start(options: LaunchOptions(clock: clock))
            }
            var expiration = OperationGraph("expiration")
            expiration.add("wait") { step in
                try await step.sleep(for: .seconds(5))
                for launch in launches { launch.cancel() }
            }
            try expiration.start(options: LaunchOptions(clock: clock))
            return launches
        }
        for launch in launches { #expect(await launch.end().report["migrate"]?.message == "cancelled while it ran") }
        #expect(await log.lines == ["put in order"])
    }
}
