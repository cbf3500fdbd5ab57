/// Where one embedded request stands: decides what each call of `URLSession` and each timer leads to.
///
/// A load that is stopped may be started again: `URLSession` stops a task that is suspended and starts it when it is resumed. The service is
/// asked once all the same.
struct EmbeddedLoad {
    enum Action: Equatable {
        case nothing
        /// Ask the service, then call ``answered(_:)``.
        case ask
        /// Call ``timeIsUp(_:)`` with this number after this time.
        case wait(Duration, timer: Int)
        /// Give the answer to the client.
        case deliver(EmbeddedReply)
    }

    private enum State {
        case new
        case asking
        /// Stopped before its time.
        case stopped(EmbeddedReply)
        case waiting(EmbeddedReply, timer: Int)
        /// Its time has come; it is given at the next start.
        case due(EmbeddedReply)
        case over
    }

    private var state = State.new
    private var timers = 0

    /// `URLSession` starts the load; `mayDeliver` when the task is not cancelled.
    mutating func start(mayDeliver: Bool) -> Action {
        switch state {
        case .new:
            state = .asking
            return .ask
        case .stopped(let reply): return wait(for: reply)
        case .due(let reply) where mayDeliver:
            state = .over
            return .deliver(reply)
        case .asking, .waiting, .due, .over: return .nothing
        }
    }

    /// The service has answered.
    mutating func answered(_ reply: EmbeddedReply) -> Action {
        guard case .asking = state else { return .nothing }
        return wait(for: reply)
    }

    /// A timer has fired; true when the answer has to be given now.
    mutating func timeIsUp(_ timer: Int) -> Bool {
        guard case .waiting(let reply, timer) = state else { return false }
        state = .due(reply)
        return true
    }

    /// `URLSession` stops the load: for good, or until it starts it again.
    mutating func stop() {
        if case .waiting(let reply, _) = state { state = .stopped(reply) }
    }

    private mutating func wait(for reply: EmbeddedReply) -> Action {
        timers += 1
        state = .waiting(reply, timer: timers)
        return reply.delay.map { .wait($0, timer: timers) } ?? .nothing
    }
}
