import TestSupport
import Testing

@testable import Sequencer

/// Code outside of launches that waits for an event: tasks, and blocks of every priority.
@Suite("Events from outside: tasks and blocks", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExternalEventBlockTests {
    @Test("the first result counts, whatever comes later, and is there for whoever asks")
    func first() async throws {
        let event = ExternalEvent<Int>("event")
        #expect(event.result == nil)
        #expect(event.fulfill(1))
        #expect(!event.fulfill(2) && !event.fail("late"))
        #expect(try event.result?.get() == 1)
        #expect(try await event.value == 1)
        let optional = ExternalEvent<Int?>("optional")
        optional.fulfill(nil)
        #expect(try await optional.value == nil)
    }

    @Test("tasks wait for the value or the failure; one that is cancelled waits no longer, and takes nothing from the others")
    func tasks() async throws {
        let event = ExternalEvent<Int>("event")
        let tasks = (0..<3).map { _ in Task { try await event.value } }
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        event.fulfill(7)
        for task in tasks.dropFirst() { #expect(try await task.value == 7) }

        let failing = ExternalEvent<Int>("failing")
        let task = Task { try await failing.value }
        failing.fail("no network")
        let error = await #expect(throws: ExternalEventError.self) { try await task.value }
        #expect(error?.description == "the event 'failing' failed: no network")
    }

    @Test("a block at once has run when the call returns; one that is added later runs at once, too, and may settle other events")
    func atOnce() {
        let (event, next) = (ExternalEvent<Int>("event"), ExternalEvent<Int>("next"))
        let journal = Journal()
        event.whenSettled(.atOnce) { result in
            journal.note("\((try? result.get()) ?? 0)")
            journal.note("again \(event.fulfill(3))")
            next.fulfill(2)
        }
        next.whenSettled(.atOnce) { result in journal.note("\((try? result.get()) ?? 0)") }
        event.fulfill(1)
        #expect(journal.all == ["1", "again false", "2"])
        event.whenSettled(.atOnce) { _ in journal.note("late") }
        #expect(journal.all.last == "late")
    }

    @Test("blocks run where they say")
    func places() async {
        let event = ExternalEvent<Int>("event")
        let (onMain, elsewhere, idle) = (Gate(), Gate(), Gate())
        let places = Locked<[String: Bool]>([:])
        @Sendable func note(_ name: String, _ gate: Gate) {
            places.withLock { $0[name] = MainThreadCheck.isCurrent }
            gate.open()
        }
        let quiet = IdleTime(after: .zero, unless: { false }, probe: IdleTime.Probe(pause: { _ in }, turn: { .zero }))
        event.whenSettled(on: .main) { _ in note("main", onMain) }
        event.whenSettled { _ in note("elsewhere", elsewhere) }
        event.whenSettled(.whenIdle(quiet), on: .main) { _ in note("idle", idle) }
        event.fulfill(1)
        for gate in [onMain, elsewhere, idle] { await gate.wait() }
        #expect(places.withLock { $0 } == ["main": true, "elsewhere": false, "idle": true])
    }

    @Test("when nobody holds the event any more, its blocks are told")
    func abandoned() {
        let journal = Journal()
        func make() {
            let event = ExternalEvent<Int>("lost")
            event.whenSettled(.atOnce) { result in
                if case .failure(let error) = result { journal.note("\(error)") }
            }
        }
        make()
        #expect(journal.all == ["the event 'lost' cannot come: nobody holds it any more"])
    }

    enum Chain: CaseIterable, Sendable {
        /// Each block settles the next event.
        case settles
        /// The next event has come, and each block adds the next one.
        case adds
        /// Each block holds the next event.
        case isFreed
        /// Each block holds the next event, and settles it.
        case settlesAndIsFreed
    }

    @Test(
        "100,000 blocks in a chain take no stack, whether they settle one another, add one another or are freed",
        arguments: Chain.allCases
    )
    func chain(_ chain: Chain) {
        let count = 100_000
        let told = Locked(0)
        let note: @Sendable () -> Void = { told.withLock { $0 += 1 } }
        switch chain {
        case .settles:
            let events = (0...count).map { ExternalEvent<Int>("event-\($0)") }
            for number in 0..<count {
                let next = events[number + 1]
                events[number].whenSettled(.atOnce) { _ in
                    note()
                    next.fulfill(number)
                }
            }
            events[0].fulfill(0)
            #expect((try? events[count].result?.get()) == count - 1)
        case .adds:
            let event = ExternalEvent<Int>("event")
            event.fulfill(0)
            @Sendable func add(_ number: Int) {
                event.whenSettled(.atOnce) { _ in
                    note()
                    if number < count { add(number + 1) }
                }
            }
            add(1)
        case .isFreed, .settlesAndIsFreed:
            var first = ExternalEvent<Int>("last")
            for number in 0..<count {
                let next = first
                first = ExternalEvent("event-\(number)")
                first.whenSettled(.atOnce) { _ in
                    note()
                    if chain == .settlesAndIsFreed { next.fulfill(number) } else { withExtendedLifetime(next) {} }
                }
            }
            // Nobody holds the chain any more.
            first = ExternalEvent("other")
        }
        #expect(told.withLock { $0 } == count)
    }

    @Test(
        "blocks of an event that a block settles are called when that block has returned, and before the first call returns"
    )
    func turns() {
        let (event, next) = (ExternalEvent<Int>("event"), ExternalEvent<Int>("next"))
        let journal = Journal()
        next.whenSettled(.atOnce) { _ in journal.note("next") }
        event.whenSettled(.atOnce) { _ in
            next.fulfill(2)
            journal.note("first")
        }
        event.whenSettled(.atOnce) { _ in journal.note("second") }
        event.fulfill(1)
        #expect(journal.all == ["first", "second", "next"])
    }
}
