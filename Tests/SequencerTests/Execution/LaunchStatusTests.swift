import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("What a launch waits for", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchStatusTests {
    @Test("each operation that has not ended is named with what it waits for, what runs first")
    func waits() async throws {
        let (gate, person, stuck) = (Gate(), Gate(), Gate())
        let running = Locked(0)
        var graph = OperationGraph("status")
        let done = graph.add("done") {}
        let request = graph.add("request", .exclusive("screen"), after: done) { launch in
            await launch.waiting(for: "the answer of api.example.com") {
                running.withLock { $0 += 1 }
                await gate.wait()
            }
        }
        graph.add("asks", after: done) { launch in
            try await launch.waitForPerson {
                running.withLock { $0 += 1 }
                await person.wait()
            }
        }
        graph.add("silent", after: done) {
            running.withLock { $0 += 1 }; await stuck.wait()
        }
        graph.add("parked", .exclusive("screen"), after: request) {}
        graph.add("parked-too", .exclusive("screen"), after: done) {}
        graph.add("last", after: request) {}
        let launch = try graph.start(options: .patient)
        var status = launch.status
        await eventually {
            // Before the status: all three have begun by then.
            let haveBegun = running.withLock { $0 } == 3
            status = launch.status
            return haveBegun && status.operations.count == 6
                && status.operations.first?.wait == .code("the answer of api.example.com")
        }
        let waits = Dictionary(uniqueKeysWithValues: status.operations.map { ($0.id, $0.wait) })
        #expect(
            waits == [
                "request": .code("the answer of api.example.com"), "asks": .person, "silent": .code(nil),
                "parked-too": .resource("screen", heldBy: "request"), "parked": .dependencies(["request"]),
                "last": .dependencies(["request"]),
            ]
        )
        #expect(status.operations.prefix(3).map(\.id) == ["request", "asks", "silent"])
        #expect(status.operations[3].id == "parked-too")
        #expect(status.operationCount == 7)
        let lines = status.description.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("status after ") && lines[0].hasSuffix(": 6 of 7 operations have not ended"))
        #expect(lines[1].hasPrefix("  request waits for the answer of api.example.com, for "))
        #expect(lines[2].hasPrefix("  asks waits for a person, for "))
        #expect(lines[3].hasPrefix("  silent runs, and does not say what it waits for, for "))
        #expect(lines[4].hasPrefix("  parked-too waits for 'screen', which request holds, for "))
        for gate in [gate, person, stuck] { gate.open() }
        let report = await launch.end().report
        #expect(report.outcome == .completed)
        #expect(launch.status.operations == [])
        #expect(launch.status.description == "status: all 7 operations have ended")
    }

    @Test("what is said within what is said; and by an operation that has ended, nothing")
    func nesting() async throws {
        let seen = Locked<[LaunchStatus.Wait]>([])
        let kept = Locked<StepContext?>(nil)
        var graph = OperationGraph("nested")
        let box = LaunchBox()
        @Sendable func look() async throws {
            let wait = try await box.launch().status.operations.first?.wait
            seen.withLock { $0 += [wait].compactMap(\.self) }
        }
        graph.add("talks") { launch in
            kept.withLock { $0 = launch }
            try await launch.waiting(for: "the outer") {
                try await look()
                try await launch.waiting(for: "the inner") { try await look() }
                try await look()
            }
            try await look()
        }
        let launch = try box.start(graph)
        #expect(await launch.end().report.outcome == .completed)
        #expect(seen.withLock { $0 } == [.code("the outer"), .code("the inner"), .code("the outer"), .code(nil)])
        await kept.withLock { $0 }?.waiting(for: "nothing") { #expect(launch.status.operations == []) }
        box.empty()
    }

    // MARK: Stalls

    @Test("a launch in which nothing ends for too long says so, once each time")
    func stalls() async throws {
        let reports = Locked<[LaunchStatus]>([])
        var graph = OperationGraph("stalls")
        let first = graph.add("first") { launch in try await launch.sleep(for: .seconds(10)) }
        let second = graph.add("second", after: first) { launch in try await launch.sleep(for: .seconds(1)) }
        graph.add("third", after: second) { launch in try await launch.sleep(for: .seconds(3)) }
        let options = LaunchOptions(
            clock: VirtualClock(),
            stallWatch: StallWatch(after: .seconds(2)) { status in reports.withLock { $0.append(status) } }
        )
        let report = try await graph.run(options: options).report
        #expect(report.makespan == .seconds(14))
        #expect(reports.withLock { $0.map(\.time) } == [.seconds(2), .seconds(13)])
        #expect(reports.withLock { $0.map { $0.operations.map(\.id) } } == [["first", "second", "third"], ["third"]])
        #expect(
            reports.withLock { $0.last?.description }
                == "stalls after 13 s: 1 of 3 operations have not ended\n  third runs, and does not say what it waits for, for 2 s"
        )
    }

    @Test("fault O15: as long as a person is waited for, nothing stalls; the time counts again afterwards")
    func person() async throws {
        let reports = Locked<[Duration]>([])
        var graph = OperationGraph("person")
        let ask = graph.add("ask", .interactive) { launch in try await launch.sleep(for: .seconds(60)) }
        graph.add("then", after: ask) { launch in try await launch.sleep(for: .seconds(3)) }
        let options = LaunchOptions(
            clock: VirtualClock(),
            stallWatch: StallWatch(after: .seconds(2)) { status in reports.withLock { $0.append(status.time) } }
        )
        _ = try await graph.run(options: options)
        #expect(reports.withLock { $0 } == [.seconds(62)])
    }

    @Test("what waits for operations that have not ended has waited since the launch began, or since the latest of the others ended")
    func since() async throws {
        let box = LaunchBox()
        let status = Locked<LaunchStatus?>(nil)
        var graph = OperationGraph("since")
        let quick = graph.add("quick") { launch in try await launch.sleep(for: .milliseconds(20)) }
        let slow = graph.add("slow") { launch in
            try await launch.sleep(for: .milliseconds(50))
            let seen = try await box.launch().status
            status.withLock { $0 = seen }
        }
        graph.add("from-the-start", after: slow) {}
        graph.add("later", after: quick, slow) {}
        _ = try await box.run(graph, options: LaunchOptions(clock: VirtualClock()))
        let operations = try #require(status.withLock { $0 }).operations
        let times = Dictionary(uniqueKeysWithValues: operations.map { ($0.id, $0.since) })
        #expect(times == ["slow": .zero, "from-the-start": .zero, "later": .milliseconds(20)])
    }
}
