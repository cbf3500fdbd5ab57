// What an option may say, for graphs and for scenario files.

extension OperationGraph {
    /// The longest duration a policy may name: one day.
    package static let maximumDuration = Duration.seconds(86_400)
    /// The most operations that may hold a resource at the same time.
    package static let maximumResourceLimit = 1_024

    package static let deferrableMilestone =
        "a milestone cannot be deferrable: put off until the milestone has ended, it would wait for itself"
    package static let cuttableWithoutFallback =
        "only an operation with a fallback can be cuttable: its value takes the place of the one that is cut"
    package static let deferrableDisplay =
        "an initial display cannot be deferrable: put off until the milestone has ended, it would not be the first"

    /// The mistake in a time, in one sentence; none of a good one, and of none.
    static func complaints(about time: Duration?, as name: String, canBeZero: Bool = false) -> [String] {
        guard let time, time > maximumDuration || time < .zero || time == .zero && !canBeZero else { return [] }
        return ["\(name) must be \(canBeZero ? "0 to" : "more than 0 and at most") 24 hours, and is \(time)"]
    }
}

extension StepPolicy {
    /// The mistakes in the options of a step that produces `type`, each in one sentence.
    func complaints(of type: any Sendable.Type) -> [String] {
        var complaints = givenTwice.map { "the option '\($0)' is given twice; a step has one, so remove the other" }
        func refuse(_ isWrong: Bool, _ sentence: @autoclosure () -> String) {
            if isWrong { complaints.append(sentence()) }
        }
        // Times out of range would trap, or overflow, when they are converted (G13).
        func check(_ time: Duration?, _ name: String, canBeZero: Bool = false) {
            complaints += OperationGraph.complaints(about: time, as: name, canBeZero: canBeZero)
        }
        check(timeout, "a timeout")
        check(delay, "a delay")
        check(expected, "an expected duration", canBeZero: true)
        if let retry {
            let (range, most) = (Duration.zero...OperationGraph.maximumDuration, retry.maximumBackoff)
            refuse(!(1...100).contains(retry.attempts), "retry needs 1 to 100 attempts, and has \(retry.attempts)")
            check(retry.timeout, "a retry's timeout")
            refuse(
                !range.contains(retry.backoff) || !range.contains(most),
                "a retry's backoff must be 0 to 24 hours, and is \(retry.backoff), at most \(most)"
            )
            // No range contains NaN.
            let (factor, jitter) = (retry.multiplier, retry.jitter)
            refuse(!(1...1000).contains(factor), "a retry's multiplier must be 1 to 1000, and is \(factor)")
            refuse(!(0...1).contains(jitter), "a retry's jitter must be 0 to 1, and is \(jitter)")
        }
        refuse(isCuttable && fallback == nil, OperationGraph.cuttableWithoutFallback)
        check(slowScreen?.limit, "the limit of 'ifSlower'")
        check(slowScreen?.minimum, "the minimum of 'ifSlower'", canBeZero: true)
        refuse(racers?.isEmpty == true, "it takes the first of no steps; name some in 'of'")
        func forbid(_ isSo: Bool, _ what: String) { refuse(isInPrologue && isSo, "a step of the prologue cannot " + what) }
        let pauses = retry.map { $0.attempts > 1 && $0.backoff > .zero } ?? false
        forbid(isMilestone || isInitialDisplay, "be a milestone: nothing can be seen by then")
        forbid(isInteractive, "be interactive: nobody can be asked before the app has started")
        forbid(pauses, "be tried again after a pause, in which the main thread would be blocked; make its backoff zero")
        forbid(delay != nil, "be delayed: the main thread would be blocked meanwhile")
        forbid(isDeferrable, "be deferrable: all else comes after it")
        forbid(!claims.isEmpty, "hold a resource of the process: the main thread would wait for another launch")
        forbid(slowScreen != nil, "show something while it is slow: it keeps the main thread")
        for event in events where event.type != type {
            let name = printable(event.storage.name)
            let promise = "it is to fulfil the event '\(name)' with a value of type \(event.type)"
            complaints.append("\(promise), and produces \(type)")
        }
        refuse(isDeferrable && isMilestone, OperationGraph.deferrableMilestone)
        refuse(isDeferrable && isInitialDisplay && !isMilestone, OperationGraph.deferrableDisplay)
        return complaints
    }
}
