import Dispatch
import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

/// Timers that ring late, as when the process was stopped: a clock of their own says so.
@Suite("Timers after a standstill", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStandstillGraceTests {
    enum Kind: CaseIterable, Sendable { case alarm, deadline }

    /// A timer that is due at once, and can be cancelled.
    private func start(_ kind: Kind, _ grace: StandstillGrace, _ ring: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        switch kind {
        case .alarm:
            let alarm = Alarm(after: .zero, on: DispatchQueue(label: "alarms"), grace: grace, ring)
            return { alarm.cancel() }
        case .deadline:
            let timer = DeadlineTimer(after: .zero, grace: grace, ring)
            return { timer.cancel() }
        }
    }

    /// A grace whose clock says 0 first, then a minute; `look` is called when it says so.
    private func lateGrace(_ look: @escaping @Sendable () -> Void = {}) -> StandstillGrace {
        let isFirst = Locked(true)
        return StandstillGrace(after: .zero) {
            let wasFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if wasFirst { return 0 }
            look()
            return 60_000_000_000
        }
    }

    @Test("fault T33: a timer that rings late rings all the same, a moment later", arguments: Kind.allCases)
    func rings(_ kind: Kind) {
        let rung = DispatchSemaphore(value: 0)
        let cancel = start(kind, lateGrace()) { rung.signal() }
        rung.waitPatiently()
        cancel()
    }

    @Test("fault T33: in that moment, the answer that has arrived comes first", arguments: Kind.allCases)
    func answers(_ kind: Kind) {
        let (looked, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isReleased = DispatchSemaphore(value: 0)
        let hasRung = Locked(false)
        // The timer's queue stands until it is cancelled, as by an answer.
        let cancel = start(
            kind,
            lateGrace {
                looked.signal()
                isReleased.waitPatiently()
            }
        ) {
            hasRung.withLock { $0 = true }
        }
        looked.waitPatiently()
        cancel()
        isReleased.signal()
        // Due after the moment is over.
        let later = DeadlineTimer(.after(.milliseconds(300))) { over.signal() }
        over.waitPatiently()
        later?.cancel()
        #expect(!hasRung.withLock { $0 })
    }

    @Test("fault T33: only a timer that is later than a busy machine makes it is taken for one after a standstill")
    func tolerance() {
        let cases: [(late: Int64, isLate: Bool)] = [(0, false), (100_000_000, false), (100_000_001, true), (-1, false)]
        for (late, isLate) in cases {
            let times = Locked<[Int64]>([5, 5 + 20_000_000 + late])
            let grace = StandstillGrace(after: .milliseconds(20)) { times.withLock { $0.removeFirst() } }
            #expect(grace.isLate == isLate, "\(late)")
        }
    }
}
