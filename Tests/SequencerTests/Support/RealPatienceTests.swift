import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// What keeps the tests from waiting for ever, and from losing their patience early on a busy machine.
@Suite("Patience", .serialized, .timeLimit(.minutes(30)), .real, .endsARunThatStandsStill)
struct RealPatienceTests {
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
