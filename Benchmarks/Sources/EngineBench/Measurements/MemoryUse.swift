import Sequencer
import Synchronization

/// How much memory a launch takes for an operation; and what a launch of a million that is cancelled half-way leaves.
@MainActor
struct MemoryUse {
    let options: BenchOptions
    let progress: ProgressLine

    func metrics() async throws -> [Metric] {
        var metrics: [Metric] = []
        for size in options.isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000] {
            progress.show("memory of \(Figures.count(size)) operations")
            metrics.append(try await bytesForEach(size))
        }
        if !options.isQuick {
            progress.show("a million operations, cancelled half-way")
            metrics += try await cancelledMillion()
        }
        return metrics
    }

    /// Bytes of the heap that a graph, its launch and its report take, for each operation, while the last body runs: the worst shape.
    private func bytesForEach(_ size: Int) async throws -> Metric {
        var worst = Metric("memory/\(size)", 0)
        for family in [ShapeFamily.chain, .wide, .layered] {
            let shape = family.shapes([size])[0]
            let workload = Workload(count: size, purpose: .counting)
            let sampler = HeapSampler()
            Memory.beginPeak()
            let (heap, resident) = (Memory.heapInUse, Memory.resident)
            try await launch(shape, workload, sampler)
            let peak = Memory.peak - resident
            let bytes = Double(sampler.bytes - heap) / Double(size)
            if bytes > worst.value {
                worst = Metric(
                    worst.key,
                    bytes,
                    "\(shape.name); most resident \(Figures.number(Double(peak) / Double(size))) B an operation"
                )
            }
        }
        return worst
    }

    private func launch(_ shape: Shape, _ workload: Workload, _ sampler: HeapSampler) async throws {
        var graph = OperationGraph(shape, workload, more: 1)
        // One operation more, which looks at the heap, while all else is still there.
        graph.add("sampler", after: shape.identifiers[shape.count - 1]) { sampler.sample() }
        let report = try await graph.run().report
        if report.outcome != .completed { throw EngineFailure("the launch ended as \(report.outcome.name)") }
    }

    private func cancelledMillion() async throws -> [Metric] {
        let size = 1_000_000
        let shape = ShapeFamily.layered.shapes([size])[0]
        Memory.beginPeak()
        let heap = Memory.heapInUse
        try await cancelHalfWay(shape)
        // The last worker may be on its way back, and it is who lets go of the graph.
        let patience = ContinuousClock.now + .seconds(2)
        while Memory.heapInUse - heap >= size, ContinuousClock.now < patience { try await Task.sleep(for: .milliseconds(1)) }
        let left = Double(max(0, Memory.heapInUse - heap))
        return [
            Metric("memory/cancelled", Double(Memory.peak), "the process's most resident memory"),
            Metric("memory/left", left / Double(size), "bytes of the heap an operation, after it is gone"),
        ]
    }

    private func cancelHalfWay(_ shape: Shape) async throws {
        let half = HalfWay(shape.count / 2)
        var graph = OperationGraph("million")
        graph.reserveCapacity(shape.count)
        for node in 0..<shape.count {
            graph.add(shape.identifiers[node], after: shape.dependencies(of: node).map { shape.identifiers[Int($0)] }) { half.count() }
        }
        let launch = try graph.start()
        half.cancel(launch)
        let report = await launch.end().report
        // The bodies have `half`, which has the launch, which has the bodies.
        half.letGo()
        if report.outcome != .cancelled { throw EngineFailure("a cancelled launch ended as \(report.outcome.name)") }
    }
}

/// What the heap held when it was looked at.
private final class HeapSampler: Sendable {
    private let sampled = Atomic<Int>(0)

    var bytes: Int { sampled.load(ordering: .acquiring) }

    func sample() {
        sampled.store(Memory.heapInUse, ordering: .releasing)
    }
}
