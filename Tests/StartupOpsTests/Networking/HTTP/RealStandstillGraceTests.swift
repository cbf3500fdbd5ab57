import Dispatch
import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

/// Timers that ring late, as when the process was stopped: a clock of their own says so.
@Suite("Timers after a standstill", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStandstillGraceTests {
    /// A clock that says 0 first, then a minute; `look` is called when it says so.
    private func lateClock(_ look: @escaping @Sendable () -> Void = {}) -> @Sendable () -> Nanoseconds {
        let isFirst = Locked(true)
        return {
            let wasFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if wasFirst { return 0 }
            look()
            return 60_000_000_000
        }
    }

    @Test("fault T33: a timer that rings late rings all the same, a moment later")
    func rings() {
        let rung = DispatchSemaphore(value: 0)
        let timer = DeadlineTimer(after: .zero, now: lateClock()) { rung.signal() }
        rung.waitPatiently()
        timer.cancel()
    }

    @Test("fault T33: in that moment, the answer that has arrived comes first")
    func answers() {
        let late = Locked<DeadlineTimer?>(nil)
        let (isSet, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let answer = Locked<DeadlineTimer?>(nil)
        let hasRung = Locked(false)
        // The answer comes behind the look that finds the timer late, on the timers' queue: before the moment is over, and after a timer that rings at once.
        let clock = lateClock {
            isSet.waitPatiently()
            let timer = DeadlineTimer(after: .zero) {
                late.withLock { $0 }?.cancel()
                over.signal()
            }
            answer.withLock { $0 = timer }
        }
        let timer = DeadlineTimer(after: .zero, now: clock) { hasRung.withLock { $0 = true } }
        late.withLock { $0 = timer }
        isSet.signal()
        over.waitPatiently()
        #expect(!hasRung.withLock { $0 })
    }

    @Test(
        "fault T33: only a timer that is later than a busy machine makes it is taken for one after a standstill",
        arguments: [0, 100_000_000, -1]
    )
    func tolerance(_ late: Int64) {
        let looks = Locked(0)
        let rung = DispatchSemaphore(value: 0)
        let clock: @Sendable () -> Nanoseconds = {
            looks.withLock { looks in
                looks += 1
                return looks == 1 ? 5 : 5 + late
            }
        }
        let timer = DeadlineTimer(after: .zero, now: clock) { rung.signal() }
        rung.waitPatiently()
        // Once to be set, once when it rings: it has not waited.
        #expect(looks.withLock { $0 } == 2)
        timer.cancel()
    }
}
