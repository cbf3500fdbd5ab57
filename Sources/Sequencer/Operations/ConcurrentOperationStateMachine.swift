/// Decides what a ``ConcurrentOperation`` does next; it holds no lock, posts nothing and calls nothing.
///
/// Every transition is asked under the operation's lock and answered with an action, which the operation carries out after it has released
/// the lock. A change that observers see takes two steps, so that it happens between "will change" and "did change": the first step decides
/// who makes the change, the second makes it.
///
/// ```
/// ready ──start──▶ starting ──execute──▶ opening ──enterMain──▶ running ──finish──▶ ending ──end──▶ ended ──announce──▶ announced
///   │                                       │                                         ▲
///   └──start, if cancelled or finished──────┴──enterMain, if cancelled or finished────┘
/// ```
struct ConcurrentOperationStateMachine {
    private enum State: Equatable {
        /// Not started.
        case ready
        /// Started by one caller; observers do not see it executing yet.
        case starting
        /// Executing for all to see, `main()` not entered: who cancels or finishes it now still prevents `main()`.
        case opening
        /// In `main()`, or waiting for the `finish()` that `main()` arranged.
        case running
        /// A caller ends it; observers still see the state before.
        case ending(wasExecuting: Bool)
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

    enum MainAction: Equatable {
        /// Call `main()`.
        case runMain
        /// It was cancelled or finished in the meantime: end without `main()`.
        case end
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
    private var isFinishRemembered = false
    private var isTellingWork = false
    /// Whether it was finished while its work was being told to cancel.
    private(set) var hasEndedAsTold = false

    /// Whether it was cancelled before its end was decided.
    private(set) var isCancelled = false
    /// How many calls of `finish()` came after the one that counted, or after an end without one.
    private(set) var surplusFinishCount = 0

    var isExecuting: Bool {
        switch state {
        case .opening, .running, .ending(wasExecuting: true): true
        case .ready, .starting, .ending(wasExecuting: false), .ended, .announced: false
        }
    }

    var isFinished: Bool {
        switch state {
        case .ended, .announced: true
        case .ready, .starting, .opening, .running, .ending: false
        }
    }

    /// Whether the end is not only visible but also announced to observers.
    var isAnnounced: Bool { state == .announced }

    mutating func start() -> StartAction {
        switch state {
        case .ready:
            state = isOverBeforeMain ? .ending(wasExecuting: false) : .starting
            return isOverBeforeMain ? .end : .beginExecuting
        case .starting, .opening, .running, .ending, .ended, .announced:
            return .ignore
        }
    }

    /// Makes `isExecuting` true.
    mutating func execute() {
        switch state {
        case .starting:
            state = .opening
        case .ready, .opening, .running, .ending, .ended, .announced:
            // Not reachable: the one caller of `start()` that is told to execute calls this, once, and nothing else leaves `starting`.
            preconditionFailure("An operation that is \(state) cannot begin to execute, only one that is starting.")
        }
    }

    mutating func enterMain() -> MainAction {
        switch state {
        case .opening:
            state = isOverBeforeMain ? .ending(wasExecuting: true) : .running
            return isOverBeforeMain ? .end : .runMain
        case .ready, .starting, .running, .ending, .ended, .announced:
            // Not reachable: that caller calls this after `execute()`, once, and nothing else leaves `opening`.
            preconditionFailure("An operation that is \(state) cannot enter main(), only one that is opening.")
        }
    }

    mutating func finish() -> FinishAction {
        switch state {
        case .ready, .starting, .opening:
            // Not ended here: an operation that finishes before its queue has started it is a mistake to Foundation.
            if isFinishRemembered { return countSurplus() }
            isFinishRemembered = true
            return .remember
        case .running:
            state = .ending(wasExecuting: true)
            hasEndedAsTold = isTellingWork
            return .end
        case .ending, .ended, .announced:
            return countSurplus()
        }
    }

    mutating func cancel() -> CancelAction {
        if isCancelled { return .ignore }
        switch state {
        case .ready, .starting, .opening:
            isCancelled = true
            return .mark
        case .running:
            isCancelled = true
            isTellingWork = true
            return .markAndTellWork
        // Its end is decided: a cancel that comes too late must not make work that is done look undone.
        case .ending, .ended, .announced:
            return .ignore
        }
    }

    /// Records that the work knows that it is to cancel.
    mutating func toldWork() {
        isTellingWork = false
    }

    /// Makes `isFinished` true and `isExecuting` false.
    mutating func end() {
        switch state {
        case .ending:
            state = .ended
        case .ready, .starting, .opening, .running, .ended, .announced:
            // Not reachable: each change to `ending` answers one caller with `end`, which calls this once.
            preconditionFailure("An operation that is \(state) cannot end, only one that is ending.")
        }
    }

    /// Records that observers know of the end.
    mutating func announce() {
        switch state {
        case .ended:
            state = .announced
        case .ready, .starting, .opening, .running, .ending, .announced:
            // Not reachable: who has called `end()` calls this after it, once.
            preconditionFailure("The end of an operation that is \(state) cannot be announced, only of one that has ended.")
        }
    }

    private var isOverBeforeMain: Bool { isCancelled || isFinishRemembered }

    private mutating func countSurplus() -> FinishAction {
        surplusFinishCount += 1
        return .reportSurplus
    }
}
