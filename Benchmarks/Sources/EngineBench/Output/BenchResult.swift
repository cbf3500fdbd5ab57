/// Everything that was measured.
struct BenchResult: Sendable {
    var machine: Machine
    var contest: [LaunchContest.Row] = []
    var samples: [Sample] = []
    var metrics: [Metric] = []

    /// One for each target.
    var verdicts: [Verdict] { Verdict.all(metrics) }
}
