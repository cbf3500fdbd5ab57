import Foundation

// The end of a launch: of the launch proper, with its milestone, and of all of it.

extension LaunchStorage {
    /// Ends the launch, and tells those who wait for that; only the first call does so.
    ///
    /// - Parameter defersAppCode: as for ``input(defersAppCode:_:)``.
    func finish(defersAppCode: Bool = false) {
        // Before the lock: these are behind locks of their own.
        let anomalies = anomaliesElsewhere
        // The last operation may have ended before the thread for time has had its turn.
        let unnoticed = timekeeper.unnoticedStandstill
        let record = state.withLock { state -> RunRecord? in
            if state.isEnding { return nil }
            noteEarlyEnd(&state)
            guard state.scopes.mayEnd() else {
                // The launch ends with its last scope; the record of the launch proper does not wait for scopes.
                if state.milestoneRecord == nil { state.milestoneRecord = makeRecord(&state, anomalies) }
                return nil
            }
            state.isEnding = true
            state.machine.standstill += unnoticed
            state.endOfWatching = nil
            return makeRecord(&state, anomalies)
        }
        guard let record else {
            // Scopes go on, but not past the deadline; the launch proper has ended all the same.
            limitScopes()
            return tellMilestoneWaiters()
        }
        // Before the report and the ends of streams are given out: the app may then start its next launch, with the operations that have not run.
        // Observers are told before this: afterwards the journal may be another launch's.
        claim.giveBack()
        let made = runner.launchIsOver(record.nodes, timekeeper)
        admission.end(record.outcome())
        let (ending, endsStreams) = state.withLock { state in
            state.record = record
            return (Ending(taking: &state, FinishedLaunch(self, record)), endStreams(&state))
        }
        // Consumed: this thread may be the one for time, and must not be the last to hold an object of the app, whose `deinit` may block.
        ending.hold(consume made)
        timekeeper.end()
        endLooking()
        pool.retire()
        for waiter in ending.milestoneWaiters { waiter(ending.launch.record) }
        for waiter in ending.waiters { waiter(ending.launch) }
        // After the report: the executor of a reader must not hold it up.
        if endsStreams { tellStreams() }
        // Last, since the handler is code of the app, and so are the deinitialisers of the objects that operations held. The caller's
        // task-local values are released there too, never by the thread for time.
        if ending.isAppCode || defersAppCode {
            callApp { [caller] in
                ending.complete()
                caller.end()
            }
        } else {
            caller.end()
        }
    }

    /// Whether the launch is over, with its scopes, and its report is given.
    var isOver: Bool { state.withLock { $0.record != nil } }

    /// Calls `waiter`, which must not block, when the launch is over.
    func whenOver(_ waiter: @escaping @Sendable (FinishedLaunch) -> Void) {
        let record = state.withLock { state in
            if state.record == nil { state.waiters.append(waiter) }
            return state.record
        }
        if let record { waiter(FinishedLaunch(self, record)) }
    }

    /// Calls `waiter`, which must not block, when the launch proper has ended: with the record of that moment.
    func whenMilestoneIsOver(_ waiter: @escaping @Sendable (RunRecord) -> Void) {
        let record = state.withLock { state in
            let record = state.milestoneRecord ?? state.record
            if record == nil { state.milestoneWaiters.append(waiter) }
            return record
        }
        if let record { waiter(record) }
    }

    func tellMilestoneWaiters() {
        let (waiters, record) = state.withLock { state -> ([@Sendable (RunRecord) -> Void], RunRecord?) in
            // Where nothing runs on, the end of the launch tells them.
            guard let record = state.milestoneRecord else { return ([], nil) }
            defer { state.milestoneWaiters = [] }
            return (state.milestoneWaiters, record)
        }
        guard let record else { return }
        for waiter in waiters { waiter(record) }
    }

    func makeRecord(_ state: inout State, _ anomalies: [Anomaly]) -> RunRecord {
        RunRecord(
            &state,
            graph: graph,
            budget: budget,
            startOffset: startOffset,
            processStart: processStart,
            startedAt: startedAt,
            version: version,
            attributes: attributes,
            suspended: timekeeper.suspension,
            anomalies: anomalies
        )
    }

    /// Has the operation that ended the launch before its milestone say what the graph has to tell then; no operation cancels a launch, so there the
    /// milestone says it.
    private func noteEarlyEnd(_ state: inout State) {
        guard let sentences = graph.graph.earlyEndNotes else { return }
        let node: Int?
        switch makeRecord(&state, []).outcome() {
        case .failed(let operation, _), .aborted(let operation, _): node = graph.position(of: operation)
        case .cancelled: node = graph.milestoneIndex
        case .completed: node = nil
        }
        if let node { state.notes[node, default: []] += sentences().map { printable($0, limit: 400) } }
    }

    /// Those that the state does not know.
    private var anomaliesElsewhere: [Anomaly] { slowCancels + runner.anomalies }
}

/// The handlers to call and the references to release when a launch has ended.
final class Ending: Sendable {
    private struct Held {
        var completion: (@Sendable (FinishedLaunch) -> Void)?
        var handles: [Int: LaunchStorage.Handle]
        var waits: [Int: ToldWait]
        var queued: [QueuedStep]
        var made: [Operation] = []

        var isEmpty: Bool { completion == nil && handles.isEmpty && waits.isEmpty && queued.isEmpty && made.isEmpty }
    }

    let launch: FinishedLaunch
    let waiters: [@Sendable (FinishedLaunch) -> Void]
    let milestoneWaiters: [@Sendable (RunRecord) -> Void]
    /// Whether there is anything of the app's.
    var isAppCode: Bool { held.withLock { $0?.isEmpty == false } }
    private let held: Locked<Held?>

    /// Takes it out of the state.
    init(taking state: inout LaunchStorage.State, _ launch: FinishedLaunch) {
        self.launch = launch
        waiters = state.waiters
        milestoneWaiters = state.milestoneWaiters
        let queued = state.queued.removeWaiting()
        held = Locked(Held(completion: state.completion, handles: state.handles, waits: state.waits, queued: queued))
        state.waiters = []
        state.milestoneWaiters = []
        state.completion = nil
        state.handles = [:]
        state.waits = [:]
    }

    /// Holds operations that steps have made until then too.
    func hold(_ made: [Operation]) {
        held.withLock { $0?.made = made }
    }

    /// Calls the completion handler, and lets go of everything; once.
    func complete() {
        let held = held.withLock { held in
            defer { held = nil }
            return held
        }
        for step in held?.queued ?? [] { step.drop() }
        held?.completion?(launch)
    }
}
