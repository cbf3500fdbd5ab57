import Sequencer

/// What the runs of a scenario say of it. Times are in nanoseconds.
struct BenchSummary: Sendable {
    struct Outlier: Equatable, Sendable {
        /// Counted from 1.
        let run: Int
        let time: Double
    }

    struct Operation: Equatable, Sendable {
        let id: String
        /// What it took in the completed runs in which it started.
        let sample: SortedSample
        let isCritical: Bool
    }

    let scenario: BenchedScenario
    /// The measured times of the runs that completed; nil when none did. Others end too early or too late to tell how long a launch takes.
    let sample: SortedSample?
    let interval: BootstrapInterval?
    let outliers: [Outlier]
    /// Those that started in a completed run, the longest median first.
    let operations: [Operation]

    init(_ scenario: BenchedScenario) {
        self.scenario = scenario
        let completed = scenario.runs.indices.filter { scenario.runs[$0].outcome == .completed }
        let times = completed.map { Double(scenario.runs[$0].measured.nanoseconds) }
        sample = SortedSample(times)
        interval = sample.map(BootstrapInterval.median)
        let rule = sample.map(OutlierRule.init)
        outliers = zip(completed, times).filter { rule?.isOutlier($1) == true }.map { Outlier(run: $0 + 1, time: $1) }
        operations = scenario.operations.compactMap { operation in
            SortedSample(scenario.times(of: operation)).map {
                Operation(id: operation.id, sample: $0, isCritical: operation.criticalRuns * 2 > scenario.runs.count)
            }
        }.sorted { ($0.sample.median, $1.id) > ($1.sample.median, $0.id) }
    }

    var misses: Int { scenario.runs.count { !$0.isMet } }

    /// The rate of misses that the true one is below with 95% confidence.
    var missBound: Double { BinomialBound.upper(misses: misses, trials: scenario.runs.count) }

    func count(of outcome: BenchRun.Outcome) -> Int {
        scenario.runs.count { $0.outcome == outcome }
    }
}

extension BenchedScenario {
    /// What the operation took in the completed runs in which it started, in nanoseconds, in the order of the runs.
    func times(of operation: BenchedOperation) -> [Double] {
        zip(runs, operation.durations).compactMap { run, duration in
            run.outcome == .completed ? duration.map { Double($0.nanoseconds) } : nil
        }
    }
}

extension Duration {
    /// The duration of this many nanoseconds, to the nearest; nothing where the number is none.
    static func nearest(nanoseconds: Double) -> Duration {
        .nanoseconds(Int64(exactly: nanoseconds.rounded()) ?? (nanoseconds > 0 ? .max : 0))
    }
}
