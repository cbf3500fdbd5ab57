import Sequencer

/// The name of a condition of a gate.
public struct ConditionName: NamedValue, Sendable, Hashable, ExpressibleByStringLiteral {
    package let name: String

    /// A name.
    init(_ name: String) { self.name = name }
    /// A name.
    public init(stringLiteral name: String) { self.name = name }
}

/// Something that has to be the case before a gate opens, and who is to see to it.
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
    let isMet: Bool
    /// The source that set it last, or the reason for its bypass; nil as long as the default stands.
    let source: String?
    /// How long it has been like this.
    let age: Duration
    /// Whether the stream of values that fed it has ended: nothing more will come from there.
    let hasSourceEnded: Bool

    /// `configuration (set by fetch-config, unmet for 2.1 s: the first screen depends on it)`.
    var description: String {
        let standing = isMet ? "met\(source.map { " by \($0)" } ?? " by default")" : "unmet for \(durationText(age))"
        let ended = hasSourceEnded && !isMet ? "; what it was fed by has ended" : ""
        return "\(condition.name) (set by \(condition.setBy), \(standing): \(condition.reason)\(ended))"
    }
}

/// A gate did not open in time.
package struct GateClosedError: DescribedError, Sendable, Hashable {
    /// The gate.
    let gate: String
    /// How long was waited for it.
    let waited: Duration
    /// The conditions that are not met, each with its setter and the time it has been unmet.
    let unmet: [ConditionStatus]

    /// One sentence.
    package var description: String {
        "\(gate) did not open within \(durationText(waited)); waiting for: \(unmet.map(\.description).joined(separator: ", "))"
    }
}

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
        // A gate without conditions, or with all of them met, is open from the begin.
        _ = evaluate(at: .zero)
    }

    mutating func set(_ name: ConditionName, to isMet: Bool, by source: String?, at now: Duration) -> Change {
        guard let position = positions[name] else { return unknown(name) }
        if isOpen { return .tooLate }
        if entries[position].isBypassed { return .bypassed }
        let changes = entries[position].isMet != isMet
        // The age counts from the last change, not from the last time that somebody said the same.
        if changes { entries[position].since = now }
        // After the age: the source of an unchanged condition is told, too.
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
                // Times are taken before the lock: this one may be older than the change.
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
            // So that a second try to choose the first screen finds it unmet.
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
