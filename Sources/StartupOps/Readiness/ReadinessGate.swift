import Sequencer
import StartupNetworking
import StartupStorage

/// Opens, once and for good, when every one of its conditions is met, in any order.
///
/// Conditions can be met and unmet from any thread; each time the gate looks at all of them. Once it is open nothing closes it again, so what
/// it lets through happens exactly once. As long as it is closed, ``diagnosis`` names the conditions that are not met, and who should meet them.
///
/// ```swift
/// let gate = ReadinessGate("first-screen", [
///     GateCondition("configuration", setBy: "fetch-config", because: "the first screen depends on it"),
/// ])
/// gate.meet("configuration", by: "the cache")
/// try await gate.wait(by: launch.deadline)
/// ```
///
/// `graph.wait(for: gate)` adds a step that does nothing but wait for it.
public final class ReadinessGate: Sendable {
    /// The result of a change.
    public enum Change: Sendable, Hashable {
        /// The gate has opened by it.
        case opened
        /// It was made, and the gate is still closed.
        case made
        /// The condition was like that before.
        case same
        /// The gate was open already; nothing changed.
        case tooLate
        /// The condition is bypassed; nothing changed.
        case bypassed
        /// The gate has no such condition; ``ReadinessGate/diagnosis`` names it.
        case unknown
    }

    private struct State {
        var machine: GateStateMachine
        var unknown: [String] = []
    }

    /// The name.
    let name: String
    /// Comes when the gate opens. The gate alone fulfils it, so it stays in here.
    let opened: ExternalEvent<Void>
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
        let machine = GateStateMachine(conditions, unmetOncePassed: unmetOncePassed)
        let opened = ExternalEvent<Void>(name)
        // Before anybody can ask: an open gate never lets anyone wait.
        if machine.isOpen { opened.fulfill() }
        self.opened = opened
        state = Locked(State(machine: machine))
        // Suspending, as a launch counts: a condition is not older for a sleep of the machine.
        let start = SuspendingClock().now
        self.elapsed = elapsed ?? { SuspendingClock().now - start }
    }

    /// Whether it has opened.
    var isOpen: Bool { state.withLock { $0.machine.isOpen } }

    /// Where each condition stands, in the order in which they were given.
    var conditions: [ConditionStatus] {
        let now = elapsed()
        return state.withLock { $0.machine.statuses(at: now) }
    }

    /// The conditions that are not met, each with its setter and its time; or the time when it opened.
    public var diagnosis: String {
        let now = elapsed()
        let (openedAt, statuses, unknown) = state.withLock { ($0.machine.openedAt, $0.machine.statuses(at: now), $0.unknown) }
        let complaints = unknown.map { "; \($0)" }.joined()
        if let openedAt { return "\(name) opened after \(durationText(openedAt))\(complaints)" }
        return "\(name) is waiting for: \(Self.unmet(statuses))\(complaints)"
    }

    private var unmet: String { Self.unmet(conditions) }

    private static func unmet(_ statuses: [ConditionStatus]) -> String {
        statuses.filter { !$0.isMet }.map(\.description).joined(separator: ", ")
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

    /// Lets a condition count as met from now on; later changes have no effect.
    ///
    /// - Parameter reason: why nobody has to wait for it: "the person is logged in".
    @discardableResult
    func bypass(_ condition: ConditionName, because reason: String) -> Change {
        let now = elapsed()
        return change(condition) { $0.bypass(condition, because: reason, at: now) }
    }

    /// Calls `body` exactly once: when the gate opens, on the thread that opens it; at once when it is open already.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        opened.whenSettled(.atOnce) { result in if case .success = result { body() } }
    }

    /// Returns when the gate is open. The deadline passes in real time, also in a launch in virtual time.
    ///
    /// - Throws: an error that names the conditions that are not met when it is not open by the deadline; `CancellationError` when the task is cancelled.
    public func wait(by deadline: Deadline = .never) async throws {
        if isOpen { return }
        let begin = elapsed()
        // Detached: the deadline is a real one, so a step in virtual time holds time still meanwhile.
        let waiter = Task.detached(priority: Task.currentPriority) { [opened] in try await opened.value }
        let timer = DeadlineTimer(deadline) { waiter.cancel() }
        defer { timer?.cancel() }
        let result = await withTaskCancellationHandler {
            await waiter.result
        } onCancel: {
            waiter.cancel()
        }
        if case .success = result { return }
        // Cancelled, not late: the two have different errors.
        try Task.checkCancellation()
        throw closedError(after: elapsed() - begin)
    }

    /// Returns when the gate is open; `limit` passes by the clock of the launch that `step` belongs to. The launch's status names the conditions that are not met.
    ///
    /// - Throws: an error that names the conditions that are not met when it is not open within `limit`; `CancellationError` when the step is cancelled.
    package func wait(for limit: Duration, in step: StepContext) async throws {
        if isOpen { return }
        let isOpen = try await step.waiting(for: "\(self.name): \(self.unmet)") {
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await self.opened.value
                    return true
                }
                group.addTask {
                    try await step.sleep(for: limit)
                    return false
                }
                // A group returns when all of its tasks have: the slower one has to be told.
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        }
        if !isOpen { throw closedError(after: limit) }
    }

    private func closedError(after waited: Duration) -> GateClosedError {
        GateClosedError(gate: name, waited: waited, unmet: conditions.filter { !$0.isMet })
    }

    /// Notes that the source of a condition has ended: no more values come from it.
    func sourceEnded(_ condition: ConditionName) { state.withLock { $0.machine.sourceEnded(condition) } }

    private func change(_ condition: ConditionName, _ body: (inout GateStateMachine) -> GateStateMachine.Change) -> Change {
        let change = state.withLock { state in
            let change = body(&state.machine)
            if case .unknown(let nearest) = change {
                let hint = nearest.map { ", did you mean \($0)?" } ?? ""
                state.unknown.append("it has no condition \(printable(condition.description, limit: 80))\(hint)")
            }
            return change
        }
        switch change {
        case .opens:
            // Outside the lock: waiting code may go on here.
            opened.fulfill()
            return .opened
        case .changes: return .made
        case .same: return .same
        case .tooLate: return .tooLate
        case .bypassed: return .bypassed
        case .unknown: return .unknown
        }
    }
}

extension OperationGraph {
    /// Adds a step that waits for a gate: it ends when the gate opens, on no lane and no thread, and at once where that is open already.
    ///
    /// ```swift
    /// let gate = graph.wait(for: checkout, .timeout(.seconds(2)), .onFailure(.continue))
    /// graph.add("first-screen", after: gate, on: .main) { await screen.showFirst() }
    /// ```
    ///
    /// It is a step as any other that waits for an event: see `OperationGraph.wait(for:id:_:after:fallback:)`. Nobody but the gate can end it early.
    ///
    /// - Parameter id: the step's identifier; the gate's name if nil.
    @discardableResult
    public mutating func wait(
        for gate: ReadinessGate,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...
    ) -> Step<Void> {
        let step = wait(for: gate.opened, id: id, .all(options))
        for dependency in dependencies { addDependency(dependency, to: step) }
        return step
    }
}

extension ReadinessGate {
    /// Lets a stream of values say whether a condition is met, until the gate is open, the condition is bypassed or the stream ends.
    ///
    /// ```swift
    /// gate.follow("authorised", authorisationStatuses) { $0 != .notDetermined }
    /// ```
    ///
    /// The gate is not kept alive by it. A stream that ends while the condition is unmet is named in ``diagnosis``.
    ///
    /// - Parameters:
    ///   - source: the name of the values' source, for the diagnosis.
    ///   - isMet: whether a value meets the condition; nil when it says nothing about it.
    /// - Returns: the task that reads the stream; cancelling it stops that.
    @discardableResult
    public func follow<Values: AsyncSequence & Sendable>(
        _ condition: ConditionName,
        _ values: Values,
        by source: String? = nil,
        isMet: @escaping @Sendable (Values.Element) -> Bool?
    ) -> Task<Void, Never> where Values.Failure == Never, Values.Element: Sendable {
        Task { [weak self] in
            for await value in values {
                guard let self else { return }
                guard let isMet = isMet(value) else { continue }
                let change = set(condition, to: isMet, by: source)
                // Nothing that comes later could change anything.
                switch change {
                case .opened, .tooLate, .bypassed, .unknown: return
                case .made, .same: break
                }
            }
            if !Task.isCancelled { self?.sourceEnded(condition) }
        }
    }
}
