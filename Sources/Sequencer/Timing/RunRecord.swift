/// What a launch left behind, as the state machine had it: reports are computed from it when they are asked.
final class RunRecord: Sendable {
    let graph: ValidatedGraph
    let nodes: [LaunchStateMachine.Node]
    let stop: LaunchStateMachine.Stop?
    let stragglers: [Int]
    let errors: [Int: any Error]
    let retriesWithoutTime: [Int: Int]
    let anomalies: [Anomaly]
    let end: Nanoseconds
    let lanes: Int
    let budget: Budget
    /// The time between the budget's origin and the launch's begin.
    let startOffset: Duration
    private let interactive: Nanoseconds
    /// By measured durations.
    let path: CriticalPath

    init(_ state: LaunchStorage.State, graph: ValidatedGraph, budget: Budget, startOffset: Duration) {
        self.graph = graph
        let machine = state.machine
        nodes = machine.nodes
        stop = machine.stop
        stragglers = machine.stragglers
        errors = state.errors
        retriesWithoutTime = machine.retriesWithoutTime
        anomalies = state.anomalies
        end = machine.endOfLaunch
        lanes = machine.settings.lanes ?? machine.lanes.widest
        self.budget = budget
        self.startOffset = startOffset
        interactive = machine.interactiveUntilMilestone ?? machine.interactive.total(at: end)
        let nodes = machine.nodes
        path = CriticalPath(of: graph) { nodes[$0].duration }
    }

    /// The dependency, or the dependency's dependency and so on, because of which an operation was skipped.
    private func rootCause(of node: Int) -> Int {
        var cause = node
        while nodes[cause].outcome == .skipped, !nodes[cause].isSkippedByCondition, nodes[cause].cause >= 0 { cause = Int(nodes[cause].cause) }
        return cause
    }

    /// Why an operation did not succeed, in one sentence.
    func message(_ node: Int) -> String? {
        let value = nodes[node]
        switch value.outcome {
        case .succeeded: return nil
        case .failed: return failureMessage(node, .failed)
        case .fellBack: return failureMessage(node, value.failure ?? .failed) + "; its fallback was used"
        case .timedOut: return failureMessage(node, .timedOut)
        case .cancelled where value.start >= 0: return failureMessage(node, .cancelled)
        case .cancelled: return stop.map { "not started: \(description(of: $0))" } ?? "cancelled before it started"
        case .skipped where value.isSkippedByCondition: return "its condition was false"
        case .skipped:
            let root = rootCause(of: node)
            let id = printable(graph.id(root))
            return switch nodes[root].outcome {
            case .skipped: "there is no value of \(id), whose condition was false"
            case .timedOut: "\(id) timed out"
            case .cancelled: "\(id) was cancelled"
            default: "\(id) failed"
            }
        }
    }

    private func failureMessage(_ node: Int, _ outcome: Outcome) -> String {
        switch outcome {
        case .timedOut:
            if stragglers.contains(node), stop == .deadline { return "still running at the launch's deadline" }
            let timeout = graph.policy(node).timeout.map { " of \(durationText($0))" } ?? ""
            return "not ended after its timeout" + timeout
        case .cancelled:
            if stragglers.contains(node) { return "told to cancel, and still running when the launch ended" }
            return "cancelled while it ran"
        default:
            var message = errors[node].map { printable(String(describing: $0), limit: 400) } ?? "failed"
            if let attempt = retriesWithoutTime[node] { message += " (no time left for attempt \(attempt))" }
            return message
        }
    }

    func description(of stop: LaunchStateMachine.Stop) -> String {
        switch stop {
        case .failed(let node):
            switch nodes[node].outcome {
            case .timedOut: "\(printable(graph.id(node))) timed out"
            case .cancelled: "\(printable(graph.id(node))) was cancelled"
            default: "\(printable(graph.id(node))) failed"
            }
        case .deadline: "the launch met its deadline"
        case .aborted(let node, let reason): "\(printable(graph.id(node))) aborted the launch (\(reason))"
        case .cancelled: "the launch was cancelled"
        }
    }

    // MARK: Budget

    func budgetResult() -> BudgetResult {
        let milestone = graph.milestoneIndex.flatMap { nodes[$0].start >= 0 && nodes[$0].outcome.isSuccess ? $0 : nil }
        let until = milestone.map { nodes[$0].end } ?? end
        let spent = milestone == nil ? min(interactive, end) : interactive
        let measured = .nanoseconds(until - spent) + startOffset
        return BudgetResult(
            budget: budget, measured: measured, interactive: .nanoseconds(spent),
            causes: measured > budget.limit ? causes(of: (measured - budget.limit).nanoseconds, until: milestone) : [])
    }

    /// The operations on the way to the milestone whose excess explains `overrun`.
    private func causes(of overrun: Nanoseconds, until milestone: Int?) -> [String] {
        let way = chain(endingWith: milestone ?? nodes.indices.max { nodes[$0].end < nodes[$1].end })
        let shares = way.filter { graph.policy($0).isInteractive == false }.map { node in
            (node: node, excess: nodes[node].duration - (graph.policy(node).expected?.nanoseconds ?? 0))
        }
        var explained: Nanoseconds = 0
        var causes: [String] = []
        for share in shares.sorted(by: { $0.excess > $1.excess }) where share.excess > 0 && explained < overrun {
            explained += share.excess
            causes.append(graph.id(share.node))
        }
        return causes
    }

    /// The operations that made `last` end when it did: from each, back to the dependency that ended last.
    private func chain(endingWith last: Int?) -> [Int] {
        var chain: [Int] = []
        var next = last
        while let node = next {
            chain.append(node)
            next = graph.predecessors[node].lazy.map(\.index).max { nodes[$0].end < nodes[$1].end }
        }
        return chain.reversed()
    }
}

extension LaunchStateMachine.Node {
    /// From its first start to its end; zero when it never started.
    var duration: Nanoseconds { start >= 0 ? end - start : 0 }
}

extension Outcome {
    /// Whether the operation left its value, or its fallback's.
    public var isSuccess: Bool { self == .succeeded || self == .fellBack }
}

/// `1.25 s`, `400 ms`, `80 µs`: three digits at the most, for sentences.
package func durationText(_ duration: Duration) -> String {
    let nanoseconds = Double(duration.nanoseconds)
    let (value, unit) =
        switch abs(nanoseconds) {
        case 60e9...: (nanoseconds / 60e9, "min")
        case 1e9...: (nanoseconds / 1e9, "s")
        case 1e6...: (nanoseconds / 1e6, "ms")
        case 1e3...: (nanoseconds / 1e3, "µs")
        default: (nanoseconds, "ns")
        }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    let scale = [1.0, 10, 100][digits]
    let rounded = (value * scale).rounded() / scale
    let text = rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
    return "\(text) \(unit)"
}
