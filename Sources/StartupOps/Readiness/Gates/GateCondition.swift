import Sequencer

/// What a condition of a gate is called.
public struct ConditionName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let description: String

    /// A name.
    public init(_ name: String) { description = name }
    /// A name.
    public init(stringLiteral name: String) { description = name }
}

/// Something that has to be the case before a gate opens, and who is to see to it.
public struct GateCondition: Sendable, Hashable {
    /// What it is called.
    public let name: ConditionName
    /// Who should meet it: the operation, the screen or the object that a person has to look at when nothing happens.
    public let setBy: String
    /// Why the gate waits for it.
    public let reason: String
    /// Whether it is met as long as nobody says otherwise.
    public let isMetByDefault: Bool

    /// A condition.
    public init(_ name: ConditionName, setBy: String, because reason: String, isMetByDefault: Bool = false) {
        self.name = name
        self.setBy = setBy
        self.reason = reason
        self.isMetByDefault = isMetByDefault
    }
}

/// Where a condition of a gate stands.
public struct ConditionStatus: Sendable, Hashable, CustomStringConvertible {
    /// The condition.
    public let condition: GateCondition
    /// Whether the gate may open as far as this condition goes: it is met, or it is bypassed.
    public let isMet: Bool
    /// What it was last set by, or why it is bypassed; nil as long as the default stands.
    public let source: String?
    /// How long it has been like this.
    public let age: Duration
    /// Whether the stream of values that fed it has ended: nothing more will come from there.
    public let hasSourceEnded: Bool

    /// `configuration (set by fetch-config, unmet for 2.1 s: the first screen depends on it)`.
    public var description: String {
        let standing = isMet ? "met\(source.map { " by \($0)" } ?? " by default")" : "unmet for \(durationText(age))"
        let ended = hasSourceEnded && !isMet ? "; what it was fed by has ended" : ""
        return "\(condition.name) (set by \(condition.setBy), \(standing): \(condition.reason)\(ended))"
    }
}
