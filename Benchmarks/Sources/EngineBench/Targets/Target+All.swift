extension Target {
    /// Every target, in the order of the verdicts.
    static let all: [Target] = contest + ratios + costs + latencies + work + resources

    /// Launches whose steps take time: the worst of them, cold and warm.
    private static let contest: [Target] = [
        Target(name: "to the milestone, times the best rival", metric: "contest/milestone", limit: 1.03, unit: .ratio),
        Target(name: "to the end of all, times the best rival", metric: "contest/end", limit: 1.05, unit: .ratio),
        Target(name: "to the milestone, times the path, where steps only wait", metric: "contest/path", limit: 1.05, unit: .ratio),
    ]

    /// Times the rival's time: build and run, the worst shape's median. An operation of the engine's has an identifier,
    /// a state, times and a line in the report; the rivals' have none, and with few operations a launch costs more than
    /// they do.
    private static let ratios: [Target] = [
        ratio(.operationQueue, 10, 2.5), ratio(.operationQueue, 100, 0.5), ratio(.operationQueue, 1_000, 0.06),
        ratio(.gcd, 1_000, 4), ratio(.gcd, 10_000, 4),
        ratio(.task, 1_000, 5, .async), ratio(.task, 10_000, 5, .async),
    ]

    private static let costs: [Target] = [
        Target(name: "time an operation, 1,000", metric: "time/1000", limit: 2_500, unit: .time),
        Target(name: "time an operation, 10,000", metric: "time/10000", limit: 2_500, unit: .time),
        Target(name: "time an operation, 100,000", metric: "time/100000", limit: 2_500, unit: .time),
        Target(name: "time an operation, 1,000,000", metric: "time/1000000", limit: 2_500, unit: .time),
    ]

    private static let latencies: [Target] = [
        Target(name: "run() to the first instruction", metric: "start", limit: 200_000, unit: .time),
        Target(name: "last end to run()'s return", metric: "return", limit: 100_000, unit: .time),
        Target(name: "building and validating 100", metric: "building/100", limit: 200_000, unit: .time),
        Target(name: "cancelling 10,000 pending", metric: "cancel/10000", limit: 10_000_000, unit: .time),
        Target(name: "abort reaches what runs", metric: "abort", limit: 1_000_000, unit: .time),
    ]

    /// Times what the graph allows.
    private static let work: [Target] = [
        Target(name: "built-in scenarios", metric: "launch", limit: 1.01, unit: .ratio),
        Target(name: "built-in scenarios, 2 lanes", metric: "launch/2", limit: 1.01, unit: .ratio),
        Target(name: "64 blocking steps, 64 lanes", metric: "blocking/64", limit: 1.05, unit: .ratio),
        Target(name: "bodies of 100 µs, 2 lanes", metric: "short-bodies", limit: 1.08, unit: .ratio),
        Target(name: "processor work, 2 lanes", metric: "processor-work", limit: 1.03, unit: .ratio),
        Target(name: "processor work, times OperationQueue", metric: "processor-work/OperationQueue", limit: 1, unit: .ratio),
    ]

    private static let resources: [Target] = [
        Target(name: "memory an operation, 1,000", metric: "memory/1000", limit: 600, unit: .bytes),
        Target(name: "memory an operation, 10,000", metric: "memory/10000", limit: 600, unit: .bytes),
        Target(name: "memory an operation, 100,000", metric: "memory/100000", limit: 600, unit: .bytes),
        Target(name: "memory an operation, 1,000,000", metric: "memory/1000000", limit: 600, unit: .bytes),
        Target(name: "1,000,000 cancelled half-way", metric: "memory/cancelled", limit: 2e9, unit: .bytes),
        Target(name: "left of them, an operation", metric: "memory/left", limit: 1, unit: .bytes),
        Target(name: "idle processor time", metric: "idle", limit: 0.01, unit: .share),
        Target(name: "--version, times an empty program", metric: "version", limit: 1.3, unit: .ratio),
    ]

    private static func ratio(_ rival: Engine, _ size: Int, _ limit: Double, _ kind: BodyKind = .synchronous) -> Target {
        let bodies = kind == .synchronous ? "" : ", \(kind.rawValue)"
        return Target(
            name: "times \(rival.name)\(bodies), \(Figures.count(size))",
            metric: Metric.ratioKey(rival.name, size, kind),
            limit: limit,
            unit: .ratio
        )
    }
}
