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
    private func start(
        _ kind: Kind,
        on queue: DispatchQueue = DispatchQueue(label: "alarms"),
        _ grace: StandstillGrace,
        _ ring: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        switch kind {
        case .alarm:
            let alarm = Alarm(after: .zero, on: queue, grace: grace, ring)
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
        let queue = DispatchQueue(label: "alarms")
        let cancel = Locked<(@Sendable () -> Void)?>(nil)
        let (isSet, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasRung = Locked(false)
        // The answer comes behind the look that finds the timer late, on the timer's own queue: before the moment is over, and after a timer that rings at once.
        let grace = lateGrace {
            isSet.waitPatiently()
            let answer: @Sendable () -> Void = {
                cancel.withLock { $0 }?()
                over.signal()
            }
            switch kind {
            case .alarm: queue.async(execute: answer)
            case .deadline: _ = DeadlineTimer(.after(.zero), answer)
            }
        }
        let stop = start(kind, on: queue, grace) { hasRung.withLock { $0 = true } }
        cancel.withLock { $0 = stop }
        isSet.signal()
        over.waitPatiently()
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
