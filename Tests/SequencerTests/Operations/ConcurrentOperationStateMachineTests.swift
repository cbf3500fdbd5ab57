import TestSupport
import Testing

@testable import Sequencer

@Suite("Concurrent operation: state machine", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ConcurrentOperationStateMachineTests {
    typealias Machine = ConcurrentOperationStateMachine

    enum Call {
        case start, execute, enterMain, cancel, finish, end, announce

        func make(_ machine: inout Machine) {
            switch self {
            case .start: _ = machine.start()
            case .execute: machine.execute()
            case .enterMain: _ = machine.enterMain()
            case .cancel: _ = machine.cancel()
            case .finish: _ = machine.finish()
            case .end: machine.end()
            case .announce: machine.announce()
            }
        }
    }

    /// A situation a machine can be in: the calls that lead there, and what the next call does.
    struct Situation: Sendable {
        let calls: [Call]
        let start: Machine.StartAction
        let finish: Machine.FinishAction
        let cancel: Machine.CancelAction
        /// Whether it is executing; and it is finished after its end.
        let isExecuting: Bool

        init(
            _ calls: [Call],
            _ start: Machine.StartAction,
            _ finish: Machine.FinishAction,
            _ cancel: Machine.CancelAction,
            isExecuting: Bool = false
        ) {
            (self.calls, self.isExecuting) = (calls, isExecuting)
            (self.start, self.finish, self.cancel) = (start, finish, cancel)
        }

        var machine: Machine {
            var machine = Machine()
            for call in calls { call.make(&machine) }
            return machine
        }
    }

    private static let running: [Call] = [.start, .execute, .enterMain]

    /// Every situation.
    static let situations = [
        Situation([], .beginExecuting, .remember, .mark),
        Situation([.cancel], .end, .remember, .ignore),
        Situation([.finish], .end, .reportSurplus, .mark),
        Situation([.start], .ignore, .remember, .mark),
        Situation([.start, .cancel], .ignore, .remember, .ignore),
        Situation([.start, .finish], .ignore, .reportSurplus, .mark),
        Situation([.start, .execute], .ignore, .remember, .mark, isExecuting: true),
        Situation([.start, .execute, .cancel], .ignore, .remember, .ignore, isExecuting: true),
        Situation([.start, .execute, .finish], .ignore, .reportSurplus, .mark, isExecuting: true),
        Situation(running, .ignore, .end, .markAndTellWork, isExecuting: true),
        Situation(running + [.cancel], .ignore, .end, .ignore, isExecuting: true),
        // It ends without having executed, or without having entered main().
        Situation([.cancel, .start], .ignore, .reportSurplus, .ignore),
        Situation([.start, .execute, .cancel, .enterMain], .ignore, .reportSurplus, .ignore, isExecuting: true),
        Situation(running + [.finish], .ignore, .reportSurplus, .ignore, isExecuting: true),
        Situation(running + [.cancel, .finish], .ignore, .reportSurplus, .ignore, isExecuting: true),
        Situation(running + [.finish, .end], .ignore, .reportSurplus, .ignore),
        Situation(running + [.finish, .end, .announce], .ignore, .reportSurplus, .ignore),
    ]

    @Test("A31: what each situation looks like, and what start(), finish() and cancel() do in it", arguments: situations)
    func calls(_ situation: Situation) {
        let machine = situation.machine
        let (isCancelled, isFinished) = (situation.calls.contains(.cancel), situation.calls.contains(.end))
        #expect(machine.isExecuting == situation.isExecuting && machine.isFinished == isFinished)
        #expect(machine.isAnnounced == situation.calls.contains(.announce))
        #expect(machine.isCancelled == isCancelled && machine.surplusFinishCount == 0)

        var started = machine
        #expect(started.start() == situation.start && started.start() == .ignore)

        var finished = machine
        let surplus = situation.finish == .reportSurplus ? 1 : 0
        #expect(finished.finish() == situation.finish && finished.surplusFinishCount == surplus)
        #expect(finished.finish() == .reportSurplus && finished.surplusFinishCount == surplus + 1)
        #expect(finished.isFinished == isFinished)

        var cancelled = machine
        #expect(cancelled.cancel() == situation.cancel)
        #expect(cancelled.isCancelled == (isCancelled || situation.cancel != .ignore) && cancelled.cancel() == .ignore)
    }

    @Test("main() is entered unless a cancel or a finish came before", arguments: [nil, .cancel, .finish] as [Call?])
    func enterMain(_ before: Call?) {
        var machine = Situation([.start, .execute], .ignore, .remember, .mark).machine
        before?.make(&machine)
        #expect(machine.enterMain() == (before == nil) && machine.isExecuting)
    }

    @Test("an end becomes visible, then announced", arguments: situations[11...14])
    func end(_ situation: Situation) {
        var machine = situation.machine
        machine.end()
        #expect(machine.isFinished && !machine.isExecuting && !machine.isAnnounced)
        machine.announce()
        #expect(machine.isFinished && machine.isAnnounced)
    }
}
