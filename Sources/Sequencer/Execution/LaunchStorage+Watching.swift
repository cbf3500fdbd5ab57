import Foundation

/// Observers of a launch run their own code, which may block: no timeout, no report and no main thread waits for it.
extension LaunchStorage {
    /// How long the end of a launch waits for observers: much longer than one needs to write a line to a slow disk.
    static let patience = Duration.seconds(2).nanoseconds

    /// The events of the launch, from the first one on.
    var events: LaunchEvents {
        let feed = EventFeed()
        var isGoingOn = false
        let machine = beginWatching { state in
            // A launch that has given its report has no further event.
            isGoingOn = state.record == nil
            if isGoingOn { state.streams.receivers.append(feed) }
        }
        var past = machine.eventsSoFar
        // The last event comes with the report.
        if isGoingOn, past.last?.kind == .launchEnded { past.removeLast() }
        return LaunchEvents(feed, past: past)
    }

    /// Tells `observer` of everything from now on.
    func observe(_ observer: @escaping @Sendable (LaunchEvent) -> Void) {
        _ = beginWatching { state in
            // A launch that is over has no further event.
            if state.machine.phase != .over { state.observers.receivers.append(observer) }
        }
    }

    /// The number of operations that have ended; 1 at the end of a launch without any.
    var endedCount: Int64 {
        state.withLock { Int64($0.machine.phase == .over ? max(graph.count, 1) : graph.count - $0.machine.alive) }
    }

    /// Adds an observer. Its past events come from the states of the operations, since a launch without observers keeps
    /// no events; this is done without the lock, because it takes a while.
    ///
    /// - Returns: the states of the operations before the first event that is told.
    private func beginWatching(_ add: (inout State) -> Void) -> LaunchStateMachine {
        let machine = state.withLock { state in
            noteEvents(&state)
            add(&state)
            state.machine.settings.recordsEvents = true
            return state.machine
        }
        // The noted events belong to earlier observers, which are called elsewhere: this caller has asked for something
        // else.
        tellWatchers(defersAppCode: true)
        return machine
    }

    /// Tells the observers of new events: on this thread, so that an announced step begins after its announcement;
    /// elsewhere if this is the main thread.
    ///
    /// - Parameter defersAppCode: as for ``input(defersAppCode:_:)``.
    func tellWatchers(defersAppCode: Bool) {
        tellStreams()
        if defersAppCode || MainThreadCheck.isCurrent { callApp { self.deliverEvents() } } else { deliverEvents() }
    }

    /// Fills the streams, unless another thread is doing so and will add these events too. It never waits, but it gives
    /// jobs to readers' executors.
    func tellStreams() {
        var isContinuing = false
        while true {
            let batches = state.withLock { state in
                noteEvents(&state)
                return state.streams.next(continuing: isContinuing)
            }
            guard let batches else { return }
            isContinuing = true
            var ended: [EventFeed] = []
            for batch in batches {
                for feed in batch.receivers where !batch.events.allSatisfy(feed.add) { ended.append(feed) }
            }
            if !ended.isEmpty { state.withLock { $0.streams.receivers.removeAll { feed in ended.contains { $0 === feed } } } }
        }
    }

    /// Gives the streams their last event. The launch has given back all that it held.
    ///
    /// - Returns: whether there are streams; the caller then tells them.
    func endStreams(_ state: inout State) -> Bool {
        if state.streams.receivers.isEmpty { return false }
        // First the events before it: an observer that blocks may hold the thread that was to note them.
        noteEvents(&state)
        state.streams.add([LaunchEvent(kind: .launchEnded, time: .nanoseconds(state.machine.endOfLaunch), scope: scope)])
        return true
    }

    /// Begins a step of the main thread, unless it has begun.
    private func begin(_ start: MainStart) {
        guard start.take() else { return }
        OperationQueue.main.addOperation {
            self.withCallersValues { self.run(for: nil, beginningWith: start.assignment) }
        }
    }

    /// Begins a step of the main thread anyway if its start has not been told in time, because an observer blocks
    /// (L63). If starts are recorded, the recorder is told first, apart from the observers, and gets the same time
    /// again: a slow disk does not hold up the main thread either.
    func watch(_ start: MainStart) {
        AppCodeQueue.after(AppCodeQueue.patience, self, unless: { start.hasBegun }) { launch in
            guard let recorder = launch.options.recorder else { return launch.begin(start) }
            // A separate queue: that of the launch may be behind the observer that blocks.
            AppCodeQueue().add {
                recorder.recordStart(of: launch.graph.id(start.assignment.node), attempt: start.assignment.attempt)
                launch.begin(start)
            }
            AppCodeQueue.after(AppCodeQueue.patience, launch, unless: { start.hasBegun }) { $0.begin(start) }
        }
    }

    /// Tells the observers of the events, unless another thread is doing so and will tell these too. The thread that
    /// tells the launch's end gives the report.
    func deliverEvents() {
        var isContinuing = false
        while true {
            let (batches, mainStarts) = state.withLock { state in
                noteEvents(&state)
                let batches = state.observers.next(continuing: isContinuing)
                // Under one lock: these starts are among the events that are told below.
                return (batches, batches == nil ? [] : exchange(&state.mainStarts, with: []))
            }
            guard let batches else { return }
            isContinuing = true
            // A launch that an observer starts does not belong to the step that this thread has run.
            CurrentStep.none {
                for batch in batches {
                    for event in batch.events {
                        for observer in batch.receivers { observer(event) }
                    }
                }
            }
            for start in mainStarts { begin(start) }
            if case .launchEnded? = batches.last?.events.last?.kind { finish() }
        }
    }

    /// Moves the state machine's events to where they are told from.
    func noteEvents(_ state: inout State) {
        let events = state.machine.takeEvents()
        state.observers.add(events)
        // The end of the launch comes with the report.
        if !state.streams.receivers.isEmpty { state.streams.add(events.last?.kind == .launchEnded ? events.dropLast() : events) }
    }

    // MARK: Status

    /// The wait of every operation that has not ended.
    var status: LaunchStatus { takeStatus()() }

    /// - Returns: puts the waits of this moment into words: that asks code of the app.
    func takeStatus() -> @Sendable () -> LaunchStatus {
        let now = timekeeper.now
        let (time, pending, waits, told, inRealTime, scopes) = state.withLock { state in
            (
                // The operations of a launch may be over while its scopes continue.
                time: state.machine.phase == .over ? state.machine.endOfLaunch : now,
                pending: state.machine.pending(),
                waits: state.waits,
                told: state.machine.nodes.map(\.isToldToCancel),
                // Identifiers of those that virtual time continues without.
                inRealTime: Set(state.anomalies.lazy.filter { $0.kind == .waitedInRealTime }.compactMap(\.operation)),
                scopes: state.scopes.running
            )
        }
        // Without the lock: each scope takes its own.
        let ofScopes = scopes.map { $0.takeStatus() }
        return { [graph, scope] in
            let operations = pending.map { pending in
                let (node, id) = (pending.node, graph.id(pending.node))
                var (wait, since) = (pending.wait, pending.since)
                // Any other wait is the engine's own, which knows it better than the operation.
                if case .code = wait {
                    since = waits[node]?.since ?? since
                    wait = .code(
                        waits[node]?.what() ?? graph.eventName(node).map { "the event '\(printable($0))'" }
                            ?? (inRealTime.contains(id) ? "something that is not on the virtual clock" : nil)
                    )
                }
                return LaunchStatus.Operation(id: id, wait: wait, since: .nanoseconds(since), isToldToCancel: told[node])
            }
            return LaunchStatus(
                scenario: graph.name,
                scope: scope,
                time: .nanoseconds(time),
                operationCount: graph.count,
                operations: operations,
                scopes: ofScopes.map { $0() }
            )
        }
    }

    // MARK: Screens of slow steps, on the main actor; nothing but the end of the launch waits for them

    func show(_ node: Int, _ end: EventStorage) {
        guard let screen = graph.policy(node).slowScreen else { return }
        // Not the event's own wait, which a cancelled task ends.
        let step = SlowStep(operation: graph.id(node)) { [scheduler = virtualTime?.scheduler] in
            let _: EventResult = await waitWithoutHoldingTime(scheduler) { end.add(end.takeTicket(), .task, $0) }
        }
        let body: Takeover = { [self] in
            // The main thread may have been busy until after the step's end.
            if end.result == nil {
                // Beyond the step's own notes, so that it takes the place of none.
                let note = "took longer than \(durationText(screen.limit)): that was shown"
                state.withLock { $0.notes[node, default: []].append(note) }
                await screen.show(step)
            }
            // Tasks that it has left behind and that wait for its end.
            end.settle(.success(()))
        }
        show(.screen(node), "the screen of \(graph.id(node))", body) { state in
            state.screens[node] = nil
            state.machine.screenWent(node)
        }
    }

    // MARK: The end of the launch proper, with its milestone, and of all of it

    /// Ends the launch, and tells those who wait for that; only the first call does so.
    ///
    /// - Parameter defersAppCode: as for ``input(defersAppCode:_:)``.
    func finish(defersAppCode: Bool = false) {
        // Before the lock: these are behind other locks.
        let anomalies = anomaliesOutside
        // The last operation may have ended before the timer has rung.
        let unnoticed = systemTime?.unnoticedStandstill ?? 0
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
            return makeRecord(&state, anomalies)
        }
        guard let record else {
            // The launch proper has ended. Scopes continue, but not past the deadline.
            limitScopes()
            return tellMilestoneWaiters()
        }
        // Before the report and the ends of streams are given out: the app may then start its next launch, with the
        // operations that have not run. Observers are told before this: afterwards the journal may be another launch's.
        claim.giveBack()
        let held = Locked<HeldObjects?>(HeldObjects(made: runner.launchIsOver(record.nodes, timekeeper)))
        admission.end(record.outcome())
        let (waiters, milestoneWaiters, isAppCode, endsStreams) = state.withLock { state in
            state.record = record
            let isAppCode = held.withLock { held in
                held?.take(from: &state)
                return held?.isEmpty == false
            }
            return (exchange(&state.waiters, with: []), exchange(&state.milestoneWaiters, with: []), isAppCode, endStreams(&state))
        }
        timekeeper.end()
        _ = link.withLock { $0.take() }
        if let alarm = state.withLock({ $0.threads.alarm }) { _ = Alarms.shared.remove(alarm) }
        let launch = FinishedLaunch(self, record)
        for waiter in milestoneWaiters { waiter(record) }
        for waiter in waiters { waiter(launch) }
        // After the report: the executor of a reader must not hold it up.
        if endsStreams { tellStreams() }
        // Last, since the handler is code of the app, and so are the deinitialisers of the objects that operations
        // held. The caller's task-local values are released there too, never on the timer's queue.
        guard isAppCode || defersAppCode else { return caller.end() }
        callApp { [caller] in
            // Taken out: this thread is the last that holds them.
            let held = held.withLock { $0.take() }
            for step in held?.queued ?? [] { step.drop() }
            held?.completion?(launch)
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
        // Where nothing runs on, the end of the launch tells them.
        let told = state.withLock { state in
            state.milestoneRecord.map { (record: $0, waiters: exchange(&state.milestoneWaiters, with: [])) }
        }
        if let told { for waiter in told.waiters { waiter(told.record) } }
    }

    func makeRecord(_ state: inout State, _ anomalies: [Anomaly]) -> RunRecord {
        RunRecord(
            &state,
            facts,
            suspended: systemTime?.suspension ?? 0,
            processorTime: processorTimeBefore.map { ProcessorTime.ofProcess - $0 },
            anomalies: anomalies
        )
    }

    /// Has the operation that ended the launch before its milestone say what the graph has to tell then; no operation
    /// cancels a launch, so there the milestone says it.
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
}

/// Objects of the app that a launch still holds when it ends, and the handler of its end.
private struct HeldObjects {
    /// Operations that steps have made.
    let made: [Operation]
    var completion: (@Sendable (FinishedLaunch) -> Void)?
    var handles: [Int: any Cancellable] = [:]
    var waits: [Int: ToldWait] = [:]
    var queued: [QueuedStep] = []

    var isEmpty: Bool { completion == nil && handles.isEmpty && waits.isEmpty && queued.isEmpty && made.isEmpty }

    mutating func take(from state: inout LaunchStorage.State) {
        (completion, handles, waits, queued) = (state.completion, state.handles, state.waits, state.queued.removeWaiting())
        (state.completion, state.handles, state.waits) = (nil, [:], [:])
    }
}

/// Events that have not been told yet, and those who are to be told of them: observers, or streams.
///
/// Events are noted under the launch's lock and told without it, by one thread at a time, so that everyone sees them in
/// order and nobody can hold the launch up.
struct Outbox<Receiver: Sendable>: Sendable {
    var receivers: [Receiver] = []
    private var pending: [(events: [LaunchEvent], receivers: [Receiver])] = []
    private var isDelivering = false

    init(_ receivers: [Receiver] = []) { self.receivers = receivers }

    /// Adds events for the present receivers: a receiver that is added later has these events in its past.
    mutating func add(_ events: [LaunchEvent]) {
        if !events.isEmpty { pending.append((events, receivers)) }
    }

    /// The events to tell now; nil if all have been told, or if another thread is telling.
    mutating func next(continuing: Bool) -> [(events: [LaunchEvent], receivers: [Receiver])]? {
        if isDelivering && !continuing { return nil }
        // Under the launch's lock: an event that is added after this finds nobody telling, and its own thread tells it.
        isDelivering = !pending.isEmpty
        return isDelivering ? exchange(&pending, with: []) : nil
    }
}

/// A step of the main thread whose start is being told to the observers. It begins once: when they know, or when that
/// takes too long.
final class MainStart: Sendable {
    let assignment: StepAssignment
    private let isTaken = Locked(false)

    init(_ assignment: StepAssignment) { self.assignment = assignment }

    var hasBegun: Bool { isTaken.withLock { $0 } }

    /// - Returns: whether the caller is to begin the step.
    func take() -> Bool { !isTaken.withLock { exchange(&$0, with: true) } }
}
