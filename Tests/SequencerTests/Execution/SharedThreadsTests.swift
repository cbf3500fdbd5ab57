import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("The threads of all launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SharedThreadsTests {
    private final class Owner {}

    /// What has been started, and where.
    private final class Starts: Sendable {
        let all = Locked<[String]>([])
        func add(_ name: String) -> @Sendable (SharedThreads.Kind) -> Void {
            { kind in self.all.withLock { $0.append("\(name) \(kind)") } }
        }
        func take() -> [String] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    private let starts = Starts()

    @Test("Dispatch's threads come first, then threads of their own; past those, whoever has asked first is served first")
    func order() {
        let threads = SharedThreads(maximum: 3, maximumOfDispatch: 2)
        let owner = Owner()
        for name in ["a", "b", "c", "d", "e"] { threads.take(for: owner, starts.add(name)) }
        #expect(starts.take() == ["a dispatch", "b dispatch", "c own"])
        threads.giveBack(.own)
        #expect(starts.take() == ["d own"])
        threads.giveBack(.dispatch)
        #expect(starts.take() == ["e dispatch"])
        // Nobody waits any more: one of each kind is free again.
        threads.giveBack(.own)
        threads.giveBack(.dispatch)
        for name in ["f", "g", "h"] { threads.take(for: owner, starts.add(name)) }
        #expect(starts.take() == ["f dispatch", "g own"])
    }

    @Test("All launches together have one thread of the pool, one after the other")
    func pool() {
        let threads = SharedThreads(maximum: 4, maximumOfDispatch: 4)
        let owner = Owner()
        let pooled = WorkerPool.processors > 1 ? "pool" : "dispatch"
        threads.take(for: owner, mayBePooled: true, starts.add("a"))
        threads.take(for: owner, mayBePooled: true, starts.add("b"))
        #expect(starts.take() == ["a \(pooled)", "b dispatch"])
        threads.giveBack(WorkerPool.processors > 1 ? .pool : .dispatch)
        threads.take(for: owner, mayBePooled: true, starts.add("c"))
        #expect(starts.take() == ["c \(pooled)"])
    }

    @Test(
        "fault L40: when all other threads are lost, a worker that waits has the pool's as soon as that is free",
        .enabled(if: WorkerPool.processors > 1, "needs a second processor")
    )
    func waitForPool() {
        let threads = SharedThreads(maximum: 1, maximumOfDispatch: 1)
        let owner = Owner()
        for name in ["a", "lost", "b"] { threads.take(for: owner, mayBePooled: true, starts.add(name)) }
        #expect(starts.take() == ["a pool", "lost dispatch"])
        threads.giveBack(.pool)
        #expect(starts.take() == ["b pool"])
        threads.giveBack(.pool)
        threads.take(for: owner, mayBePooled: true, starts.add("c"))
        #expect(starts.take() == ["c pool"])
    }

    @Test("Requests of a launch that is over are dropped, those of others are not")
    func forget() {
        let threads = SharedThreads(maximum: 1, maximumOfDispatch: 1)
        let (over, other) = (Owner(), Owner())
        threads.take(for: over, starts.add("a"))
        for name in ["b", "c"] { threads.take(for: over, starts.add(name)) }
        threads.take(for: other, starts.add("d"))
        threads.take(for: over, starts.add("e"))
        threads.giveBack(.dispatch)
        #expect(starts.take() == ["a dispatch", "b dispatch"])
        threads.forget(over)
        for _ in 0..<2 { threads.giveBack(.dispatch) }
        #expect(starts.take() == ["d dispatch"])
    }

    @Test("Many that wait are served in order, whoever is dropped meanwhile")
    func many() {
        let threads = SharedThreads(maximum: 1, maximumOfDispatch: 1)
        let owner = Owner()
        for number in 0..<200 { threads.take(for: owner, starts.add("\(number)")) }
        for _ in 0..<199 { threads.giveBack(.dispatch) }
        #expect(starts.take() == (0..<200).map { "\($0) dispatch" })
        threads.giveBack(.dispatch)
        threads.take(for: owner, starts.add("last"))
        #expect(starts.take() == ["last dispatch"])
    }

    @Test("Threads that are left behind are counted, and those that come back are not")
    func leftBehind() {
        let threads = SharedThreads(maximum: 1, maximumOfDispatch: 1)
        threads.count(leftBehind: 3)
        threads.count(leftBehind: -1)
        #expect(threads.leftBehind == 2)
    }

    @Test("fault L40: when all threads are lost, cancel handlers have some, and what tells the app of ends has more")
    func shareOfTheReserve() {
        let (cancels, ends) = (SharedThreads.reserve / 2, SharedThreads.reserve)
        let threads = SharedThreads(maximum: 1, maximumOfDispatch: 0)
        let started = Locked(0)
        func take(_ count: Int, for purpose: SharedThreads.Purpose) -> Int {
            let before = started.withLock { $0 }
            for _ in 0..<count { threads.take(for: threads, purpose: purpose) { _ in started.withLock { $0 += 1 } } }
            return started.withLock { $0 } - before
        }
        #expect(take(3, for: .work) == 1)
        #expect(take(40, for: .cancel) == cancels)
        #expect(take(40, for: .end) == ends - cancels)
        // What one of them gives back is for the next end; then for the next cancel handlers, when they have less than half.
        let before = started.withLock { $0 }
        for _ in 0..<(40 - (ends - cancels)) { threads.giveBack(.own) }
        #expect(started.withLock { $0 } == before + 40 - (ends - cancels))
        for _ in 0..<(ends - cancels) { threads.giveBack(.own) }
        #expect(started.withLock { $0 } == before + 40 - (ends - cancels))
        threads.giveBack(.own)
        #expect(started.withLock { $0 } == before + 41 - (ends - cancels))
    }

    @Test("fault L40: what tells the app of ends has threads of its own when all others are lost")
    func reserve() {
        final class Owner {}
        let threads = SharedThreads(maximum: 1, maximumOfDispatch: 0)
        let owner = Owner()
        let kinds = Locked<[String]>([])
        threads.take(for: owner) { kind in kinds.withLock { $0.append("first \(kind)") } }
        threads.take(for: owner) { kind in kinds.withLock { $0.append("second \(kind)") } }
        threads.take(for: owner, purpose: .end) { kind in kinds.withLock { $0.append("app \(kind)") } }
        #expect(kinds.withLock { $0 } == ["first own", "app own"])
        // What is given back to the reserve is not for whoever waits.
        threads.giveBack(.own)
        #expect(kinds.withLock { $0 } == ["first own", "app own"])
        threads.giveBack(.own)
        #expect(kinds.withLock { $0 } == ["first own", "app own", "second own"])
    }
}
