import Sequencer

/// How soon a launch is over once it was cancelled, and how soon running operations are told of an abort.
@MainActor
struct CancellationTimes {
    let options: BenchOptions
    let progress: ProgressLine

    private static let pending = 10_000

    func metrics() async throws -> [Metric] {
        progress.show("cancelling 10,000 pending operations")
        var (waiting, ready): ([Double], [Double]) = ([], [])
        for _ in 0..<(options.isQuick ? 5 : 21) {
            waiting.append(try await cancellation(LaunchOptions()) { $0 == 0 ? [] : ["n0"] })
            ready.append(try await cancellation(LaunchOptions(lanes: 1)) { _ in [] })
        }
        progress.show("aborting a launch with 8 running operations")
        var aborts: [Double] = []
        for _ in 0..<(options.isQuick ? 50 : 300) { aborts.append(try await abort()) }
        let (worst, what) =
            waiting.median > ready.median ? (waiting.median, "waiting for one that runs") : (ready.median, "ready, without a lane")
        return [
            Metric("cancel/10000", worst, "\(what), median of \(waiting.count)"),
            Metric("abort", aborts.median, "the last of 8 to be told, median of \(aborts.count)"),
        ]
    }

    /// From `cancel()` until `end()` has returned, with one operation that runs and ends when it is told to, and 9,999 that have not begun.
    private func cancellation(_ options: LaunchOptions, after dependencies: (Int) -> [String]) async throws -> Double {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        var graph = OperationGraph("pending")
        graph.reserveCapacity(Self.pending)
        for node in 0..<Self.pending {
            graph.add("n\(node)", after: dependencies(node)) { () async throws in
                continuation.yield()
                try await Task.sleep(for: .seconds(60))
            }
        }
        let launch = try graph.start(options: options)
        for await _ in begun { break }
        let begin = now()
        launch.cancel()
        let finished = await launch.end()
        let time = Double(now() - begin)
        let outcome = finished.report.outcome
        if outcome != .cancelled { throw EngineFailure("a cancelled launch ended as \(outcome.name)") }
        return time
    }

    /// From the call of `abort` until the last of eight running operations has been told.
    private func abort() async throws -> Double {
        let times = AbortTimes()
        var graph = OperationGraph("abort")
        for index in 0..<8 {
            graph.add("sleeps-\(index)") { try await times.sleep() }
        }
        graph.add("aborts") { (launch: StepContext) async throws in
            while times.count < 8 { await Task.yield() }
            times.abort(launch)
        }
        let report = try await graph.run().report
        guard report.outcome == .aborted(by: "aborts", reason: .forceUpdate), times.time > 0 else {
            throw EngineFailure("an aborted launch ended as \(report.outcome.name)")
        }
        return times.time
    }
}
