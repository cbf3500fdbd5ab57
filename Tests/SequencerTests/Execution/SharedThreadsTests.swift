import TestSupport
import Testing

@testable import Sequencer

@Suite("The threads of all launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SharedThreadsTests {
    private final class Owner {}

    /// What has been started.
    private final class Starts: Sendable {
        let all = Locked<[String]>([])
        func add(_ name: String) -> @Sendable () -> Void {
            { self.all.withLock { $0.append(name) } }
        }
        func take() -> [String] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    private let starts = Starts()

    @Test("fault L40: there are so many threads; past those, whoever has asked first is served first, and only when one is given back")
    func order() {
        let threads = SharedThreads(maximum: 2)
        let owner = Owner()
        for name in ["a", "b", "c", "d"] { threads.take(for: owner, starts.add(name)) }
        #expect(starts.take() == ["a", "b"])
        threads.giveBack()
        #expect(starts.take() == ["c"])
        threads.giveBack()
        #expect(starts.take() == ["d"])
        // Nobody waits any more: both are free again.
        threads.giveBack()
        threads.giveBack()
        for name in ["e", "f", "g"] { threads.take(for: owner, starts.add(name)) }
        #expect(starts.take() == ["e", "f"])
    }

    @Test("Requests of a launch that is over are dropped, those of others are not")
    func forget() {
        let threads = SharedThreads(maximum: 1)
        let (over, other) = (Owner(), Owner())
        for name in ["a", "b"] { threads.take(for: over, starts.add(name)) }
        threads.take(for: other, starts.add("c"))
        threads.take(for: over, starts.add("d"))
        threads.forget(over)
        for _ in 0..<2 { threads.giveBack() }
        #expect(starts.take() == ["a", "c"])
    }

    @Test("Many that wait are served in order")
    func many() {
        let threads = SharedThreads(maximum: 1)
        let owner = Owner()
        for number in 0..<200 { threads.take(for: owner, starts.add("\(number)")) }
        for _ in 0..<200 { threads.giveBack() }
        #expect(starts.take() == (0..<200).map { "\($0)" })
        threads.take(for: owner, starts.add("last"))
        #expect(starts.take() == ["last"])
    }

    @Test("Threads that are left behind are counted, and those that come back are not")
    func leftBehind() {
        let threads = SharedThreads(maximum: 1)
        threads.count(leftBehind: 3)
        threads.count(leftBehind: -1)
        #expect(threads.leftBehind == 2)
    }

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
