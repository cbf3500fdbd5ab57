/// All engines on all shapes and sizes.
@MainActor
struct GraphMeasurements {
    let options: BenchOptions
    let progress: ProgressLine

    /// Closures that run straight through.
    func samples() async throws -> [Sample] {
        try await measure(options.families.flatMap { $0.shapes(options.graphSizes) }, [.synchronous], options.engines)
    }

    /// Bodies of other kinds, against a `Task` a node.
    func bodySamples() async throws -> [Sample] {
        let families = options.families.filter { $0.name != ShapeFamily.scenarios.name }
        let engines = options.engines.filter { [Engine.task.name, Engine.sequencer.name].contains($0.name) }
        let shapes = families.flatMap { $0.shapes(options.graphSizes.filter { $0 <= 10_000 }) }
        return try await measure(shapes, [.async, .suspending, .operation], engines)
    }

    private func measure(_ shapes: [Shape], _ kinds: [BodyKind], _ engines: [Engine]) async throws -> [Sample] {
        var samples: [Sample] = []
        for shape in shapes {
            for kind in kinds {
                progress.show("\(shape.name), \(shape.count) operations, \(kind.rawValue)")
                let able = engines.filter { shape.count <= (options.isFull ? $0.largestInFull : $0.largest) && $0.runs(kind) }
                let contest = Contest(
                    shape: shape,
                    kind: kind,
                    engines: able,
                    timeForEach: options.timeForEach,
                    maximumRuns: options.maximumRuns
                )
                samples += try await contest.samples()
            }
        }
        return samples
    }
}
