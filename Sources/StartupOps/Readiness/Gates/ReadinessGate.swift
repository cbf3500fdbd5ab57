import Sequencer

/// Opens, once and for good, when every one of its conditions is met, whoever meets them and in whatever order.
///
/// Conditions can be met and unmet from any thread; each time the gate looks at all of them. Once it is open nothing closes it again, so what
/// it lets through happens exactly once. As long as it is closed, ``diagnosis`` says what it waits for and who should see to it.
///
/// ```swift
/// let gate = ReadinessGate("first-screen", [
///     GateCondition("configuration", setBy: "fetch-config", because: "the first screen depends on it"),
/// ])
/// gate.meet("configuration", by: "the cache")
/// try await gate.wait(by: launch.deadline)
/// ```
public final class ReadinessGate: Sendable {
    /// What became of a change.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        /// The change's name.
        public let description: String

        /// The gate has opened by it.
        public static let opened = Change(description: "opened")
        /// It was made, and the gate is still closed.
        public static let made = Change(description: "made")
        /// The condition was like that before.
        public static let same = Change(description: "same")
        /// The gate was open already; nothing changed.
        public static let tooLate = Change(description: "tooLate")
        /// The condition is bypassed; nothing changed.
        public static let bypassed = Change(description: "bypassed")
        /// The gate has no such condition; ``ReadinessGate/diagnosis`` names it.
        public static let unknown = Change(description: "unknown")
    }

    private enum Waiter {
        case task(CheckedContinuation<Ending, Never>)
        case handler(@Sendable () -> Void)
    }

    private enum Ending {
        case opened, timedOut, cancelled
    }

    private struct State {
        var machine: GateStateMachine
        var waiters: [Int: Waiter] = [:]
        var tickets = 0
        var unknown: [String] = []
    }

    /// What it is called.
    public let name: String
    private let state: Locked<State>
    private let elapsed: @Sendable () -> Duration

    /// A gate that waits for `conditions`; of several with one name the first counts.
    ///
    /// - Parameters:
    ///   - unmetOncePassed: a condition of these that the gate itself ends when it opens.
    ///   - elapsed: the time since the gate was made; nil for that of the machine while it is awake.
    public init(
        _ name: String,
        _ conditions: [GateCondition],
        unmetOncePassed: ConditionName? = nil,
        elapsed: (@Sendable () -> Duration)? = nil
    ) {
        self.name = name
        state = Locked(State(machine: GateStateMachine(conditions, unmetOncePassed: unmetOncePassed)))
        let start = SuspendingClock().now
        self.elapsed = elapsed ?? { SuspendingClock().now - start }
    }

    /// Whether it has opened.
    public var isOpen: Bool { state.withLock { $0.machine.isOpen } }

    /// Where each condition stands, in the order in which they were given.
    public var conditions: [ConditionStatus] {
        let now = elapsed()
        return state.withLock { $0.machine.statuses(at: now) }
    }

    /// What it waits for, by whom each is to be met and since when; or when it opened.
    public var diagnosis: String {
        let now = elapsed()
        let (openedAt, statuses, unknown) = state.withLock { ($0.machine.openedAt, $0.machine.statuses(at: now), $0.unknown) }
        let complaints = unknown.map { "; \($0)" }.joined()
        if let openedAt { return "\(name) opened after \(durationText(openedAt))\(complaints)" }
        let unmet = statuses.filter { !$0.isMet }.map(\.description)
        return "\(name) is waiting for: \(unmet.joined(separator: ", "))\(complaints)"
    }

    /// Meets a condition.
    ///
    /// - Parameter source: where it comes from, for the diagnosis: "the cache".
    @discardableResult
    public func meet(_ condition: ConditionName, by source: String? = nil) -> Change {
        set(condition, to: true, by: source)
    }

    /// Meets a condition or takes that back; once the gate is open, neither changes anything.
    @discardableResult
    public func set(_ condition: ConditionName, to isMet: Bool, by source: String? = nil) -> Change {
        let now = elapsed()
        return change(condition) { $0.set(condition, to: isMet, by: source, at: now) }
    }

    /// Lets a condition count as met from now on, whatever is said of it later.
    ///
    /// - Parameter reason: why nobody has to wait for it: "the person is logged in".
    @discardableResult
    public func bypass(_ condition: ConditionName, because reason: String) -> Change {
        let now = elapsed()
        return change(condition) { $0.bypass(condition, because: reason, at: now) }
    }

    /// Calls `body` exactly once: when the gate opens, on the thread that opens it; at once when it is open already.
    public func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if state.machine.isOpen { return true }
            state.tickets += 1
            state.waiters[state.tickets] = .handler(body)
            return false
        }
        if isOpen { body() }
    }

    /// Returns when the gate is open.
    ///
    /// - Throws: ``GateClosedError`` when it is not open by the deadline; `CancellationError` when the task is cancelled.
    public func wait(by deadline: Deadline = .never) async throws {
        let begin = elapsed()
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let timer = deadline.remaining.map { remaining in
            ReadinessTimer(after: remaining) { [weak self] in self?.end(ticket, .timedOut) }
        }
        defer { timer?.cancel() }
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if state.machine.isOpen { return true }
                    state.waiters[ticket] = .task(continuation)
                    return false
                }
                if isOpen { continuation.resume(returning: Ending.opened) }
                // A cancel, or the timer, may have come before there was anybody to tell.
                if Task.isCancelled { end(ticket, .cancelled) }
                if deadline.isOver { end(ticket, .timedOut) }
            }
        } onCancel: {
            end(ticket, .cancelled)
        }
        switch ending {
        case .opened: return
        case .cancelled: throw CancellationError()
        case .timedOut: throw GateClosedError(gate: name, waited: elapsed() - begin, unmet: conditions.filter { !$0.isMet })
        }
    }

    /// Notes that nothing more will come from what a condition was fed by.
    func sourceEnded(_ condition: ConditionName) { state.withLock { $0.machine.sourceEnded(condition) } }

    private func end(_ ticket: Int, _ ending: Ending) {
        if case .task(let waiter) = state.withLock({ $0.waiters.removeValue(forKey: ticket) }) { waiter.resume(returning: ending) }
    }

    private func change(_ condition: ConditionName, _ body: (inout GateStateMachine) -> GateStateMachine.Change) -> Change {
        let (change, waiters) = state.withLock { state in
            let change = body(&state.machine)
            if case .unknown(let nearest) = change {
                let hint = nearest.map { ", did you mean \($0)?" } ?? ""
                state.unknown.append("it has no condition \(printable(condition.description, limit: 80))\(hint)")
            }
            guard change == .opens else { return (change, [Waiter]()) }
            defer { state.waiters = [:] }
            return (change, state.waiters.sorted { $0.key < $1.key }.map(\.value))
        }
        for waiter in waiters {
            switch waiter {
            case .task(let task): task.resume(returning: .opened)
            case .handler(let body): body()
            }
        }
        switch change {
        case .opens: return .opened
        case .changes: return .made
        case .same: return .same
        case .tooLate: return .tooLate
        case .bypassed: return .bypassed
        case .unknown: return .unknown
        }
    }
}
