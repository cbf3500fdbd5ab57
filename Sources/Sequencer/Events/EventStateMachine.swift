/// The value of an event that has come, or the reason of one that has failed.
typealias EventResult = Result<any Sendable, any Error>

/// The result and the waiters of an event: decides, and calls nobody.
struct EventStateMachine: Sendable {
    /// The order in which waiters are told.
    enum Rank: UInt8, Sendable {
        case launch, task, atOnce, soon, whenIdle

        /// Whether the waiter is a block of the app.
        var isBlock: Bool { rawValue > Rank.task.rawValue }
    }

    struct Waiter: Sendable {
        let rank: Rank
        let tell: @Sendable (EventResult) -> Void
    }

    /// Nil until the event has come, or failed.
    private(set) var result: EventResult?
    // By ticket: a wait that is cancelled is taken out without a search. They are sorted once, when the event is
    // settled.
    private var waiters: [Int: Waiter] = [:]
    private var tickets = 0

    /// A number for a new waiter.
    mutating func takeTicket() -> Int {
        // Apart from `add`: a wait can be cancelled before it begins, and has its number by then.
        tickets += 1
        return tickets
    }

    /// - Returns: the result where there is one already: then the waiter is not kept.
    mutating func add(_ waiter: Waiter, ticket: Int) -> EventResult? {
        if result == nil { waiters[ticket] = waiter }
        return result
    }

    /// - Returns: the waiter; nil for one that has been told, or does not wait yet.
    mutating func remove(ticket: Int) -> Waiter? { waiters.removeValue(forKey: ticket) }

    func isWaiting(ticket: Int) -> Bool { waiters[ticket] != nil }

    /// The first result stays.
    ///
    /// - Returns: those to be told, in order; nil where there was a result before.
    mutating func settle(_ result: EventResult) -> [Waiter]? {
        guard self.result == nil else { return nil }
        self.result = result
        defer { waiters = [:] }
        // Tickets rise: of one rank, the first that came is told first.
        return waiters.sorted { ($0.value.rank.rawValue, $0.key) < ($1.value.rank.rawValue, $1.key) }.map(\.value)
    }
}
