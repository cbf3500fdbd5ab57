import Foundation
import Synchronization

/// What a launch left behind, as the state machine had it: reports are computed from it when they are asked.
final class RunRecord: Sendable {
    let graph: ValidatedGraph
    let nodes: NodeTable
    let stop: LaunchStateMachine.Stop?
    let stragglers: [Int]
    let errors: [Int: any Error]
    let retriesWithoutTime: [Int: Int]
    let notes: [Int: [String]]
    /// The operations that waited for a person without being marked for it.
    let personWaits: Set<Int>
    let anomalies: [Anomaly]
    let end: Nanoseconds
    let lanes: Int
    let budget: Budget
    /// The time between the budget's origin and the launch's begin.
    let startOffset: Duration
    let startedAt: Date?
    let version: String?
    private let interactive: Nanoseconds
    private let computedPath = AtomicLazyReference<Boxed<CriticalPath>>()

    /// - Parameters:
    ///   - state: only read; handed over like this because handing over a copy counts every reference in it.
    ///   - anomalies: those that the state does not know.
    init(
        _ state: inout LaunchStorage.State,
        graph: ValidatedGraph,
        budget: Budget,
        startOffset: Duration,
        startedAt: Date?,
        version: String?,
        anomalies: [Anomaly]
    ) {
        self.startedAt = startedAt
        self.version = version
        self.graph = graph
        nodes = state.machine.nodes
        stop = state.machine.stop
        stragglers = state.machine.stragglers
        errors = state.errors
        retriesWithoutTime = state.machine.retriesWithoutTime
        notes = state.notes
        personWaits = state.machine.personWaits.isEmpty ? [] : Set(state.machine.personWaits.keys)
        self.anomalies = state.anomalies + anomalies
        end = state.machine.endOfLaunch
        lanes = state.machine.settings.lanes ?? state.machine.lanes.widest
        self.budget = budget
        self.startOffset = startOffset
        interactive = state.machine.interactiveUntilMilestone ?? state.machine.interactive.total(at: end)
    }

    /// The critical path by measured durations, computed when it is first asked for.
    var path: CriticalPath {
        if let known = computedPath.load() { return known.value }
        // What was put off held nothing up, whatever waits for it.
        let path = CriticalPath(of: graph) { nodes[$0].isDeferred ? 0 : nodes[$0].duration }
        return computedPath.storeIfNil(Boxed(path)).value
    }

    /// The critical path without operations that never started: those took no time.
    var criticalNodes: [Int] { path.path.filter { nodes[$0].start >= 0 && !nodes[$0].isDeferred } }

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
        case .skipped where value.isSkippedByCondition: return graph.policy(node).skipReason.map(skippedText) ?? "its condition was false"
        case .skipped:
            let root = Int(max(value.cause, 0))
            let id = printable(graph.id(root))
            return switch nodes[root].outcome {
            case .skipped where graph.policy(root).skipReason != nil: "there is no value of \(id), which was left out"
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
            if nodes[node].isStraggler, stop == .deadline { return "still running at the launch's deadline" }
            if nodes[node].isCut { return cutMessage(node) }
            let timeout = graph.policy(node).timeout.map { " of \(durationText($0))" } ?? ""
            return "not ended after its timeout" + timeout
        case .cancelled:
            if nodes[node].isStraggler { return "told to cancel, and still running when the launch ended" }
            return "cancelled while it ran"
        default:
            var message = errors[node].map { printable(String(describing: $0), limit: 400) } ?? "failed"
            if let attempt = retriesWithoutTime[node] { message += " (no time left for attempt \(attempt))" }
            return message
        }
    }

    private func cutMessage(_ node: Int) -> String {
        let expected = graph.policy(node).expected.map { ", with \(durationText($0)) expected" } ?? ""
        let start = nodes[node].start
        if start < 0 { return "not started: there was no time left in the budget" }
        return
            "cut after \(durationText(.nanoseconds(nodes[node].end - start)))\(expected), to keep the budget of \(durationText(budget.limit))"
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
            budget: budget,
            measured: measured,
            interactive: .nanoseconds(spent),
            isMet: measured <= budget.limit && !isBroken,
            causes: measured > budget.limit ? causes(of: (measured - budget.limit).nanoseconds, until: milestone) : []
        )
    }

    /// Whether the launch failed or was cancelled: it never got where its budget leads. One that was aborted on purpose got somewhere else.
    private var isBroken: Bool {
        switch stop {
        case .failed?, .deadline?, .cancelled?: true
        case .aborted?: false
        case nil: graph.milestoneIndex.map { nodes[$0].outcome == .skipped && !nodes[$0].isSkippedByCondition } ?? false
        }
    }

    /// The operations on the way to the milestone that explain `overrun`: first those that took longer than was expected of them, the largest
    /// excess first, then, if that was not all, those that took longest.
    private func causes(of overrun: Nanoseconds, until milestone: Int?) -> [String] {
        let way = chain(endingWith: milestone ?? nodes.indices.max { nodes[$0].end < nodes[$1].end })
            .filter { !graph.policy($0).isInteractive && nodes[$0].duration > 0 }
        func excess(_ node: Int) -> Nanoseconds { nodes[node].duration - (graph.policy(node).expected?.nanoseconds ?? 0) }
        // What is within a hundredth of its expectation was not what went wrong.
        let slow = way.filter { excess($0) > nodes[$0].duration / 100 }.sorted { excess($0) > excess($1) }
        var explained: Nanoseconds = 0
        var causes: [Int] = []
        for node in slow where explained < overrun {
            explained += excess(node)
            causes.append(node)
        }
        for node in way.sorted(by: { nodes[$0].duration > nodes[$1].duration }) where explained < overrun && !causes.contains(node) {
            explained += nodes[node].duration
            causes.append(node)
        }
        return causes.map(graph.id)
    }

    /// The operations that made `last` end when it did: from each, back to the dependency that ended last.
    private func chain(endingWith last: Int?) -> [Int] {
        var chain: [Int] = []
        var next = last
        while let node = next {
            chain.append(node)
            let dependencies = graph.predecessors[node].map(\.index).filter { !nodes[$0].isDeferred }
            next = dependencies.max { nodes[$0].end < nodes[$1].end }
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
