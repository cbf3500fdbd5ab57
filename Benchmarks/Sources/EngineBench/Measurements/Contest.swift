/// Several engines on the same graph, in turns, in one process.
///
/// Each engine is run and checked first: every node once, after all it waits for. Then the engines take turns, one run each, in an order that
/// is shuffled anew each round: a slow second of the machine hits all of them, and none begins on threads that it has just warmed up itself.
/// The clock runs from before a graph is built to after its run has been let go of; the result is the median.
@MainActor
struct Contest {
    let shape: Shape
    let kind: BodyKind
    let engines: [Engine]
    /// How long the timed runs of one engine may take together, in nanoseconds, and the most of them.
    let (timeForEach, maximumRuns): (Double, Int)

    /// A run that takes longer than this, in nanoseconds, is not repeated.
    private static let longRun = 3_000_000_000.0

    private struct Contestant {
        let engine: Engine
        let workload: Workload
        /// How many timed runs it gets.
        var runs = 0
        var times: [Double] = []
        var beginsOfFirst: [Double] = []
        var peak = 0
    }

    /// Measures; throws when an engine does not do what it should.
    func samples() async throws -> [Sample] {
        var contestants: [Contestant] = []
        for engine in engines { contestants.append(try await prepared(engine)) }
        var random = SplitMix64(seed: 1)
        let rounds = contestants.map(\.runs).max() ?? 0
        for round in 0..<rounds {
            // Who gets fewer runs has them spread over all rounds.
            let due = contestants.indices.filter { round * contestants[$0].runs / rounds < (round + 1) * contestants[$0].runs / rounds }
            for index in due.shuffled(using: &random) {
                let contestant = contestants[index]
                contestants[index].times.append(Double(try await contestant.engine.time(shape, contestant.workload, kind)))
            }
        }
        return try contestants.map(sample)
    }

    /// The contestant after its checked runs, which are its warm-up and tell how long it takes.
    private func prepared(_ engine: Engine) async throws -> Contestant {
        var contestant = Contestant(engine: engine, workload: Workload(count: shape.count, purpose: .counting))
        var (fastest, spent) = (Double.infinity, 0.0)
        Memory.beginPeak()
        for check in 0..<15 where check < 2 || spent < timeForEach / 4 {
            let workload = Workload(count: shape.count, purpose: .checking)
            let begin = now()
            let time = Double(try await engine.time(shape, workload, kind))
            if let complaint = workload.complaint(after: 1, of: shape) {
                throw EngineFailure("\(engine.name), \(shape.name): \(complaint)")
            }
            contestant.beginsOfFirst.append(Double(workload.beginOfFirst - begin))
            fastest = min(fastest, time)
            spent += time
            if time > Self.longRun {
                contestant.times = [time]
                break
            }
        }
        contestant.peak = Memory.peak
        if contestant.times.isEmpty { contestant.runs = Int(max(3, min(Double(maximumRuns), timeForEach / fastest))) }
        return contestant
    }

    private func sample(_ contestant: Contestant) throws -> Sample {
        if let complaint = contestant.workload.complaint(after: contestant.runs, of: shape) {
            throw EngineFailure("\(contestant.engine.name), \(shape.name): \(complaint)")
        }
        return Sample(
            shape: shape.name,
            operations: shape.count,
            work: kind.rawValue,
            engine: contestant.engine.name,
            nsPerOperation: contestant.times.median / Double(shape.count),
            firstOperationNs: contestant.beginsOfFirst.median,
            peakRSSBytes: contestant.peak,
            runs: contestant.times.count
        )
    }
}

extension Engine {
    /// How long one run takes, in nanoseconds: it builds its graph, runs it and lets go of it.
    ///
    /// It begins and is waited for on the main actor, where apps begin their launches, whatever the engine.
    @MainActor
    func time(_ shape: Shape, _ workload: Workload, _ kind: BodyKind) async throws -> UInt64 {
        let begin = now()
        switch entry {
        case .blocking(let run): run(shape, workload, kind)
        case .suspending(let run): try await run(shape, workload, kind)
        }
        return now() - begin
    }
}
