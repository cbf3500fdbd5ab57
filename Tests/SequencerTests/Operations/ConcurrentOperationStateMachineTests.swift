import TestSupport
import Testing

@testable import Sequencer

@Suite("Concurrent operation: state machine", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ConcurrentOperationStateMachineTests {
    typealias Machine = ConcurrentOperationStateMachine

    /// Every situation a machine can be in, with the calls that lead there.
    enum Situation: CaseIterable {
        case ready, readyCancelled, readyFinished
        case starting, startingCancelled, startingFinished
        case opening, openingCancelled, openingFinished
        case running, runningCancelled
        case endingWithoutExecuting, endingUnentered, ending, endingCancelled
        case ended, announced

        var machine: Machine {
            var machine = Machine()
            for step in steps { step(&machine) }
            return machine
        }

        private typealias Step = (inout Machine) -> Void

        private var steps: [Step] {
            let start: Step = { _ = $0.start() }
            let execute: Step = { $0.execute() }
            let enterMain: Step = { _ = $0.enterMain() }
            let cancel: Step = { _ = $0.cancel() }
            let finish: Step = { _ = $0.finish() }
            let end: Step = { $0.end() }
            return switch self {
            case .ready: []
            case .readyCancelled: [cancel]
            case .readyFinished: [finish]
            case .starting: [start]
            case .startingCancelled: [start, cancel]
            case .startingFinished: [start, finish]
            case .opening: [start, execute]
            case .openingCancelled: [start, execute, cancel]
            case .openingFinished: [start, execute, finish]
            case .running: [start, execute, enterMain]
            case .runningCancelled: [start, execute, enterMain, cancel]
            case .endingWithoutExecuting: [cancel, start]
            case .endingUnentered: [start, execute, cancel, enterMain]
            case .ending: [start, execute, enterMain, finish]
            case .endingCancelled: [start, execute, enterMain, cancel, finish]
            case .ended: [start, execute, enterMain, finish, end]
            case .announced: [start, execute, enterMain, finish, end, { $0.announce() }]
            }
        }
    }

    @Test("A31: what each situation looks like from outside", arguments: Situation.allCases)
    func visibleState(_ situation: Situation) {
        let machine = situation.machine
        let executing: [Situation] = [
            .opening, .openingCancelled, .openingFinished, .running, .runningCancelled, .endingUnentered, .ending, .endingCancelled,
        ]
        let cancelled: [Situation] = [
            .readyCancelled, .startingCancelled, .openingCancelled, .runningCancelled, .endingWithoutExecuting, .endingUnentered,
            .endingCancelled,
        ]
        #expect(machine.isExecuting == executing.contains(situation))
        #expect(machine.isFinished == [.ended, .announced].contains(situation))
        #expect(machine.isAnnounced == (situation == .announced))
        #expect(machine.isCancelled == cancelled.contains(situation))
        #expect(machine.surplusFinishCount == 0)
    }

    @Test("start() counts once, and ends what was cancelled or finished before", arguments: Situation.allCases)
    func start(_ situation: Situation) {
        var machine = situation.machine
        let expected: Machine.StartAction =
            switch situation {
            case .ready: .beginExecuting
            case .readyCancelled, .readyFinished: .end
            case .starting, .startingCancelled, .startingFinished, .opening, .openingCancelled, .openingFinished, .running,
                .runningCancelled, .endingWithoutExecuting, .endingUnentered, .ending, .endingCancelled, .ended, .announced:
                .ignore
            }
        #expect(machine.start() == expected)
        #expect(machine.start() == .ignore)
    }

    @Test(
        "main() is entered unless a cancel or a finish came before",
        arguments: [Situation.opening, .openingCancelled, .openingFinished]
    )
    func enterMain(_ situation: Situation) {
        var machine = situation.machine
        #expect(machine.enterMain() == (situation == .opening ? .runMain : .end))
        #expect(machine.isExecuting)
    }

    @Test("finish() ends what runs, is remembered before, and is surplus after", arguments: Situation.allCases)
    func finish(_ situation: Situation) {
        var machine = situation.machine
        let expected: Machine.FinishAction =
            switch situation {
            case .ready, .readyCancelled, .starting, .startingCancelled, .opening, .openingCancelled: .remember
            case .running, .runningCancelled: .end
            case .readyFinished, .startingFinished, .openingFinished, .endingWithoutExecuting, .endingUnentered, .ending, .endingCancelled,
                .ended, .announced:
                .reportSurplus
            }
        #expect(machine.finish() == expected)
        #expect(machine.surplusFinishCount == (expected == .reportSurplus ? 1 : 0))
        #expect(machine.finish() == .reportSurplus)
        #expect(machine.surplusFinishCount == (expected == .reportSurplus ? 2 : 1))
        #expect(!machine.isFinished || situation == .ended || situation == .announced)
    }

    @Test("cancel() counts once, tells the work only while it runs, and never undoes an end", arguments: Situation.allCases)
    func cancel(_ situation: Situation) {
        var machine = situation.machine
        let before = machine.isCancelled
        let expected: Machine.CancelAction =
            switch situation {
            case .ready, .readyFinished, .starting, .startingFinished, .opening, .openingFinished: .mark
            case .running: .markAndTellWork
            case .readyCancelled, .startingCancelled, .openingCancelled, .runningCancelled, .endingWithoutExecuting, .endingUnentered,
                .ending, .endingCancelled, .ended, .announced:
                .ignore
            }
        #expect(machine.cancel() == expected)
        #expect(machine.isCancelled == (before || expected != .ignore))
        #expect(machine.cancel() == .ignore)
    }

    @Test(
        "an end becomes visible, then announced",
        arguments: [Situation.endingWithoutExecuting, .endingUnentered, .ending, .endingCancelled]
    )
    func end(_ situation: Situation) {
        var machine = situation.machine
        #expect(!machine.isFinished)
        machine.end()
        #expect(machine.isFinished)
        #expect(!machine.isExecuting)
        #expect(!machine.isAnnounced)
        machine.announce()
        #expect(machine.isFinished)
        #expect(machine.isAnnounced)
    }

    #if os(macOS) || os(Linux)
    #endif
}
