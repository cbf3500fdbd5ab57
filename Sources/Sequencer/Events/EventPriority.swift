import Dispatch

/// When the blocks of an event are called.
public enum EventPriority: Sendable {
    /// On the thread that settles the event, before that call returns; on the main thread, at its next turn, before the
    /// others.
    ///
    /// The block delays the code that settles the event. If that code is a block itself, this one is called after
    /// it, and before the call that has led to both returns.
    case atOnce
    /// At the next turn of the main thread, in the order in which the blocks were added; elsewhere, as soon as there is
    /// a thread, in any order.
    case soon
    /// Called one at a time, each when the main thread has been idle for a moment, such as at ``IdleTime/main``.
    case whenIdle(IdleTime)

    var rank: EventStorage.Rank {
        switch self {
        case .atOnce: .atOnce
        case .soon: .soon
        case .whenIdle: .whenIdle
        }
    }

    func call(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .atOnce: body()
        // On the pool of the system: no launch waits for a block, and none lends it a thread.
        case .soon: DispatchQueue.global(qos: .userInitiated).async { body() }
        case .whenIdle(let idle): idle.add { body() }
        }
    }

    func callOnMain(_ body: @escaping @MainActor @Sendable () -> Void) {
        switch self {
        // Detached: the block does not belong to the step or the task that has settled the event.
        case .atOnce, .soon: Task.detached(priority: .userInitiated) { @MainActor in body() }
        case .whenIdle(let idle): idle.add { await body() }
        }
    }
}
