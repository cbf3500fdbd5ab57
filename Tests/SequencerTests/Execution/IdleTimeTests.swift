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
        idle.add(on: .main) { journal.note("second on main \(MainThreadCheck.isCurrent)") }
        idle.add { done.open() }
        hold.open()
        await done.wait()
        let busy = ["pause true", "pause true", "pause true", "turn", "pause true", "turn", "pause true", "turn", "first"]
        #expect(journal.all == busy + ["pause true", "turn", "second on main true", "pause true", "turn"])
    }
}
