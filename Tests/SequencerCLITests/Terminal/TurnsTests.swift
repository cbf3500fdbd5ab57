import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Turns", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TurnsTests {
    @Test("One at a time, however many come at once")
    func exclusive() async {
        let turns = Turns()
        let (inside, most) = (Locked(0), Locked(0))
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    #expect(await turns.take())
                    let count = inside.withLock { inside in
                        inside += 1
                        return inside
                    }
                    most.withLock { $0 = max($0, count) }
                    await Task.yield()
                    inside.withLock { $0 -= 1 }
                    turns.give()
                }
            }
        }
        #expect(most.withLock { $0 } == 1)
    }

    @Test("Who is cancelled gets no turn and takes none away")
    func cancellation() async {
        let turns = Turns()
        #expect(await turns.take())
        for _ in 0..<50 {
            let task = Task { await turns.take() }
            await Task.yield()
            task.cancel()
            #expect(await task.value == false)
        }
        turns.give()
        #expect(await turns.take())
    }
}
