import Foundation

/// Bodies that keep a processor busy, on two lanes: how long a run takes, as a multiple of the lower bound, which is the longest path or half
/// of all the work, whichever is more.
///
/// The lower bound is not computed but measured, in turns with the runs: two threads that do nothing but that work. On a machine of one's
/// own that is the same; on one that others use as well, both are slower. Of each, the fastest of several runs counts.
@MainActor
struct ProcessorWork {
    let options: BenchOptions
    let progress: ProgressLine

    private static let lanes = 2
    /// When the lower bound itself takes this many times its time, the machine is too busy for a verdict.
    private static let maximumSlowdown = 1.1

    /// The times of one graph, each in turn.
    private struct Times {
        var (sequencer, queue, bound): ([Double], [Double], [Double]) = ([], [], [])

        /// The fastest of each: what others do on the machine can only add to a time.
        var fastestBound: Double { bound.min() ?? 1 }
        var ratio: Double { (sequencer.min() ?? 0) / fastestBound }
        var queueRatio: Double { (queue.min() ?? 0) / fastestBound }
    }

    func metrics() async throws -> [Metric] {
        try await shortBodies() + randomGraphs()
    }

    /// A thousand bodies of 100 µs, in each shape.
    private func shortBodies() async throws -> [Metric] {
        var worst: Metric?
        for family in ShapeFamily.all where family.name != ShapeFamily.scenarios.name {
            progress.show("bodies of 100 µs, \(family.name)")
            let work = TimedGraph(family.shapes([1_000])[0], durations: [UInt64](repeating: 100_000, count: 1_000))
            let rounds = options.isQuick ? 5 : 15
            let times = try await times(of: work, rounds, withQueue: false)
            let slowdown = times.fastestBound / work.lowerBound(Self.lanes)
            if times.ratio > worst?.value ?? 0 {
                worst = Metric(
                    "short-bodies",
                    times.ratio,
                    "\(family.name), fastest of \(rounds)",
                    isDoubtful: slowdown > Self.maximumSlowdown
                )
            }
        }
        return worst.map { [$0] } ?? []
    }

    /// Random layered graphs, the engine and Foundation's queue in turns.
    private func randomGraphs() async throws -> [Metric] {
        var random = SplitMix64(seed: 7)
        var (all, bounds): ([Times], [Double]) = ([], [])
        for index in 0..<(options.isQuick ? 8 : 30) {
            progress.show("processor work, random graph \(index + 1)")
            let work = TimedGraph.random(&random)
            bounds.append(work.lowerBound(Self.lanes))
            all.append(try await times(of: work, options.isQuick ? 5 : 9, withQueue: true))
        }
        let (ours, raw) = (all.map(\.ratio).mean, all.map(\.queueRatio).mean)
        let slowdown = zip(all, bounds).map { $0.fastestBound / $1 }.mean
        let detail =
            "mean of \(all.count) graphs; OperationQueue \(Figures.number(raw)); the bound itself took \(Figures.number(slowdown)) of its time"
        let isDoubtful = slowdown > Self.maximumSlowdown
        return [
            Metric("processor-work", ours, detail, isDoubtful: isDoubtful),
            Metric("processor-work/OperationQueue", ours / raw, detail, isDoubtful: isDoubtful),
        ]
    }

    private func times(of work: TimedGraph, _ rounds: Int, withQueue: Bool) async throws -> Times {
        var times = Times()
        var random = SplitMix64(seed: 3)
        for _ in 0..<rounds {
            for runner in (withQueue ? [0, 1, 2] : [0, 1]).shuffled(using: &random) {
                switch runner {
                case 0: times.sequencer.append(try await work.runSequencer(Self.lanes))
                case 1: times.bound.append(work.runReference(Self.lanes))
                default: times.queue.append(work.runOperationQueue(Self.lanes))
                }
            }
        }
        return times
    }
}
