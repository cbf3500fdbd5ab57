/// All that was asked for, one part after the other.
@MainActor
struct Measurement {
    let options: BenchOptions
    let progress: ProgressLine

    func result() async throws -> BenchResult {
        var result = BenchResult(machine: .current)
        for section in options.sections {
            if section == .contest { result.contest = try LaunchContest(options: options, progress: progress).rows() }
            result.samples += try await samples(section)
            result.metrics += try await metrics(section)
        }
        progress.clear()
        result.metrics += Metric.metrics(of: result.samples) + Metric.metrics(of: result.contest)
        return result
    }

    private func samples(_ section: Section) async throws -> [Sample] {
        switch section {
        case .graphs: try await GraphMeasurements(options: options, progress: progress).samples()
        case .bodies: try await GraphMeasurements(options: options, progress: progress).bodySamples()
        default: []
        }
    }

    private func metrics(_ section: Section) async throws -> [Metric] {
        switch section {
        case .contest, .graphs, .bodies: []
        case .latency: try await StartLatency(options: options, progress: progress).metrics()
        case .launches: try await RealLaunches(options: options, progress: progress).metrics()
        case .blocking: try await BlockingSteps(options: options, progress: progress).metrics()
        case .work: try await ProcessorWork(options: options, progress: progress).metrics()
        case .cancellation: try await CancellationTimes(options: options, progress: progress).metrics()
        case .memory: try await MemoryUse(options: options, progress: progress).metrics()
        case .idle: try await IdleTime(options: options, progress: progress).metrics()
        case .commandLine: try CommandLineStart(options: options, progress: progress).metrics()
        }
    }
}
