/// What was measured of one engine on one graph.
struct Sample: Sendable, Codable {
    /// The family's name: `chain`, ..., or the scenario's.
    var shape: String
    var operations: Int
    /// How the bodies were written.
    var work: String
    var engine: String
    /// Build and run, by operation: the median over rounds.
    var nsPerOperation: Double
    /// From the begin of building to the first body's first instruction: the median.
    var firstOperationNs: Double
    /// The most resident memory of the process while it ran.
    var peakRSSBytes: Int
    /// How many runs the median is over.
    var runs: Int
}
