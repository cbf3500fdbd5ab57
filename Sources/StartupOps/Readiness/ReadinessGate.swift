import Sequencer
import StartupNetworking

/// Opens, once and for good, when every one of its conditions is met, in any order.
///
/// Conditions can be met and unmet from any thread; each time the gate looks at all of them. An open gate never closes,
/// so the work behind it happens exactly once. While it is closed, ``diagnosis`` names the conditions that are not met,
/// and who should meet them.
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

    /// Decides when the gate opens. Points in time are durations since it was made.
    private struct State {
        var conditions: [ConditionStatus] = []
        var openedAt: Duration?
        /// Complaints about the first conditions that the gate does not have, each once: callers may be in a loop.
        var unknown: [String] = []

        init(_ conditions: [GateCondition]) {
            for condition in conditions where index(of: condition.name) == nil {
                self.conditions.append(ConditionStatus(condition: condition, isMet: condition.isMetByDefault))
            }
            _ = opens(at: .zero)
        }

        func index(of name: ConditionName) -> Int? { conditions.firstIndex { $0.condition.name == name } }

        mutating func set(_ name: ConditionName, to isMet: Bool, by source: String?, bypasses: Bool, at now: Duration) -> Change {
            guard let index = index(of: name) else {
                let hint = nearestName(to: name.name, in: conditions.map(\.condition.name.name)).map { ", did you mean \($0)?" } ?? ""
                let complaint = "it has no condition \(printable(name.name, limit: 80))\(hint)"
                if unknown.count < 8, !unknown.contains(complaint) { unknown.append(complaint) }
                return .unknown
            }
            if openedAt != nil { return .tooLate }
            if conditions[index].isBypassed { return .bypassed }
            let changes = conditions[index].isMet != isMet
            // The age counts from the last change, not from the last time that somebody said the same.
            if changes { conditions[index].since = now }
            (conditions[index].isMet, conditions[index].isBypassed) = (isMet, bypasses)
            conditions[index].source = source ?? conditions[index].source
            return opens(at: now) ? .opened : changes ? .made : .same
        }

        private mutating func opens(at now: Duration) -> Bool {
            guard conditions.allSatisfy(\.isMet) else { return false }
            openedAt = now
            return true
        }
    }

    /// The name.
    let name: String
    /// Comes when the gate opens. The gate alone fulfils it, so it stays in here.
    let opened: ExternalEvent<Void>
    private let state: Locked<State>
    private let elapsed: @Sendable () -> Duration

    /// A gate that waits for `conditions`; of several with one name the first counts.
    ///
    /// - Parameter elapsed: the time since the gate was made; nil for that of the machine while it is awake.
    public init(_ name: String, _ conditions: [GateCondition], elapsed: (@Sendable () -> Duration)? = nil) {
        self.name = name
        let state = State(conditions)
        opened = ExternalEvent<Void>(name)
        // Before anybody can ask: an open gate never lets anyone wait.
        if state.openedAt != nil { opened.fulfill() }
        self.state = Locked(state)
        // Suspending, as a launch counts: a condition is not older for a sleep of the machine.
        let start = SuspendingClock().now
        self.elapsed = elapsed ?? { SuspendingClock().now - start }
    }

    /// Whether it has opened.
    public var isOpen: Bool { state.withLock { $0.openedAt != nil } }

    /// Where each condition stands, in the order in which they were given.
    var conditions: [ConditionStatus] {
        let now = elapsed()
        // Times are taken before the lock: this one may be older than the change.
        return state.withLock { $0.conditions }.map { status in
            var status = status
            status.age = max(now - status.since, .zero)
            return status
        }
    }

    /// The conditions that are not met, each with its setter and its time, or the time when it opened; and then those
    /// that are met, each with its setter, and with the time and the source, unless they are met by default.
    ///
    /// > first-screen is waiting for: configuration (set by fetch-config, unmet for 2.1 s: the first screen depends on
    /// > it); met: flags (set by fetch-flags, after 310 ms by the service), video (set by splash, by default)
    public var diagnosis: String {
        let (openedAt, unknown) = state.withLock { ($0.openedAt, $0.unknown) }
        let standing = openedAt.map { "opened after \(durationText($0))" } ?? "is waiting for: \(Self.text(unmet))"
        let met = Self.text(conditions.filter(\.isMet))
        return "\(name) \(standing)\(met.isEmpty ? "" : "; met: \(met)")" + unknown.map { "; \($0)" }.joined()
    }

    private var unmet: [ConditionStatus] { conditions.filter { !$0.isMet } }

    fileprivate static func text(_ unmet: [ConditionStatus]) -> String { unmet.map(\.description).joined(separator: ", ") }

    /// Meets a condition.
    ///
    /// - Parameter source: where it comes from, for the diagnosis: "the cache".
    @discardableResult
    public func meet(_ condition: ConditionName, by source: String? = nil) -> Change { set(condition, to: true, by: source) }

    /// Meets a condition or takes that back; once the gate is open, neither changes anything.
    @discardableResult
    public func set(_ condition: ConditionName, to isMet: Bool, by source: String? = nil) -> Change {
        change(condition, to: isMet, by: source, bypasses: false)
    }

    /// Lets a condition count as met from now on; later changes have no effect.
    ///
    /// - Parameter reason: why nobody has to wait for it: "the person is logged in".
    @discardableResult
    func bypass(_ condition: ConditionName, because reason: String) -> Change {
        change(condition, to: true, by: "a bypass, for \(reason)", bypasses: true)
    }

    /// Bypasses those of the conditions that are still unmet. The steps that should meet them have ended: they failed,
    /// or were cut off, left out or replaced by the app's own.
    ///
    /// - Returns: the conditions that were bypassed.
    func bypassUnmet(_ ended: [ConditionName]) -> [ConditionName] {
        let unmet = Set(unmet.map(\.condition.name))
        // Only those that are unmet: a bypass would otherwise take the place of the true source.
        return ended.filter { unmet.contains($0) && bypass($0, because: "its step has ended without it") != .tooLate }
    }

    private func change(_ condition: ConditionName, to isMet: Bool, by source: String?, bypasses: Bool) -> Change {
        let now = elapsed()
        let change = state.withLock { $0.set(condition, to: isMet, by: source, bypasses: bypasses, at: now) }
        // Outside the lock: waiting code may continue here.
        if change == .opened { opened.fulfill() }
        return change
    }

    /// Calls `body` exactly once: when the gate opens, on the thread that opens it; at once when it is open already.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        opened.whenSettled(.atOnce) { result in if case .success = result { body() } }
    }

    /// Returns when the gate is open. The deadline passes in real time, also in a launch in virtual time.
    ///
    /// - Throws: an error that names the conditions that are not met when it is not open by the deadline;
    ///     `CancellationError` when the task is cancelled.
    public func wait(by deadline: Deadline = .never) async throws {
        if isOpen { return }
        let begin = elapsed()
        let opens = OneShot<Bool>()
        whenOpen { opens.give(.success(true)) }
        let timer = DeadlineTimer(deadline) { opens.give(.success(false)) }
        defer { timer?.cancel() }
        if try await opens.value { return }
        throw GateClosedError(gate: name, waited: elapsed() - begin, unmet: unmet)
    }

    /// Returns when the gate is open; `limit` passes by the clock of the launch that `step` belongs to. The launch's
    /// status names the conditions that are not met.
    ///
    /// - Throws: an error that names the conditions that are not met when it is not open within `limit`;
    ///     `CancellationError` when the step is cancelled.
    func wait(for limit: Duration, in step: StepContext) async throws {
        if isOpen { return }
        let (opens, end) = AsyncStream.makeStream(of: Never.self)
        whenOpen { end.finish() }
        await step.waiting(for: "\(self.name): \(Self.text(self.unmet))") { await step.wait(atMost: limit, for: opens) }
        try step.checkCancellation()
        if !isOpen { throw GateClosedError(gate: name, waited: limit, unmet: unmet) }
    }

    /// Lets a stream of values say whether a condition is met, until the gate is open, the condition is bypassed or the
    /// stream ends.
    ///
    /// ```swift
    /// gate.follow("authorised", authorisationStatuses) { $0 != .notDetermined }
    /// ```
    ///
    /// The gate is not kept alive by it. A stream that ends, or fails, while the condition is unmet is named in
    /// ``diagnosis``.
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
    ) -> Task<Void, Never> where Values.Element: Sendable {
        Task { [weak self] in
            var iterator = values.makeAsyncIterator()
            while let value = try? await iterator.next() {
                guard let self else { return }
                guard let isMet = isMet(value) else { continue }
                // After any other change, nothing that comes later could change anything.
                guard [.made, .same].contains(set(condition, to: isMet, by: source)) else { return }
            }
            if Task.isCancelled { return }
            self?.state.withLock { state in state.index(of: condition).map { state.conditions[$0].hasSourceEnded = true } }
        }
    }
}

extension OperationGraph {
    /// Adds a step that waits for a gate: it ends when the gate opens, on no lane and no thread, and at once where that
    /// is open already.
    ///
    /// ```swift
    /// let gate = graph.wait(for: checkout, .timeout(.seconds(2)), .onFailure(.continue))
    /// graph.add("first-screen", after: gate, on: .main) { await screen.showFirst() }
    /// ```
    ///
    /// It is a step as any other that waits for an event: see `OperationGraph.wait(for:id:_:after:fallback:)`. Only the
    /// gate can end it early. An `.essential` step that waits for it also needs the steps that set its conditions, by
    /// ``GateCondition``'s `setBy`.
    ///
    /// - Parameter id: the step's identifier; the gate's name if nil.
    @discardableResult
    public mutating func wait(
        for gate: ReadinessGate,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...
    ) -> Step<Void> {
        let step = wait(for: gate.opened, id: id, .all(options), .eventSources(gate.conditions.map(\.condition.setBy)))
        for dependency in dependencies { addDependency(dependency, to: step) }
        return step
    }
}

/// The name of a condition of a gate.
public struct ConditionName: NamedValue, Sendable, Hashable, ExpressibleByStringLiteral {
    package let name: String

    /// A name.
    public init(stringLiteral name: String) { self.name = name }

    /// To the byte.
    public static func == (one: ConditionName, other: ConditionName) -> Bool { areSame(one.name, other.name) }
}

/// A condition of a gate, and the part of the app that meets it.
public struct GateCondition: Sendable, Hashable {
    /// The name.
    let name: ConditionName
    /// The operation, the screen or the object that should meet it: the place to look at when nothing happens.
    let setBy: String
    /// Why the gate waits for it.
    let reason: String
    /// Whether it is met as long as nobody says otherwise.
    let isMetByDefault: Bool

    /// A condition.
    public init(_ name: ConditionName, setBy: String, because reason: String, isMetByDefault: Bool = false) {
        self.name = name
        self.setBy = setBy
        self.reason = reason
        self.isMetByDefault = isMetByDefault
    }
}

/// Where a condition of a gate stands.
struct ConditionStatus: Sendable, Hashable, CustomStringConvertible {
    /// The condition.
    let condition: GateCondition
    /// Whether the gate may open as far as this condition goes: it is met, or it is bypassed.
    var isMet: Bool
    /// Whether later changes have no effect.
    var isBypassed = false
    /// The source that set it last, or the reason for its bypass; nil as long as the default stands.
    var source: String?
    /// When it changed last.
    var since = Duration.zero
    /// How long it has been like this, when somebody asked.
    var age = Duration.zero
    /// Whether the stream of values that fed it has ended: nothing more will come from there.
    var hasSourceEnded = false

    /// `configuration (set by fetch-config, unmet for 2.1 s: the first screen depends on it)`, and when it is met
    /// `configuration (set by fetch-config, after 310 ms by the cache)`, or `(set by fetch-config, by default)`.
    var description: String { "\(condition.name) (set by \(condition.setBy), \(standing))" }

    private var standing: String {
        let ended = hasSourceEnded ? "; what it was fed by has ended" : ""
        if !isMet { return "unmet for \(durationText(age)): \(condition.reason)\(ended)" }
        // Whoever meets it once more changes nothing.
        if condition.isMetByDefault, since == .zero { return "by default" }
        return "after \(durationText(since))\(source.map { " by \($0)" } ?? "")"
    }
}

/// A gate did not open in time.
struct GateClosedError: DescribedError, Sendable, Hashable {
    /// The gate.
    let gate: String
    /// How long was waited for it.
    let waited: Duration
    /// The conditions that are not met, each with its setter and the time it has been unmet.
    let unmet: [ConditionStatus]

    /// The message, in one sentence.
    var description: String { "\(gate) did not open within \(durationText(waited)); waiting for: \(ReadinessGate.text(unmet))" }
}
