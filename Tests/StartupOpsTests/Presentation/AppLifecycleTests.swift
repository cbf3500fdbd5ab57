import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("The time away from the screen", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AppLifecycleTests {
    @Test("it counts from when the app cannot be seen any more, and stays known when it can be seen again")
    func away() {
        let time = Locked(Duration.seconds(100))
        let lifecycle = AppLifecycle(now: { time.withLock { $0 } })
        func pass(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
        lifecycle.send(.didBecomeActive)
        #expect(lifecycle.timeAway == nil)
        lifecycle.send(.didEnterBackground)
        pass(30)
        #expect(lifecycle.timeAway == .seconds(30))
        lifecycle.send(.didEnterBackground)
        pass(10)
        #expect(lifecycle.timeAway == .seconds(40), "it was away all the time")
        lifecycle.send(.didBecomeActive)
        pass(5)
        lifecycle.send(.didBecomeActive)
        #expect(lifecycle.timeAway == .seconds(40))
        lifecycle.send(.didEnterBackground)
        pass(1)
        #expect(lifecycle.timeAway == .seconds(1))
    }
}
