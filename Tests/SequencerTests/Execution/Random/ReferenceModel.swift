@testable import Sequencer

/// What a launch must come to, by a plain loop over its steps in order: no lanes, no threads, no time.
///
/// What stops a launch (a required failure, an abort, a cancellation) does so at a moment that depends on timing; the model then says what
/// each step would have come to, and which steps may be the one that stopped it.
struct ReferenceModel {
    private(set) var outcomes: [Outcome] = []
    /// By step; nil for one that leaves no value.
    private(set) var values: [Int?] = []
    /// Steps that are skipped, and whose dependents run all the same.
    private(set) var skippedAlone: Set<Int> = []
    /// Steps whose end stops the launch.
    private(set) var stoppers: Set<Int> = []
    /// Steps that never end unless they are told to.
    private(set) var endless: Set<Int> = []
    /// Steps that a required one comes before which fails: skipped, if that fails after the milestone.
    private(set) var maySkip: Set<Int> = []
    /// The milestone, if it is skipped because of another step: such a launch fails, though nothing stops it.
    private(set) var lostMilestone: Int?

    private enum Effect {
        case start, startWithoutValue, skip
    }

    init(_ plan: RandomLaunch) {
        var effects: [Effect] = []
        // A step that reads from one with a condition is given one, which is true: see ``PlannedLaunch``.
        var conditional: Set<Int> = []
        // Steps whose value is missing because they, or others that they read from, did not succeed.
        var lost: Set<Int> = []
        for (index, step) in plan.steps.enumerated() {
            var outcome = Outcome.succeeded
            var value: Int? = step.value(index)
            let reads = step.readsOptionally ? [] : step.dependencies.prefix(step.inputs)
            let decider = plan.decider(of: index)
            // Whatever its other dependencies come to.
            let isOff = step.condition == false && plan.isAskedEarly(index) && decider.map { effects[$0] == .start } == true
            let absent = (reads + [decider].compactMap(\.self)).filter {
                !isOff && effects[$0] == .startWithoutValue && plan.steps[$0].hasValue
            }
            if step.condition != nil || reads.contains(where: { plan.steps[$0].hasValue && conditional.contains($0) }) {
                conditional.insert(index)
            }
            if isOff {
                outcome = .skipped
                skippedAlone.insert(index)
            } else if step.dependencies.contains(where: { effects[$0] == .skip }) {
                outcome = .skipped
            } else if !absent.isEmpty {
                outcome = .skipped
                let isConditional = conditional.contains(index) && absent.allSatisfy { skippedAlone.contains($0) }
                if isConditional || step.policy == .continue { skippedAlone.insert(index) }
            } else if step.condition == false {
                outcome = .skipped
                skippedAlone.insert(index)
            } else if step.hangs {
                if step.timeout == nil { endless.insert(index) }
                outcome = .timedOut
            } else if step.failures >= step.attempts {
                outcome = .failed
            } else if step.aborts {
                stoppers.insert(index)
            }
            if outcome == .failed || outcome == .timedOut, step.hasFallback {
                outcome = .fellBack
                value = step.fallback(index)
            }
            var effect = Effect.start
            switch outcome {
            case .succeeded, .fellBack: break
            case .skipped: effect = skippedAlone.contains(index) ? .startWithoutValue : .skip
            case .failed, .timedOut, .cancelled:
                effect = step.policy == .skipDependents ? .skip : .startWithoutValue
                if step.policy == .required, !endless.contains(index) { stoppers.insert(index) }
            }
            if effect != .start { value = nil }
            let isBehindFailure = step.dependencies.contains { dependency in
                maySkip.contains(dependency)
                    || plan.steps[dependency].policy == .required && [.failed, .timedOut, .cancelled].contains(outcomes[dependency])
            }
            if plan.milestone != nil, isBehindFailure { maySkip.insert(index) }
            let isUnsuccessful = [.failed, .timedOut, .cancelled].contains(outcome)
            if isUnsuccessful || outcome == .skipped && absent.contains(where: lost.contains) { lost.insert(index) }
            if index == plan.milestone, outcome == .skipped, effect == .skip || lost.contains(index) { lostMilestone = index }
            outcomes.append(outcome)
            values.append(value)
            effects.append(effect)
        }
    }

    /// Whether a step may have come to `outcome` in a launch that was stopped at some moment, or in which steps were cancelled.
    func allows(_ outcome: Outcome, of index: Int) -> Bool {
        if outcome == .cancelled || outcome == outcomes[index] && !endless.contains(index) { return true }
        if outcome == .skipped, maySkip.contains(index) { return true }
        // Once a launch is stopped, fallbacks are not used any more.
        return outcomes[index] == .fellBack && (outcome == .failed || outcome == .timedOut)
    }
}
