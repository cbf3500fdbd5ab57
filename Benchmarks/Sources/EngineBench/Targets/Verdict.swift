/// Whether a target was met.
struct Verdict: Sendable {
    let target: Target
    /// Nil when it was not measured.
    let metric: Metric?

    /// `PASS`, `MISS`, `BUSY` when the machine was too busy to tell, or `-` for what was not measured.
    var word: String {
        guard let metric else { return "-" }
        if metric.isDoubtful { return "BUSY" }
        return metric.value <= target.limit ? "PASS" : "MISS"
    }

    /// One for each target.
    static func all(_ metrics: [Metric]) -> [Verdict] {
        let byKey = Dictionary(metrics.map { ($0.key, $0) }) { _, last in last }
        return Target.all.map { Verdict(target: $0, metric: byKey[$0.metric]) }
    }
}
