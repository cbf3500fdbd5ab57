import Sequencer

/// A gate did not open in time.
public struct GateClosedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The gate.
    public let gate: String
    /// How long was waited for it.
    public let waited: Duration
    /// What it still waits for: each with who should have seen to it, and for how long it has been unmet.
    public let unmet: [ConditionStatus]

    /// One sentence.
    public var description: String {
        "\(gate) did not open within \(durationText(waited)); waiting for: \(unmet.map(\.description).joined(separator: ", "))"
    }
}
