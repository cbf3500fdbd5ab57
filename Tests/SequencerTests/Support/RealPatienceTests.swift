import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// What keeps the tests from waiting for ever, and from losing their patience early on a busy machine.
@Suite("Patience", .serialized, .timeLimit(.minutes(30)), .real, .endsARunThatStandsStill)
struct RealPatienceTests {
    @Test("fault Z2: each wait is as long as a test is patient, whenever it begins; one that is in vain says so and goes on")
    func duration() async {
        let clock = ContinuousClock()
        for _ in 0..<2 {
            // The second one begins after the patience of the first is over.
            let begin = clock.now
            await withKnownIssue { await Gate(patience: .milliseconds(20)).wait() }
            await withKnownIssue { await eventually(within: .milliseconds(20)) { false } }
            #expect(clock.now - begin >= .milliseconds(40))
        }
    }

    @Test("fault Z2: a thread that waits in vain goes on, and says so")
    func blocked() {
        withKnownIssue {
            DispatchSemaphore(value: 0).waitPatiently(within: .milliseconds(1))
        }
        withKnownIssue {
            let group = DispatchGroup()
            group.enter()
            group.waitPatiently(within: .milliseconds(1))
            group.leave()
        }
    }

    @Test("fault Z2: a process whose threads all wait for what never comes is ended, one that works is not")
    func standstill() async {
        await #expect(processExitsWith: .exitCode(7)) {
            Standstill.watch(every: .milliseconds(20), upTo: 20) { _exit(7) }
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
        }
        await #expect(processExitsWith: .success) {
            Standstill.watch(every: .milliseconds(500), upTo: 4) { _exit(7) }
            let end = ContinuousClock.now + .seconds(3)
            while ContinuousClock.now < end {}
            _exit(EXIT_SUCCESS)
        }
    }
}
