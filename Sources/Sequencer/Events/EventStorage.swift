/// The value of an event, or the reason of its failure.
typealias EventResult = Result<any Sendable, any Error>

/// An event of any type: decides under its lock which waits are told, releases the lock, then tells them.
@usableFromInline
final class EventStorage: Sendable {
    /// The order in which waiters are told.
    enum Rank: UInt8, Sendable {
        case launch, task, atOnce, soon, whenIdle

        /// Whether the waiter is a block of the app.
        var isBlock: Bool { rawValue > Rank.task.rawValue }
    }

    private typealias Waiter = (rank: Rank, tell: @Sendable (EventResult) -> Void)

    private struct State: Sendable, ~Copyable {
        /// Nil until the event has happened or failed: the first result stays.
        var result: EventResult?
        // By ticket: a wait that is cancelled is taken out without a search. They are sorted once, when the event is
        // settled.
        var waiters: [Int: Waiter] = [:]
        var tickets = 0
    }

    let name: String
    private let state = Locked(State())

    init(_ name: String) { self.name = name }

    /// Nobody can bring the event about any more. Tasks and launches that wait hold it, so only blocks are left.
    deinit { settle(.failure(ExternalEventError(name, "cannot come: nobody holds it any more"))) }

    var result: EventResult? { state.withLock { $0.result } }

    /// - Parameter callBlocks: calls its argument, which calls the blocks of the app, now or later; launches and tasks
    ///     hear of it now.
    /// - Returns: whether this decided: false where there was a result before.
    @discardableResult
    func settle(_ result: EventResult, callBlocks: (@escaping @Sendable () -> Void) -> Void = { $0() }) -> Bool {
        // Blocks in a box, which is emptied in their turn: one may hold the next event, whose blocks are told when it
        // is freed, and so on.
        let told = state.withLock { state -> (engine: [Waiter], blocks: Locked<[Waiter]>)? in
            if state.result != nil { return nil }
            state.result = result
            // Tickets rise: of one rank, the first that came is told first.
            let waiters = exchange(&state.waiters, with: [:])
                .inOrder { ($0.value.rank.rawValue, $0.key) < ($1.value.rank.rawValue, $1.key) }.map(\.value)
            return (waiters.filter { !$0.rank.isBlock }, Locked(waiters.filter(\.rank.isBlock)))
        }
        guard let told else { return false }
        for waiter in told.engine { waiter.tell(result) }
        let blocks = told.blocks
        if blocks.withLock({ $0.isEmpty }) { return true }
        callBlocks {
            EventTurns.blocks.run {
                let taken = blocks.withLock { exchange(&$0, with: []) }
                for block in taken { block.tell(result) }
            }
        }
        return true
    }

    /// A number for a new waiter: a wait can be cancelled before it begins, and has its number by then.
    func takeTicket() -> Int {
        state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
    }

    /// Calls `tell` once: at once where there is a result already, or after the block that calls this.
    func add(_ ticket: Int, _ rank: Rank, _ tell: @escaping @Sendable (EventResult) -> Void) {
        let known = state.withLock { state in
            if state.result == nil { state.waiters[ticket] = (rank, tell) }
            return state.result
        }
        guard let result = known else { return }
        if rank.isBlock { EventTurns.blocks.run { tell(result) } } else { tell(result) }
    }

    func isWaiting(_ ticket: Int) -> Bool { state.withLock { $0.waiters[ticket] != nil } }

    /// Forgets the waiter of that ticket. Its memory is freed without the lock.
    func remove(_ ticket: Int) { _ = state.withLock { $0.waiters.removeValue(forKey: ticket) } }

    /// Tells the waiter of that ticket that there is nothing to wait for any more.
    func giveUp(_ ticket: Int, _ error: any Error) {
        state.withLock { $0.waiters.removeValue(forKey: ticket) }?.tell(.failure(error))
    }

    /// Waits for the event, in the current task. In a step on a virtual clock, time moves meanwhile.
    nonisolated(nonsending) func value() async throws -> any Sendable {
        if let result { return try result.get() }
        let scheduler = TimeHolder.current?.scheduler
        let wait = EventWait(self, on: scheduler)
        let ended: EventResult = await withTaskCancellationHandler {
            await waitWithoutHoldingTime(scheduler) { tell in
                wait.begin(.task, tell)
                // A cancellation may arrive before there was anybody to tell.
                if Task.isCancelled { wait.end(CancellationError()) }
            }
        } onCancel: {
            wait.end(CancellationError())
        }
        return try ended.get()
    }
}

/// A wait for an event: of a step of a launch, or of a task.
struct EventWait: Sendable {
    private let event: EventStorage
    private let ticket: Int
    /// The virtual clock that the wait goes by, and the number of the wait there.
    private let scheduler: VirtualScheduler?
    private let number: Int

    init(_ event: EventStorage, on scheduler: VirtualScheduler?) {
        self.event = event
        self.scheduler = scheduler
        ticket = event.takeTicket()
        number = scheduler?.takeWaitNumber() ?? 0
    }

    /// Calls `tell` once, unless ``cancel()`` comes first.
    func begin(_ rank: EventStorage.Rank, _ tell: @escaping @Sendable (EventResult) -> Void) {
        event.add(ticket, rank) { [scheduler, number] result in
            scheduler?.endWait(number)
            tell(result)
        }
        guard let scheduler else { return }
        // After the waiter: a wait that is given up at once has to find somebody to tell.
        scheduler.beginWait(number) { [event, ticket] in
            let reason = "cannot come: nothing is left on the virtual clock that could fulfil it"
            event.giveUp(ticket, ExternalEventError(event.name, reason))
        }
        // The event may have happened meanwhile.
        if !event.isWaiting(ticket) { scheduler.endWait(number) }
    }

    /// Ends the wait, and tells nobody.
    func cancel() {
        scheduler?.endWait(number)
        event.remove(ticket)
    }

    /// Ends the wait for this reason.
    func end(_ error: any Error) { event.giveUp(ticket, error) }
}

/// An event that a step brings about with its end.
struct PromisedEvent: Sendable {
    /// The step has left no value.
    struct Broken: Error {
        let ending: String
    }

    let storage: EventStorage
    /// The type of its value.
    let type: any Sendable.Type

    /// - Parameters:
    ///   - id: the step's identifier.
    ///   - callBlocks: calls its argument, which calls the blocks of the app.
    func settle(_ result: EventResult, by id: String, callBlocks: (@escaping @Sendable () -> Void) -> Void) {
        if case .failure(let error as Broken) = result {
            let failure = ExternalEventError.failed(storage.name, "\(printable(id)) \(error.ending)")
            storage.settle(.failure(failure), callBlocks: callBlocks)
        } else {
            storage.settle(result, callBlocks: callBlocks)
        }
    }
}
