import StartupOps
import Testing

@Suite("Reachability", .serialized, .timeLimit(.minutes(10)))
struct ReachabilityTests {
    @Test("C48: begins as not reachable, is reachable while some link is up, and says each change once")
    func updates() async {
        let (links, link) = AsyncStream.makeStream(of: Bool.self)
        let reachability = Reachability(links: links)
        #expect(!reachability.isReachable && reachability.status == .unknown)
        var updates = reachability.updates.makeAsyncIterator()
        #expect(await updates.next() == false)
        link.yield(true)
        #expect(await updates.next() == true)
        #expect(reachability.isReachable)
        for isUp in [true, false, false, true] { link.yield(isUp) }
        #expect(await updates.next() == false)
        #expect(await updates.next() == true)
        var late = reachability.updates.makeAsyncIterator()
        #expect(await late.next() == true)
    }

    @Test("C49: nothing known is not offline: nobody waits for it")
    func unknown() async {
        let (links, _) = AsyncStream.makeStream(of: Bool.self)
        #expect(await Reachability(links: links).waitUntilUsable(by: .never))
    }

    @Test("C48, C49: known to be offline, callers wait until a link is up, their deadline or their end")
    func waits() async {
        let (links, link) = AsyncStream.makeStream(of: Bool.self)
        let reachability = Reachability(links: links)
        var statuses = reachability.statuses.makeAsyncIterator()
        link.yield(false)
        while await statuses.next() != .unreachable {}
        #expect(await !reachability.waitUntilUsable(by: .after(.milliseconds(1))))
        let cancelled = Task { await reachability.waitUntilUsable(by: .never) }
        cancelled.cancel()
        #expect(await !cancelled.value)
        let waiting = Task { await reachability.waitUntilUsable(by: .never) }
        link.yield(true)
        #expect(await waiting.value)
    }
}
