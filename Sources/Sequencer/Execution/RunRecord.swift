import Foundation
import Synchronization

/// What a launch left behind, as the state machine had it.
///
/// Handing it over costs nothing. The report is made from it when somebody first asks for it, since that takes longer than a short launch.
final class RunRecord: Sendable {
    let graph: ValidatedGraph
    let nodes: NodeTable
    let stop: LaunchStateMachine.Stop?
    let stragglers: [Int]
    /// Why operations failed, by operation.
    let messages: [Int: String]
    let attemptsNotMade: [Int: Int]
    let notes: [Int: [String]]
    /// For how long operations asked a person, as they have said themselves.
    let personWaits: [Int: Nanoseconds]
    let anomalies: [Anomaly]
    /// For how long the process stood still.
    let standstill: Nanoseconds
    /// Threads that were in code of operations which had ended.
    let threadsLeftBehind: Int
    let end: Nanoseconds
    let lanes: Int
    /// Nil: none was given.
    let budget: Budget?
    /// The time between the budget's origin and the launch's begin.
    let startOffset: Duration
    let startedAt: Date?
    let version: String?
    /// Until when the time counts.
    private let endOfMeasuring: Nanoseconds
    /// The time in which persons were asked, until then.
    private let interactive: Nanoseconds
    private let questions: [Range<Nanoseconds>]
    private let made = AtomicLazyReference<Boxed<LaunchReport>>()

    /// - Parameters:
    ///   - state: only read; handed over like this because handing over a copy counts every reference in it.
    ///   - anomalies: those that the state does not know.
    init(
        _ state: inout LaunchStorage.State,
        graph: ValidatedGraph,
        budget: Budget?,
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
        messages = state.messages
        attemptsNotMade = state.machine.attemptsNotMade
        notes = state.notes
        let waits = state.machine.personWaits
        personWaits = waits.isEmpty ? [:] : waits.compactMapValues { $0.asked.hasBegun ? $0.asked.total(at: 0) : nil }
        self.anomalies = state.anomalies + anomalies
        standstill = state.machine.standstill
        threadsLeftBehind = state.machine.lostWorkers
        end = state.machine.endOfLaunch
        lanes = state.machine.settings.lanes ?? state.machine.lanes.widest
        self.budget = budget
        self.startOffset = startOffset
        let milestone = graph.milestoneIndex.map { state.machine.nodes[$0] }
        // A launch goes on without a milestone that has failed, if that may, or whose own condition was false.
        if let milestone, milestone.outcome.isSuccess || stop == nil && (milestone.outcome != .skipped || milestone.isSkippedAlone) {
            endOfMeasuring = milestone.end
            interactive = state.machine.interactiveUntilMilestone ?? 0
        } else {
            endOfMeasuring = end
            interactive = state.machine.interactive.total(at: end)
        }
        questions = state.machine.interactive.intervals
    }

    // MARK: The report

    /// The report, made when it is first asked for. Two threads that ask at once may both make it; one of the two, which are equal, is kept.
    var report: LaunchReport { made.load()?.value ?? made.storeIfNil(Boxed(makeReport())).value }

    private func makeReport() -> LaunchReport {
        let path = criticalPath()
        // Operations that never started took no time.
        let critical = path.path.filter { nodes[$0].start >= 0 && !nodes[$0].isDeferred }
        let isCritical = Set(critical)
        // Read once: each reading is an atomic load through a generic type, an eighth of what an operation's report costs.
        let predecessors = graph.predecessors
        var lastReader = [Int32](repeating: -1, count: nodes.count)
        return LaunchReport(
            scenario: graph.name,
            version: version,
            startedAt: startedAt,
            outcome: outcome(),
            budget: budgetResult(),
            milestone: graph.milestone,
            makespan: .nanoseconds(end),
            work: .nanoseconds(nodes.reduce(Nanoseconds(0)) { $0.addingSaturated($1.duration) }),
            criticalPathDuration: .nanoseconds(path.length),
            criticalPath: critical.map(graph.id),
            lanes: lanes,
            operations: nodes.indices.map {
                operationReport(
                    $0,
                    after: identifiers(of: predecessors[$0], of: $0, &lastReader),
                    slack: path.slack($0),
                    isCritical: isCritical.contains($0)
                )
            },
            stragglers: stragglers.map(graph.id),
            standstill: .nanoseconds(standstill),
            threadsLeftBehind: threadsLeftBehind,
            anomalies: anomalies
                + (standstill > 0 ? [.processStoodStill(for: .nanoseconds(standstill))] : [])
                + (threadsLeftBehind > 0 ? [.threadsLeftBehind(threadsLeftBehind)] : [])
        )
    }

    /// The dependencies of an operation, each once: a step may read a value of another, and wait for it besides.
    ///
    /// - Parameter lastReader: for each operation the one that was asked about last and depends on it; -1 before the first. One array for a
    ///   whole report, where a set for each operation would be an allocation for each.
    private func identifiers(
        of dependencies: AdjacencyList.Neighbours,
        of node: Int,
        _ lastReader: inout [Int32]
    ) -> [String] {
        var identifiers: [String] = []
        identifiers.reserveCapacity(dependencies.count)
        for place in dependencies.startIndex..<dependencies.endIndex {
            let dependency = dependencies[place].index
            if lastReader[dependency] == Int32(node) { continue }
            lastReader[dependency] = Int32(node)
            identifiers.append(graph.id(dependency))
        }
        return identifiers
    }

    /// For how long an operation asked a person.
    private func interactive(_ node: Int) -> Nanoseconds {
        interactive(node, of: nodes[node].duration, isPersonsTime: graph.graph.nodes[node].policy?.value.isPersonsTime == true)
    }

    private func interactive(_ node: Int, of duration: Nanoseconds, isPersonsTime: Bool) -> Nanoseconds {
        if isPersonsTime { return duration }
        return personWaits.isEmpty ? 0 : min(personWaits[node] ?? 0, duration)
    }

    private func criticalPath() -> CriticalPath {
        // Deferred operations held nothing up, even if others wait for them; and if they overlap the milestone, the path must still lead to the milestone.
        let hasDeferred = nodes.contains { $0.isDeferred }
        return CriticalPath(of: graph, endingWith: hasDeferred ? graph.milestoneIndex : nil) {
            nodes[$0].isDeferred ? 0 : nodes[$0].duration
        }
    }

    private func operationReport(_ index: Int, after dependencies: [String], slack: Nanoseconds, isCritical: Bool) -> OperationReport {
        let node = nodes[index]
        let step = graph.graph.nodes[index]
        // By reference: a copy of a policy is an eighth of an operation's report.
        let policy = step.policy
        let isPersonsTime = policy?.value.isPersonsTime == true
        let isMain = step.isMain
        let wasStarted = node.start >= 0
        return OperationReport(
            id: step.id,
            title: policy?.value.title,
            dependencies: dependencies,
            outcome: node.outcome,
            failure: node.outcome == .fellBack ? node.failure : nil,
            ready: node.ready >= 0 ? .nanoseconds(node.ready) : nil,
            start: wasStarted ? .nanoseconds(node.start) : nil,
            end: .nanoseconds(node.end),
            expected: policy?.value.expected,
            attempts: Int(node.attempts),
            lane: node.lane >= 0 && wasStarted && !isMain ? Int(node.lane) + 1 : nil,
            isMain: isMain,
            isInteractive: isPersonsTime || personWaits[index] != nil,
            interactive: .nanoseconds(interactive(index, of: node.duration, isPersonsTime: isPersonsTime)),
            slack: .nanoseconds(slack),
            isCritical: isCritical,
            isCut: node.isCut,
            isDeferred: node.isDeferred,
            message: message(index),
            notes: (policy?.value.notes ?? []) + (notes[index] ?? [])
        )
    }

    private func outcome() -> LaunchReport.Outcome {
        switch stop {
        case .aborted(let node, let reason)?: return .aborted(by: graph.id(node), reason: reason)
        case .cancelled?: return .cancelled
        case .failed(let node)?: return failed(node)
        case .deadline?:
            let late = stragglers.filter { nodes[$0].outcome == .timedOut }
            guard let first = late.first else {
                let node = firstUnended
                if attemptsNotMade[node] != nil { return failed(node) }
                return failed(node, "had not \(nodes[node].start >= 0 ? "ended" : "started") at the launch's deadline")
            }
            let running = late.prefix(10).map { printable(graph.id($0)) }
            let more = late.count > 10 ? " and \(late.count - 10) more" : ""
            let others = running.count > 1 ? " (still running: \(running.joined(separator: ", "))\(more))" : ""
            return failed(first, "still running at the launch's deadline" + others)
        case nil:
            // A launch that never reached its milestone has not done what it is for.
            guard let milestone = graph.milestoneIndex, nodes[milestone].outcome == .skipped, !nodes[milestone].isSkippedAlone
            else { return .completed }
            return failed(milestone)
        }
    }

    private func failed(_ node: Int, _ message: String? = nil) -> LaunchReport.Outcome {
        .failed(operation: graph.id(node), message: message ?? self.message(node) ?? "failed")
    }

    /// The operation that was furthest of those that the launch's stop has kept from going on, where none ran: one between two attempts, or else one that
    /// could have started.
    private var firstUnended: Int {
        let kept = nodes.indices.filter { node in
            nodes[node].end == end && (nodes[node].outcome == .cancelled || nodes[node].outcome == .failed && attemptsNotMade[node] != nil)
        }
        return kept.first { nodes[$0].start >= 0 } ?? kept.first { nodes[$0].ready >= 0 } ?? kept.first ?? 0
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
        case .skipped where value.cause < 0: return graph.policy(node).skipReason.map(skippedText) ?? "its condition was false"
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
            if nodes[node].isComputingFallback, nodes[node].outcome == .timedOut {
                return "its fallback was not computed within its timeout" + timeout
            }
            if nodes[node].attempts == 0 { return "its condition did not answer within its timeout" + timeout }
            return "not ended after its timeout" + timeout
        case .cancelled:
            if nodes[node].isStraggler { return "told to cancel, and still running after the grace period" }
            if nodes[node].start < 0 { return "cancelled before it started" }
            if nodes[node].isToldToCancel || stop?.aborter == node { return "cancelled while it ran" }
            if nodes[node].attempts == 0 { return "cancelled while its condition was asked" }
            guard let attempt = attemptsNotMade[node] else { return "cancelled, and not by the launch" }
            return "cancelled before attempt \(attempt); attempt \(attempt - 1): \(messages[node] ?? "failed")"
        default:
            var message = messages[node] ?? "failed"
            if let attempt = attemptsNotMade[node] { message += " (no time left for attempt \(attempt))" }
            return message
        }
    }

    private func cutMessage(_ node: Int) -> String {
        let expected = graph.policy(node).expected.map { ", with \(durationText($0)) expected" } ?? ""
        let start = nodes[node].start
        if start < 0 { return "not started: there was no time left in the budget" }
        return
            "cut after \(durationText(.nanoseconds(nodes[node].end - start)))\(expected), to keep the budget of \(durationText(budget?.limit ?? .zero))"
    }

    private func description(of stop: LaunchStateMachine.Stop) -> String {
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

    private func budgetResult() -> BudgetResult {
        let milestone = graph.milestoneIndex.flatMap { nodes[$0].outcome.isSuccess ? $0 : nil }
        let spent = min(interactive, endOfMeasuring)
        let measured = .nanoseconds(endOfMeasuring - spent) + startOffset
        let overrun = budget.map { measured - $0.limit } ?? .zero
        return BudgetResult(
            budget: budget,
            measured: measured,
            interactive: .nanoseconds(spent),
            questions: questions.map { .nanoseconds($0.lowerBound)..<(.nanoseconds($0.upperBound)) },
            isMet: overrun <= .zero && !isBroken,
            causes: overrun > .zero ? causes(of: overrun.nanoseconds, until: milestone) : []
        )
    }

    /// Whether the launch failed or was cancelled: it never got where its budget leads. One that was aborted on purpose got somewhere else.
    private var isBroken: Bool {
        switch stop {
        case .failed?, .deadline?, .cancelled?: true
        case .aborted?: false
        case nil: graph.milestoneIndex.map { nodes[$0].outcome == .skipped && !nodes[$0].isSkippedAlone } ?? false
        }
    }

    /// The operations on the way to the milestone that explain `overrun`: first those that took longer than was expected of them, the largest
    /// excess first, then, if that was not all, those that took longest. A person's time explains nothing.
    private func causes(of overrun: Nanoseconds, until milestone: Int?) -> [String] {
        func own(_ node: Int) -> Nanoseconds { nodes[node].duration - interactive(node) }
        let way = chain(endingWith: milestone ?? nodes.indices.max { nodes[$0].end < nodes[$1].end }).filter { own($0) > 0 }
        func excess(_ node: Int) -> Nanoseconds { own(node) - (graph.policy(node).expected?.nanoseconds ?? 0) }
        // What is within a hundredth of its expectation was not what went wrong.
        let slow = way.filter { excess($0) > own($0) / 100 }.sorted { excess($0) > excess($1) }
        var explained: Nanoseconds = 0
        var causes: [Int] = []
        for node in slow where explained < overrun {
            explained += excess(node)
            causes.append(node)
        }
        let named = Set(causes)
        for node in way.sorted(by: { own($0) > own($1) }) where explained < overrun && !named.contains(node) {
            explained += own(node)
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
    package var isSuccess: Bool { self == .succeeded || self == .fellBack }
}
