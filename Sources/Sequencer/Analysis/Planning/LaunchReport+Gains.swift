import Sequencer

extension LaunchReport {
    /// The most operations whose gains are worked out: each takes a launch in virtual time.
    private static let maximumGains = 200
    /// The most operations of all these launches together.
    private static let maximumRehearsed = 200_000

    /// For each of some operations, how much earlier the launch proper would have ended if the operation had taken no
    /// time.
    ///
    /// This is the difference of two launches in virtual time. Their operations take the measured times, have the same
    /// expectations, need the same lanes, main thread and resources, and are cut and put off to keep the same budget.
    /// Where operations waited for a processor, they share the processors: without one of them, the others compute
    /// faster. Other waits for the machine are left out. A launch may become longer when an operation takes less time
    /// (R. L. Graham, 1969): then the gain is negative.
    ///
    /// - Parameter nodes: the operations; those that come later are left out where there are too many.
    /// - Returns: by position; empty for a launch that did not complete, for a report that no launch has made, and
    ///     where the first of the two launches puts off others than the launch did.
    nonisolated(nonsending) package func gains(of nodes: some Collection<Int>) async -> [Int: Duration] {
        // A file may hold any report: one with a circle of dependencies has no launch.
        let (scarce, putOff) = (scarceLanes, operations.filter(\.isDeferred).map(\.id))
        // A budget that was kept without cutting and putting off is kept likewise by a shorter launch.
        let mayCut = !putOff.isEmpty || !budget.isMet && operations.contains { $0.isCuttable || $0.isDeferrable }
        guard outcome == .completed, let graph = try? measuredGraph().validated() else { return [:] }
        // Otherwise, without what could end later, the launch is as long as it was.
        var work = ProcessorWork(self)
        let isFree = scarce == nil && !mayCut && work == nil
        var options = PlanOptions(lanes: scarce.flatMap { $0 < operations.count ? $0 : nil }, budget: budget.budget?.fromLaunch)
        options.budget?.limit -= beforeRun ?? .zero
        let last = isMilestoneReached || !putOff.isEmpty ? graph.milestoneIndex : nil
        nonisolated(nonsending) func launch(without node: Int?) async -> LaunchReport? {
            var (durations, expected) = (work?.durations ?? operations.map(\.duration), operations.map(\.expected))
            if let node { (durations[node], expected[node]) = (.zero, .zero) }
            return try? await graph.rehearse(durations, expected: expected, options, on: work?.processors)
        }
        func end(_ report: LaunchReport) -> Duration { last.map { report.operations[$0].end } ?? report.makespan }
        // More than once: operations of another length run beside others.
        for _ in 0..<(work == nil ? 0 : 3) {
            if let modelled = await launch(without: nil) { work?.correct(self, by: modelled) }
        }
        guard let usual = await launch(without: nil), usual.operations.filter(\.isDeferred).map(\.id) == putOff else { return [:] }
        var gains: [Int: Duration] = [:]
        var left = min(Self.maximumGains, max(Self.maximumRehearsed / max(operations.count, 1), 1))
        for node in nodes {
            if isFree, operations[node].slack > .zero {
                gains[node] = .zero
            } else if left > 0 {
                left -= 1
                gains[node] = isJoin(operations[node]) ? .zero : await launch(without: node).map { end(usual) - end($0) }
            }
        }
        return gains
    }

    /// The gains of the longest operations, where they are certain.
    nonisolated(nonsending) package func certainGains() async -> [Int: Duration] {
        let started = operations.indices.filter { operations[$0].start != nil }
        let longest = started.sorted { operations[$0].duration > operations[$1].duration }
        let (gains, uncertain) = (await gains(of: longest.prefix(50)), uncertainGains)
        return gains.filter { !uncertain.contains($0.key) && $0.value >= .zero }
    }

    /// The operations whose gain is uncertain. An operation that did not succeed at once might do so then, and others
    /// would run for it; the time of another one may be unknown. All are uncertain if the launch did not complete,
    /// something was cut, a step was put off that others may have needed, or a step of the main thread may have waited
    /// to come back there.
    package var uncertainGains: Set<Int> {
        let areSkipped = operations.contains(where: \.isDeferred) && operations.contains { $0.outcome == .skipped }
        if outcome != .completed || areSkipped || isMainContended || operations.contains(where: \.isCut) {
            return Set(operations.indices)
        }
        let causes = causesOfLateFailures
        return Set(
            operations.indices.filter { node in
                let operation = operations[node]
                return causes.contains(operation.id) || operation.attempts > 1 || isUnknown(operation)
                    || operation.outcome != .succeeded && operation.outcome != .skipped
            }
        )
    }

    /// The operations before one that failed after the milestone, without having waited for that: without their time it
    /// might have failed earlier, and the launch with it. Where something is scarce, without that of any other.
    private var causesOfLateFailures: Set<String> {
        guard let later = afterMilestone, case .failed? = later.outcome, let milestone else { return [] }
        let all: [(id: String, dependencies: [String])] = operations.map { ($0.id, $0.dependencies) }
        let before: Set<String> = later.failures.map { needs(of: $0, all) }.filter { !$0.contains(milestone) }.reduce([]) { $0.union($1) }
        return before.isEmpty || scarceLanes == nil ? before : Set(all.map(\.id))
    }

    /// Whether a step of the main thread ended as soon as another one did that computed there meanwhile: it is likely
    /// to have waited for that.
    private var isMainContended: Bool {
        func hasWaited(_ step: OperationReport, for other: OperationReport) -> Bool {
            guard let start = step.start, let begin = other.start, !other.suspends, start <= begin else { return false }
            return (.zero..<Duration.milliseconds(1)).contains(step.end - other.end)
        }
        let main = operations.filter { $0.isMain && $0.duration > .zero }.sorted {
            ($0.end, $1.start ?? .zero) < ($1.end, $0.start ?? .zero)
        }
        return zip(main, main.dropFirst()).contains { hasWaited($1, for: $0) || hasWaited($0, for: $1) }
    }

    /// The lanes, where something is scarce: there are fewer than operations for them, or operations share a resource
    /// or the main thread. Then they are as many as operations.
    private var scarceLanes: Int? {
        let run = operations.filter { $0.start != nil && !isJoin($0) }
        let isLimited = lanes > 0 && (hasLaneLimit || HoldUps(self).areForLanes) && lanes < run.count { !$0.isMain && !isEvent($0) }
        let onMain = run.filter(\.isMain)
        var users: [ExclusiveResource: Int] = [:]
        for resource in run.flatMap(\.exclusive) { users[resource, default: 0] += 1 }
        let isShared = users.contains { $0.value > resourceLimits[$0.key] ?? 1 } || onMain.count > 1 && !onMain.allSatisfy(\.suspends)
        if isLimited { return lanes }
        return isShared ? operations.count : nil
    }

    /// Whether an operation takes no time: one that never started held nothing up.
    private func isJoin(_ operation: OperationReport) -> Bool {
        // It was asked for its condition where it would have run.
        if operation.start == nil { return operation.ready == nil || operation.outcome != .skipped }
        return operation.lane == nil && !operation.isMain && operation.duration == .zero
    }

    /// It waited for an event, on no lane.
    private func isEvent(_ operation: OperationReport) -> Bool {
        lanes > 0 && operation.start != nil && operation.lane == nil && !operation.isMain && !isJoin(operation)
    }

    /// The launch as a graph.
    private func measuredGraph() -> OperationGraph {
        var graph = OperationGraph(scenario)
        for (resource, limit) in resourceLimits { graph.limit(resource, to: limit) }
        let ends = Dictionary(operations.map { ($0.id, $0.end) }) { first, _ in first }
        for operation in operations {
            var options: [StepOption] = [.suspends(operation.suspends)]
            if operation.id == milestone { options.append(.milestone) }
            if operation.id == initialDisplay { options.append(.initialDisplay) }
            if operation.isInteractive { options.append(.interactive) }
            if let delay = operation.delay, delay > .zero { options.append(.delay(delay)) }
            // One that was asked early, and skipped, had not waited for all of them.
            let wasAsked = operation.outcome == .skipped && operation.ready != nil
            let after = operation.dependencies.filter { !wasAsked || (ends[$0] ?? .zero) <= operation.end }
            let id = operation.id
            let exclusive = StepOption.all(operation.exclusive.map { .exclusive($0) })
            if isJoin(operation) {
                graph.join(id, .all(options), after: after)
                continue
            }
            if operation.isDeferrable { options.append(.deferrable) }
            if isEvent(operation) {
                graph.wait(for: ExternalEvent<Void>(id), .all(options), after: after)
                continue
            }
            if operation.isCuttable { options.append(.cuttable) }
            let fallback: Void? = operation.isCuttable ? () : nil
            if operation.isMain {
                graph.add(id, .all(options), exclusive, after: after, on: .main, fallback: fallback) {}
            } else {
                graph.add(id, .all(options), exclusive, after: after, fallback: fallback) {}
            }
        }
        return graph
    }
}

/// The part of their time in which the operations of a report compute, where some of them waited for a processor.
private struct ProcessorWork {
    private let count: Int
    /// The processors that other threads of the process have used in the mean.
    private let others: Double
    /// Zero for an operation whose processor time was not measured.
    private let shares: [Double]
    /// How long each operation would have taken with a processor for itself.
    private(set) var durations: [Duration]

    init?(_ report: LaunchReport) {
        guard let count = report.processors, report.operations.contains(where: \.wasContended) else { return nil }
        self.count = count
        // A file may say more than there can be.
        others = report.otherProcessorTime.map { report.makespan > .zero ? min($0 / report.makespan, Double(count)) : 0 } ?? 0
        let used = report.operations.map { $0.processorTime ?? .zero }
        let durations = zip(report.operations, used).map { max($0.duration - ($0.runnableTime ?? .zero), $1) }
        shares = zip(used, durations).map { $1 > .zero ? $0 / $1 : 0 }
        self.durations = durations
    }

    /// The processors, for one launch.
    var processors: SharedProcessors { SharedProcessors(count, others: others, shares: shares) }

    /// Has operations take as long as they were measured to take: other programs have had the processors, too.
    mutating func correct(_ report: LaunchReport, by modelled: LaunchReport) {
        for (node, operation) in modelled.operations.enumerated() where operation.duration > .zero {
            // One that is cut in the model says little of its length.
            durations[node] = durations[node] * min(report.operations[node].duration / operation.duration, 10)
        }
    }
}
