import TestSupport
import Testing

@testable import Sequencer

@Suite("Idle time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct IdleTimeTests {
    @Test("pieces of work wait until the main thread comes at once and nobody acts, one at a time, in order")
    func idleTime() async {
        let journal = Journal()
        let turns = Locked<[Duration]>([.milliseconds(20), .milliseconds(9)])
        let acts = Locked([true, true])
        let idle = IdleTime(
            after: .milliseconds(100),
            unless: { acts.withLock { $0.popLast() } ?? false },
            probe: IdleTime.Probe(
                pause: { journal.note("pause \($0 == .milliseconds(100))") },
                turn: {
                    journal.note("turn")
                    return turns.withLock { $0.popLast() } ?? .zero
                }
            )
        )
        let done = Gate()
        let hold = Gate()
        idle.add {
            await hold.wait()
            journal.note("first")
        }
        idle.add { @MainActor in journal.note("second on main \(MainThreadCheck.isCurrent)") }
        idle.add { done.open() }
        hold.open()
        await done.wait()
        let busy = ["pause true", "pause true", "pause true", "turn", "pause true", "turn", "pause true", "turn", "first"]
        #expect(journal.all == busy + ["pause true", "turn", "second on main true", "pause true", "turn"])
    }

    @Test("when a person begins to act, the next piece waits until that is over")
    func personBegins() async {
        let journal = Journal()
        let (acts, pauses) = (Locked(false), Locked(0))
        let idle = IdleTime(
            after: .zero,
            unless: { acts.withLock { $0 } },
            probe: IdleTime.Probe(
                pause: { _ in
                    guard acts.withLock({ $0 }) else { return }
                    let pause = pauses.withLock { pauses in
                        pauses += 1
                        return pauses
                    }
                    if pause < 3 { return }
                    journal.note("ends")
                    acts.withLock { $0 = false }
                },
                turn: { .zero }
            )
        )
        let done = Gate()
        idle.add {
            journal.note("first")
            acts.withLock { $0 = true }
        }
        idle.add {
            journal.note("second")
            done.open()
        }
        await done.wait()
        #expect(journal.all == ["first", "ends", "second"])
    }

    /// Idle as soon as it is asked, and says that it was.
    private func quiet(_ journal: Journal) -> IdleTime {
        IdleTime(after: .zero, unless: { false }, probe: IdleTime.Probe(pause: { _ in journal.note("pause") }, turn: { .zero }))
    }

    @Test("steps take turns in idle time, one at a time, and one that is cancelled before its turn keeps none from theirs")
    func steps() async throws {
        let journal = Journal()
        let idle = quiet(journal)
        let (holds, hold) = (Gate(), Gate())
        idle.add {
            holds.open()
            await hold.wait()
        }
        await holds.wait()
        let cancelled = Task { try await idle.run { journal.note("cancelled") } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        var graph = OperationGraph("idle")
        for name in ["first", "second"] {
            graph.add(name) {
                try await idle.run {
                    journal.note("begins")
                    await Task.yield()
                    journal.note("ends")
                }
            }
        }
        let launch = try graph.start(options: .patient)
        hold.open()
        #expect(await launch.end().report.outcome == .completed)
        #expect(journal.all.filter { $0 != "pause" } == ["begins", "ends", "begins", "ends"])
    }
}
