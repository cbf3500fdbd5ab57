import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("What a signal does", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SignalStateMachineTests {
    @Test("Without a launch it ends the process with 128 and its number", arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM])
    func withoutLaunch(number: Int32) {
        var machine = SignalStateMachine()
        #expect(machine.received(number) == .end(128 + number))
        #expect(machine.first == number)
    }

    @Test("The first one cancels the launch, the second one ends the process", arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM])
    func twice(number: Int32) {
        var machine = SignalStateMachine()
        machine.launchBegan()
        #expect(!machine.isWaiting)
        #expect(machine.received(number) == .cancel)
        #expect(machine.isWaiting)
        #expect(machine.received(SIGINT) == .end(128 + SIGINT))
    }

    @Test("A launch that is cancelled and does not end is given up")
    func patience() {
        var machine = SignalStateMachine()
        machine.launchBegan()
        #expect(machine.patienceEnded() == .nothing)
        #expect(machine.received(SIGTERM) == .cancel)
        #expect(machine.patienceEnded() == .end(128 + SIGTERM))
    }

    @Test("Once the launch is over the process ends by itself, or by the next signal")
    func over() {
        var machine = SignalStateMachine()
        machine.launchBegan()
        _ = machine.received(SIGHUP)
        #expect(machine.launchEnded() == SIGHUP)
        #expect(!machine.isWaiting && machine.patienceEnded() == .nothing)
        #expect(machine.received(SIGTERM) == .end(128 + SIGTERM))
        #expect(machine.first == SIGHUP)

        var unharmed = SignalStateMachine()
        unharmed.launchBegan()
        #expect(unharmed.launchEnded() == nil)
    }

    @Test("To stop, to go on and to tell end nothing")
    func others() {
        var machine = SignalStateMachine()
        machine.launchBegan()
        #expect([SIGTSTP, SIGCONT, SIGUSR1].map { machine.received($0) } == [.stop, .resume, .tell])
        #expect(machine.first == nil)
    }

    @Test("fault A8: each signal that ends the tool has a code of its own")
    func codes() {
        #expect([SIGHUP, SIGINT, SIGQUIT, SIGTERM].map { ExitCode.interrupted(by: $0).rawValue } == [129, 130, 131, 143])
    }
}
