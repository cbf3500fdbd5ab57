import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Sequencer

@Suite("Threads that the system does not start", .timeLimit(.minutes(30)), .besideOthers)
struct ThreadShortageTests {
    /// A system that has no thread for the first starts.
    private final class ShortSystem: Sendable {
        private let failuresLeft: Atomic<Int>
        private let starts = Atomic<Int>(0)
        private let threads = Atomic<Int>(0)

        init(failures: Int = .max) { failuresLeft = Atomic(failures) }

        var startCount: Int { starts.load(ordering: .relaxed) }
        var threadCount: Int { threads.load(ordering: .relaxed) }

        /// From now on it has threads.
        func recover() { failuresLeft.store(0, ordering: .relaxed) }

        func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
            starts.add(1, ordering: .relaxed)
            if failuresLeft.subtract(1, ordering: .relaxed).newValue >= 0 { return EAGAIN }
            threads.add(1, ordering: .relaxed)
            return SystemThread.start(body)
        }
    }

    /// Sets an alarm that is due at once, and waits until it rings.
    ///
    /// - Returns: the name of the thread that it rings on.
    private func ring(_ alarms: AlarmThread) async -> String? {
        let alarm = Locked<Int?>(nil)
        let name = await callback(orElse: nil) { (rang: @escaping @Sendable (String?) -> Void) in
            let added = alarms.add { _ in rang(Thread.current.name) }
            alarm.withLock { $0 = added }
            alarms.set(added, to: monotonicNanoseconds())
        }
        if let added = alarm.withLock({ $0 }) { _ = alarms.remove(added) }
        return name
    }

    @Test("fault L24: alarms ring without a thread of theirs, and on one as soon as the system has it")
    func threadForTime() async {
        let system = ShortSystem()
        let alarms = AlarmThread(startThread: { system.start($0) })
        for _ in 0..<3 { #expect(await ring(alarms) != "sequencer.time") }
        // Each of them rang before an attempt of its own, after the first.
        #expect(system.startCount >= 3)
        system.recover()
        await eventually { system.threadCount == 1 }
        // By the thread, which is started once.
        #expect(await ring(alarms) == "sequencer.time")
        #expect(system.threadCount == 1)
    }

    @Test("an alarm rings though thousands of others were removed before their time")
    func removedAlarms() async {
        let alarms = AlarmThread()
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

    @Test("fault L24: a worker that the system has no thread for runs when it has one, once, by its name")
    func worker() async {
        let system = ShortSystem(failures: 2)
        let name = await callback(orElse: nil) { (ran: @escaping @Sendable (String?) -> Void) in
            SystemThread.startWhenPossible("sequencer.work", .userInitiated, by: { system.start($0) }) { ran(Thread.current.name) }
        }
        #expect(name == "sequencer.work")
        #expect(system.startCount == 3)
    }

    @Test("fault L24: calls of the app's code wait for a thread that the system has not, by one request, which is no thread left behind")
    func calls() async {
        // Half a second, in which the queue looks after its runner ten times.
        let system = ShortSystem(failures: 5)
        let threads = SharedThreads(maximum: 4, maximumOfDispatch: 0)
        let queue = AppCodeQueue(threads: threads, startThread: { system.start($0) })
        await callback { made in queue.add { made() } }
        #expect(system.startCount == 6)
        #expect(threads.leftBehind == 0)
    }
}
