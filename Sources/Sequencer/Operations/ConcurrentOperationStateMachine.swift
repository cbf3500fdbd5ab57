/// Decides what a ``ConcurrentOperation`` does next; it holds no lock, posts nothing and calls nothing.
///
/// Every transition is asked under the operation's lock and answered with an action, which the operation carries out
/// after it has released the lock. A change that observers see takes two steps, so that it happens between "will
/// change" and "did change": the first step decides who makes the change, the second makes it.
///
/// ```
/// ready ──start──▶ starting ──execute──▶ opening ──enterMain──▶ running ──finish──▶ ending ──end──▶ ended ──announce──▶ announced
///   │                                       │                                         ▲
///   └──start, if cancelled or finished──────┴──enterMain, if cancelled or finished────┘
/// ```
struct ConcurrentOperationStateMachine {
    private enum State: Comparable {
        /// Not started.
        case ready
        /// Started by one caller; observers do not see it executing yet.
        case starting
        /// Executing for all to see, `main()` not entered: who cancels or finishes it now still prevents `main()`.
        case opening
        /// In `main()`, or waiting for the `finish()` that `main()` arranged.
        case running
        /// A caller ends it; observers still see the state before.
        case ending
        /// Finished for all to see; observers are being told.
        case ended
        /// Finished, and observers have been told.
        case announced
    }

    enum StartAction: Equatable {
        /// Say that `isExecuting` will change, call ``execute()``, say that it did, call ``enterMain()``.
        case beginExecuting
        /// End at once, without having executed.
        case end
        /// It was started before.
        case ignore
    }

    enum FinishAction: Equatable {
        /// The caller ends the operation.
        case end
        /// `main()` has not begun: the operation ends where it would have begun.
        case remember
        /// It was finished before: tell the observers of surplus ends.
        case reportSurplus
    }

    enum CancelAction: Equatable {
        /// The operation is cancelled; its work does not run.
        case mark
        /// The operation is cancelled, and its work must hear of it.
        case markAndTellWork
        /// It was cancelled before, or its end is decided.
        case ignore
    }

    private var state = State.ready
    private var hasExecuted = false
    private var isFinishRemembered = false
    private var isTellingWork = false
    /// Whether it was finished while its work was being told to cancel.
    private(set) var hasEndedAsTold = false

    /// Whether it was cancelled before its end was decided.
    private(set) var isCancelled = false
    /// How many calls of `finish()` came after the one that counted, or after an end without one.
    private(set) var surplusFinishCount = 0

    var isExecuting: Bool { hasExecuted && state <= .ending }

    var isFinished: Bool { state >= .ended }

    /// Whether the end is not only visible but also announced to observers.
    var isAnnounced: Bool { state == .announced }

    mutating func start() -> StartAction {
        guard state == .ready else { return .ignore }
        state = isOverBeforeMain ? .ending : .starting
        return isOverBeforeMain ? .end : .beginExecuting
    }

    /// Makes `isExecuting` true.
    mutating func execute() {
        move(from: .starting, to: .opening)
        hasExecuted = true
    }

    /// - Returns: whether to call `main()`: false where it was cancelled or finished in the meantime, and ends without.
    mutating func enterMain() -> Bool {
        move(from: .opening, to: isOverBeforeMain ? .ending : .running)
        return !isOverBeforeMain
    }

    mutating func finish() -> FinishAction {
        if state == .running {
            state = .ending
            hasEndedAsTold = isTellingWork
            return .end
        }
        // Not ended before `main()`: an operation that finishes before its queue has started it is a mistake to
        // Foundation.
        if state < .running, !isFinishRemembered {
            isFinishRemembered = true
            return .remember
        }
        surplusFinishCount += 1
        return .reportSurplus
    }

    mutating func cancel() -> CancelAction {
        // Once its end is decided, a cancel comes too late, and must not make work that is done look undone.
        if isCancelled || state > .running { return .ignore }
        isCancelled = true
        isTellingWork = state == .running
        return isTellingWork ? .markAndTellWork : .mark
    }

    /// Records that the work knows that it must cancel.
    mutating func toldWork() { isTellingWork = false }

    /// Makes `isFinished` true and `isExecuting` false.
    mutating func end() { move(from: .ending, to: .ended) }

    /// Records that observers know of the end.
    mutating func announce() { move(from: .ended, to: .announced) }

    private var isOverBeforeMain: Bool { isCancelled || isFinishRemembered }

    private mutating func move(from old: State, to new: State) {
        // Not reachable otherwise: each of these changes is made by the one caller that was told to, once.
        precondition(state == old, "An operation that is \(state) cannot become \(new), only one that is \(old).")
        state = new
    }
}
