import TestSupport
import Testing

@testable import Sequencer

@Suite("The alarms of all launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AlarmsTests {
    @Test("an alarm rings though thousands of others were removed before their time")
    func removedAlarms() async {
        let alarms = Alarms()
        let alarm = Locked<Int?>(nil)
        await callback { (rang: @escaping @Sendable () -> Void) in
            let added = alarms.add { _ in rang() }
            alarm.withLock { $0 = added }
            // Late enough that the others come and go before it.
            alarms.set(added, to: monotonicNanoseconds() + 300_000_000)
            for _ in 0..<2000 {
                let other = alarms.add { _ in }
                alarms.set(other, to: .max - 1)
                _ = alarms.remove(other)
            }
        }
        if let added = alarm.withLock({ $0 }) { _ = alarms.remove(added) }
    }
}
