import Sequencer

/// Decides when a gate opens. Points in time are durations since the gate was made.
struct GateStateMachine {
    enum Change: Equatable {
        /// It opens now, for the first and only time.
        case opens
        case changes
        /// It was like that before.
        case same
        /// The gate is open already: nothing changes any more.
        case tooLate
        case bypassed
        case unknown(nearest: String?)
    }

    private struct Entry {
        let condition: GateCondition
        var isMet: Bool
        var since = Duration.zero
        var source: String?
        var isBypassed = false
        var hasSourceEnded = false
    }

    private var entries: [Entry]
    private var positions: [ConditionName: Int] = [:]
    private let unmetOncePassed: ConditionName?
    /// The moment at which it opened.
    private(set) var openedAt: Duration?
    /// How often the conditions were looked at as a whole.
    private(set) var evaluations = 0

    var isOpen: Bool { openedAt != nil }

    /// - Parameter unmetOncePassed: the condition that ends by the gate's own opening.
    init(_ conditions: [GateCondition], unmetOncePassed: ConditionName? = nil) {
        entries = []
        self.unmetOncePassed = unmetOncePassed
        for condition in conditions where positions[condition.name] == nil {
            positions[condition.name] = entries.count
            entries.append(Entry(condition: condition, isMet: condition.isMetByDefault))
        }
        _ = evaluate(at: .zero)
    }

    mutating func set(_ name: ConditionName, to isMet: Bool, by source: String?, at now: Duration) -> Change {
        guard let position = positions[name] else { return unknown(name) }
        if isOpen { return .tooLate }
        if entries[position].isBypassed { return .bypassed }
        let changes = entries[position].isMet != isMet
        if changes { entries[position].since = now }
        entries[position].isMet = isMet
        if let source { entries[position].source = source }
        return evaluate(at: now) ? .opens : changes ? .changes : .same
    }

    mutating func bypass(_ name: ConditionName, because reason: String, at now: Duration) -> Change {
        let change = set(name, to: true, by: "a bypass, for \(reason)", at: now)
        if let position = positions[name] { entries[position].isBypassed = change != .tooLate }
        return change
    }

    mutating func sourceEnded(_ name: ConditionName) {
        if let position = positions[name] { entries[position].hasSourceEnded = true }
    }

    func statuses(at now: Duration) -> [ConditionStatus] {
        entries.map { entry in
            ConditionStatus(
                condition: entry.condition,
                isMet: entry.isMet,
                source: entry.source,
                age: max(now - entry.since, .zero),
                hasSourceEnded: entry.hasSourceEnded
            )
        }
    }

    /// - Returns: whether it opens now.
    private mutating func evaluate(at now: Duration) -> Bool {
        evaluations += 1
        guard entries.allSatisfy(\.isMet) else { return false }
        openedAt = now
        if let unmetOncePassed, let position = positions[unmetOncePassed] {
            entries[position].isMet = false
            entries[position].since = now
            entries[position].source = "the gate itself, when it opened"
        }
        return true
    }

    private func unknown(_ name: ConditionName) -> Change {
        .unknown(nearest: nearestName(to: name.description, in: entries.map(\.condition.name.description)))
    }
}
