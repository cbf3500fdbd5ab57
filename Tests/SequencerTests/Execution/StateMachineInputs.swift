@testable import Sequencer

/// Inputs of a state machine, as a launch gives them: it says the time before each, and has the state settle after it.
extension LaunchStateMachine {
    mutating func input<Output>(at time: Nanoseconds, _ body: (inout Self) -> Output) -> Output {
        advance(to: time)
        let output = body(&self)
        settle()
        return output
    }

    mutating func take(_ taker: Taker, after previous: Assignment? = nil, at time: Nanoseconds) -> Assignment? {
        input(at: time) { $0.take(taker, after: previous) }
    }

    mutating func attemptEnded(
        _ ended: Assignment,
        _ result: Result,
        thenTakeFor taker: Taker?,
        at time: Nanoseconds
    ) -> (counted: Bool, next: Assignment?) {
        input(at: time) { $0.attemptEnded(ended, result, thenTakeFor: taker) }
    }

    mutating func attemptEnded(_ ended: Assignment, _ result: Result, at time: Nanoseconds) -> Bool {
        attemptEnded(ended, result, thenTakeFor: nil, at: time).counted
    }

    mutating func conditionAnswered(_ node: Int, _ answer: Bool?, at time: Nanoseconds) -> Bool {
        input(at: time) { $0.conditionAnswered(node, answer) }
    }

    mutating func timePassed(to time: Nanoseconds, standstill: Nanoseconds = 0) {
        input(at: time) { $0.timePassed(standstill: standstill) }
    }

    mutating func personWait(_ assignment: Assignment, _ wait: PersonWait, begins: Bool, at time: Nanoseconds) {
        _ = input(at: time) { $0.personWait(assignment, wait, begins: begins) }
    }

    mutating func cancelOperation(_ node: Int, at time: Nanoseconds) { input(at: time) { $0.cancelOperation(node) } }
}
