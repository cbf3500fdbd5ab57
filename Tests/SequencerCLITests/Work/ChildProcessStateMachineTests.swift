import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Decisions about a child process", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ChildProcessStateMachineTests {
    private var machine = ChildProcessStateMachine()

    @Test("A child that ends by itself is reaped, and its group left alone")
    mutating func ends() {
        #expect(machine.outputEnded() == .nothing)
        #expect(machine.exited() == .reap(killsGroup: false))
        #expect(!machine.isCancelled)
    }

    @Test("Nothing follows the reaping, and a cancellation after it does not count")
    mutating func nothingAfter() {
        #expect(machine.exited() == .reap(killsGroup: false))
        #expect(machine.cancel() == .nothing)
        #expect(machine.killDelayPassed() == .nothing)
        #expect(machine.outputEnded() == .nothing)
        #expect(machine.exited() == .nothing)
        #expect(!machine.isCancelled)
    }

    @Test("A cancelled child is asked once, then killed once, then reaped")
    mutating func stubborn() {
        #expect(machine.cancel() == .terminate)
        #expect(machine.cancel() == .nothing)
        #expect(machine.killDelayPassed() == .kill)
        #expect(machine.killDelayPassed() == .nothing)
        #expect(machine.cancel() == .nothing)
        #expect(machine.exited() == .reap(killsGroup: true))
        #expect(machine.isCancelled)
    }

    @Test("A cancelled child that ends is reaped once nobody of its group has its output")
    mutating func lingersUntilOutputEnds() {
        #expect(machine.cancel() == .terminate)
        #expect(machine.exited() == .nothing)
        #expect(machine.exited() == .nothing)
        #expect(machine.cancel() == .nothing)
        #expect(machine.outputEnded() == .reap(killsGroup: true))
        #expect(machine.killDelayPassed() == .nothing)
    }

    @Test("A cancelled child that ends is reaped after the delay, whoever has its output")
    mutating func lingersUntilDelay() {
        #expect(machine.cancel() == .terminate)
        #expect(machine.exited() == .nothing)
        #expect(machine.killDelayPassed() == .reap(killsGroup: true))
        #expect(machine.outputEnded() == .nothing)
    }

    @Test("A cancelled child whose output had ended is reaped at once")
    mutating func outputEndedBefore() {
        #expect(machine.outputEnded() == .nothing)
        #expect(machine.cancel() == .terminate)
        #expect(machine.exited() == .reap(killsGroup: true))
    }
}
