import Sequencer
import TestSupport
import Testing

/// The order in which tests have the process of the tests.
@Suite("Turns of tests", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ProcessTurnsTests {
    private let turns = ProcessTurns()
    private let log = Locked<[String]>([])

    /// A test that begins as soon as it may, and ends when the gate opens.
    private func test(_ name: String, alone: Bool, until gate: Gate) -> Task<Void, any Error> {
        Task {
            try await turns.wait(alone: alone)
            log.withLock { $0.append(name) }
            await gate.wait()
            turns.end(alone: alone)
        }
    }

    /// Returns when so many wait or run.
    private func waits(_ count: Int) async { await eventually { turns.count == count } }

    @Test("others run beside each other; one that is alone waits for all of them, also for those that come after it")
    func others() async throws {
        let (first, second, third) = (Gate(), Gate(), Gate())
        let one = test("one", alone: false, until: first)
        await waits(1)
        let alone = test("alone", alone: true, until: second)
        await waits(2)
        let two = test("two", alone: false, until: third)
        await eventually { log.withLock { $0 } == ["one", "two"] }
        first.open()
        try await one.value
        #expect(log.withLock { $0 } == ["one", "two"])
        third.open()
        try await two.value
        await eventually { log.withLock { $0 } == ["one", "two", "alone"] }
        second.open()
        try await alone.value
        #expect(turns.count == 0)
    }

    @Test("nobody runs beside one that is alone, and others go before the next one that is")
    func alone() async throws {
        let (first, second, third) = (Gate(), Gate(), Gate())
        let one = test("alone", alone: true, until: first)
        await waits(1)
        let two = test("alone too", alone: true, until: second)
        await waits(2)
        let other = test("other", alone: false, until: third)
        await waits(3)
        #expect(log.withLock { $0 } == ["alone"])
        first.open()
        try await one.value
        await eventually { log.withLock { $0 } == ["alone", "other"] }
        third.open()
        try await other.value
        await eventually { log.withLock { $0 } == ["alone", "other", "alone too"] }
        second.open()
        try await two.value
    }

    @Test("a test whose time limit is over while it waits gives up, and holds up nobody", arguments: [true, false])
    func cancelled(beforeItWaits: Bool) async throws {
        let gate = Gate()
        let one = test("one", alone: false, until: gate)
        await waits(1)
        let late = Gate()
        let alone = Task {
            if beforeItWaits { await late.wait() }
            try await turns.wait(alone: true)
        }
        if !beforeItWaits { await waits(2) }
        alone.cancel()
        late.open()
        await #expect(throws: CancellationError.self) { try await alone.value }
        #expect(turns.count == 1)
        gate.open()
        try await one.value
        try await turns.wait(alone: true)
        turns.end(alone: true)
    }
}
