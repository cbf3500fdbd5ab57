import Foundation

/// The facts of a launch before it runs, as its report says them.
struct LaunchFacts: Sendable {
    /// Nil: none was given.
    let budget: Budget?
    /// The time between the budget's origin and the launch's begin.
    let startOffset: Duration
    /// How the process began, where the time before the launch is not the launch's.
    let processStart: ProcessStart?
    /// The launch of the process before this one.
    let prologue: Boxed<LaunchReport>?
    let version: String?
    let attributes: [String: String]
    /// By the wall clock; nil in virtual time.
    let startedAt: Date?
    /// The deadline by its owner: the launch, or the step that runs it and has less time left.
    let deadlineName: String

    init(_ budget: Budget?, _ options: LaunchOptions) {
        let age = budget?.isFromProcessStart == true ? options.processAge() : nil
        let start = budget?.isFromProcessStart == true ? ProcessStart.judged(options.processStart, age: age) : options.processStart
        processStart = start == .person ? nil : start
        startOffset = start == .person ? age ?? .zero : .zero
        // Where that time is unknown, or not the launch's, the budget counts from the launch, and the report says so.
        self.budget = start == .person ? budget : budget?.fromLaunch
        prologue = options.boxedPrologue
        let isOuter = options.outerLimit.map { $0 < options.deadline.limit(beside: budget) ?? OperationGraph.maximumDuration } ?? false
        deadlineName = isOuter ? "the deadline of the step that runs the launch" : "the launch's deadline"
        version = options.version
        attributes = options.attributes
        // To the millisecond, as it is written: a report that is read again is the same.
        startedAt = options.isVirtual ? nil : Date().roundedToMilliseconds
    }
}

/// The final state of a launch, as the state machine had it; or, while it continues after its milestone, its state so
/// far.
///
/// Handing it over costs nothing. The report is made from it when somebody first asks for it, since that takes longer
/// than a short launch.
final class RunRecord: Sendable {
    let facts: LaunchFacts
    let graph: ValidatedGraph
    /// As it was when this was made.
    private let machine: LaunchStateMachine
    let nodes: [LaunchStateMachine.Node]
    /// Why operations failed, by operation.
    let messages: [Int: String]
    let notes: [Int: [String]]
    let anomalies: [Anomaly]
    /// The scopes that had ended.
    let scopes: [(name: String, start: Nanoseconds, record: RunRecord)]
    /// For how long the machine slept.
    private let suspended: Nanoseconds
    private let processorTimes: ProcessorTimes
    /// The processor time of the process since the launch began; nil where it is not measured.
    private let processorTime: Nanoseconds?
    private let made = Locked<Boxed<LaunchReport>?>(nil)

    /// - Parameters:
    ///   - state: only read; handed over like this because handing over a copy counts every reference in it.
    ///   - anomalies: those that the state does not know.
    init(
        _ state: inout LaunchStorage.State,
        _ facts: LaunchFacts,
        suspended: Nanoseconds,
        processorTime: Nanoseconds?,
        anomalies: [Anomaly]
    ) {
        self.facts = facts
        machine = state.machine
        graph = machine.graph
        nodes = machine.nodes
        messages = state.messages
        notes = state.notes
        self.anomalies = state.anomalies + anomalies
        scopes = state.scopes.ended
        self.suspended = suspended
        (processorTimes, self.processorTime) = (state.processorTimes, processorTime)
    }

    var stop: LaunchStateMachine.Stop? { machine.stop }
    /// When the launch proper ended, with its milestone; nil where that was never reached.
    var endOfLaunchProper: Nanoseconds? { machine.endOfLaunchProper }
    /// When the launch ended, or was when this was made.
    var end: Nanoseconds { isOver ? machine.endOfLaunch : machine.time }
    private var isOver: Bool { machine.phase == .over }

    // MARK: The report

    /// The report, made when it is first asked for. Two threads that ask at once may both make it; one of the two,
    /// which are equal, is kept.
    var report: LaunchReport {
        if let made = made.withLock({ $0 }) { return made.value }
        let report = Boxed(makeReport())
        return made.withLock { made in
            made = made ?? report
            return made ?? report
        }.value
    }

    private func makeReport() -> LaunchReport {
        // Read once: each reading is an atomic load through a generic type, an eighth of what an operation's report
        // costs.
        let predecessors = graph.predecessors
        let holdUps = HoldUps(nodes.indices.map(use), order: graph.order, dependencies: predecessors)
        let last = self.last
        let critical = last.map(holdUps.path) ?? []
        // By place: a set would hash each operation, which costs a seventh of its report.
        var isCritical = [Bool](repeating: false, count: nodes.count)
        for node in critical { isCritical[node] = true }
        let laneLimit = machine.settings.lanes
        let (standstill, threadsLeftBehind) = (machine.standstill, machine.replacedWorkers.count)
        let slack = last.map { holdUps.slacks(endingWith: $0, countsAll: endOfLaunchProper == nil, laneLimit: laneLimit) } ?? []
        let scopeReports = scopes.map { LaunchReport.Scope(name: $0.name, start: .nanoseconds($0.start), report: $0.record.report) }
        var lastReader = [Int32](repeating: -1, count: nodes.count)
        return LaunchReport(
            scenario: graph.name,
            version: facts.version,
            attributes: facts.attributes,
            startedAt: facts.startedAt,
            isVirtual: facts.startedAt == nil,
            outcome: outcome(),
            budget: budgetResult(critical, holdUps),
            milestone: graph.milestone,
            initialDisplay: graph.initialDisplay,
            beforeRun: facts.budget?.isFromProcessStart == true ? facts.startOffset : nil,
            processStart: facts.processStart,
            makespan: .nanoseconds(end),
            work: .nanoseconds(nodes.reduce(Nanoseconds(0)) { $0.addingSaturated($1.duration) }),
            criticalPathDuration: .nanoseconds(critical.reduce(Nanoseconds(0)) { $0.addingSaturated(nodes[$1].duration) }),
            criticalPath: critical.map(graph.id),
            lanes: laneLimit ?? lanesUsed,
            hasLaneLimit: laneLimit != nil,
            resourceLimits: graph.graph.resourceLimits,
            operations: nodes.indices.lazy.filter { self.nodes[$0].state == .ended }.map {
                operationReport(
                    $0,
                    after: identifiers(of: predecessors[$0], of: $0, &lastReader),
                    slack: slack.isEmpty ? 0 : slack[$0],
                    isCritical: isCritical[$0]
                )
            },
            stragglers: machine.stragglers.map(graph.id),
            afterMilestone: afterMilestone,
            standstill: .nanoseconds(standstill),
            suspended: .nanoseconds(suspended),
            threadsLeftBehind: threadsLeftBehind,
            otherProcessorTime: processorTime.map { .nanoseconds(max(0, $0 - stepsOnThreads)) },
            processors: processorTime.map { _ in Worker.processors },
            anomalies: anomalies
                + (standstill > 0 ? [.processStoodStill(for: .nanoseconds(standstill))] : [])
                + (threadsLeftBehind > 0 ? [.threadsLeftBehind(threadsLeftBehind)] : []),
            scopes: scopeReports
        )
    }

    /// The processor time of the steps, and of those of scopes that have ended.
    private var stepsOnThreads: Nanoseconds {
        scopes.reduce(processorTimes.onThreads) { $0 + $1.record.stepsOnThreads }
    }

    /// The number of lanes that have run operations; operations that only asked a false condition do not count.
    private var lanesUsed: Int {
        var isUsed = [Bool](repeating: false, count: machine.lanes.widest)
        for node in nodes where node.lane >= 0 && node.start >= 0 { isUsed[Int(node.lane)] = true }
        return isUsed.count { $0 }
    }

    /// The dependencies of an operation, each once: a step may read a value of another, and wait for it besides.
    ///
    /// - Parameter lastReader: for each operation the one that was asked about last and depends on it; -1 before the
    ///   first. A single array for a whole report, where a set for each operation would be an allocation for each.
    private func identifiers(
        of dependencies: ArraySlice<AdjacencyList.Neighbour>,
        of node: Int,
        _ lastReader: inout [Int32]
    ) -> [String] {
        var identifiers: [String] = []
        identifiers.reserveCapacity(dependencies.count)
        for place in dependencies.startIndex..<dependencies.endIndex {
            let dependency = dependencies[place].index
            // A deferred operation may continue when the launch proper has ended.
            if lastReader[dependency] == Int32(node) || nodes[dependency].state != .ended { continue }
            lastReader[dependency] = Int32(node)
            identifiers.append(graph.id(dependency))
        }
        return identifiers
    }

    /// For how long an operation asked the user.
    private func interactive(_ node: Int) -> Nanoseconds {
        let duration = nodes[node].duration
        return graph.nodes[node].policy?.value.isPersonsTime == true ? duration : min(asked(node) ?? 0, duration)
    }

    /// For how long an operation asked the user, as it has said itself; a question that continues counts up to now.
    func asked(_ node: Int) -> Nanoseconds? {
        guard !machine.personWaits.isEmpty, let asked = machine.personWaits[node]?.asked, asked.hasBegun else { return nil }
        return asked.total(at: end)
    }

    /// The operation whose end was that of the launch proper: its milestone, the one that the launch failed at or was
    /// aborted by, or the last one to end. Nil if none ran.
    private var last: Int? {
        if endOfLaunchProper != nil { return graph.milestoneIndex }
        switch outcome() {
        case .aborted(let id, _), .failed(let id, _): return graph.positions[id]
        case .completed, .cancelled:
            return nodes.indices.filter { nodes[$0].start >= 0 && nodes[$0].state == .ended }.max { nodes[$0].end < nodes[$1].end }
        }
    }

    // MARK: After the milestone

    private var afterMilestone: LaunchReport.AfterMilestone? {
        guard let endOfLaunchProper else { return nil }
        let later = nodes.indices.filter { nodes[$0].isAfterMilestone || nodes[$0].state != .ended }
        if later.isEmpty { return nil }
        return LaunchReport.AfterMilestone(
            outcome: isOver ? outcomeAfterMilestone(later) : nil,
            start: .nanoseconds(endOfLaunchProper),
            operations: later.map(graph.id),
            failures: later.filter { nodes[$0].state == .ended && nodes[$0].hasFailed }.map(graph.id),
            stragglers: machine.stragglers.filter { nodes[$0].isAfterMilestone }.map(graph.id)
        )
    }

    /// The first failure of an operation that is required says how it ended, if nothing has stopped it.
    private func outcomeAfterMilestone(_ later: [Int]) -> LaunchReport.Outcome {
        if let stop { return outcome(of: stop) }
        let required = later.filter { node in
            (nodes[node].hasFailed || nodes[node].outcome == .cancelled) && graph.policy(node).onFailure == .required
        }
        return required.min { nodes[$0].end < nodes[$1].end }.map { failed($0) } ?? .completed
    }

    private func operationReport(_ index: Int, after dependencies: [String], slack: Nanoseconds, isCritical: Bool) -> OperationReport {
        let node = nodes[index]
        let step = graph.nodes[index]
        // By reference: a copy of a policy is an eighth of an operation's report.
        let policy = step.policy
        let isMain = step.isMain
        let wasStarted = node.start >= 0
        let processorTime = processorTimes.time(of: index, attempts: Int(node.attempts))
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
            delay: policy?.value.delay,
            attempts: Int(node.attempts),
            lane: node.lane >= 0 && wasStarted && !isMain ? Int(node.lane) + 1 : nil,
            isMain: isMain,
            suspends: isMain && policy?.value.suspends == true,
            exclusive: policy?.value.exclusive ?? [],
            isInteractive: policy?.value.isPersonsTime == true && wasStarted || asked(index) != nil,
            interactive: .nanoseconds(interactive(index)),
            slack: .nanoseconds(slack),
            isCritical: isCritical,
            isCut: node.isCut,
            isDeferred: node.isDeferred,
            isCuttable: policy?.value.canBeCut ?? false,
            isDeferrable: policy?.value.isDeferrable ?? false,
            message: message(index),
            processorTime: processorTime.map { .nanoseconds($0.used) },
            runnableTime: processorTime?.runnable.map { .nanoseconds($0) },
            // The graph's notes, then those that the operation wrote while it ran.
            notes: (policy?.value.notes ?? []) + (notes[index] ?? [])
        )
    }

    // MARK: Budget

    private func budgetResult(_ path: [Int], _ holdUps: HoldUps) -> BudgetResult {
        // A milestone that succeeds while the launch stops has been reached too.
        let milestone = graph.milestoneIndex.map { nodes[$0] }.flatMap { node in
            node.state == .ended && (endOfLaunchProper != nil || node.outcome.isSuccess) ? node : nil
        }
        let endOfMeasuring = milestone?.end ?? end
        let interactive = milestone.flatMap { _ in machine.interactiveAtMilestone } ?? machine.interactive
        let spent = min(interactive.total(at: endOfMeasuring), endOfMeasuring)
        let startOffset = facts.startOffset
        let measured = .nanoseconds(endOfMeasuring - spent) + startOffset
        let overrun = facts.budget.map { measured - $0.limit } ?? .zero
        // The time before the launch explains as much of it as it took.
        let rest = (overrun - startOffset).nanoseconds
        let own = overrun > max(startOffset, .zero) ? causes(of: rest, path, holdUps) : []
        return BudgetResult(
            budget: facts.budget,
            measured: measured,
            interactive: .nanoseconds(spent),
            questions: interactive.intervals(at: endOfMeasuring).map { .nanoseconds($0.lowerBound)..<(.nanoseconds($0.upperBound)) },
            isMet: overrun <= .zero && !isBroken,
            causes: causesBeforeRun(of: min(overrun, startOffset)) + own
        )
    }

    /// Whether the launch never reached the end that its budget counts to: it failed, was cancelled, or continued
    /// without its milestone. A launch that was aborted on purpose got somewhere else.
    private var isBroken: Bool {
        let isMilestoneMissed = graph.milestoneIndex.map { nodes[$0].state == .ended && !nodes[$0].outcome.isSuccess } ?? false
        if endOfLaunchProper != nil { return isMilestoneMissed }
        return switch stop {
        case .failed?, .deadline?, .cancelled?: true
        case .aborted?: false
        case nil: isMilestoneMissed
        }
    }

    /// The operations of the prologue that explain `overrun`, the largest share first: what each took beyond its
    /// expected duration, or all that it took. One that took less than a tenth of the time before the launch explains
    /// nothing: most of that time is often the system's.
    private func causesBeforeRun(of overrun: Duration) -> [String] {
        guard overrun > .zero, let prologue = facts.prologue?.value else { return [] }
        var (explained, causes) = (Duration.zero, [String]())
        let shares = prologue.operations.map { operation in
            (id: operation.id, time: operation.duration - operation.interactive - (operation.expected ?? .zero))
        }
        for share in shares.inOrder(by: { $0.time > $1.time }) where share.time * 10 >= facts.startOffset {
            if explained >= overrun { break }
            explained += share.time
            causes.append(share.id)
        }
        return causes
    }

    /// The operations of the critical path that explain `overrun`: first those that took longer than expected, or that
    /// only held up the next one, the largest share first, then, if these do not explain all of it, those that took
    /// longest. The user's time explains nothing.
    private func causes(of overrun: Nanoseconds, _ path: [Int], _ holdUps: HoldUps) -> [String] {
        guard let last = path.last else { return [] }
        func own(_ node: Int) -> Nanoseconds { nodes[node].duration - interactive(node) }
        let way = path.filter { own($0) > 0 }
        let isNeeded = graph.leading(to: last)
        // How long an operation held up the next one, for those that kept a resource and were not depended on.
        var delays: [Int: Nanoseconds] = [:]
        for (node, next) in zip(path, path.dropFirst()) where !isNeeded[node] && holdUps.holder(of: next) == node {
            delays[node] = min(own(node), nodes[next].start - nodes[next].ready)
        }
        func excess(_ node: Int) -> Nanoseconds? { graph.policy(node).expected.map { own(node) - $0.nanoseconds } }
        func share(_ node: Int) -> Nanoseconds { delays[node].map { max($0, excess(node) ?? 0) } ?? excess(node) ?? own(node) }
        // The excess of an operation without an expected duration is unknown.
        func isKnown(_ node: Int) -> Bool { delays[node] != nil || graph.policy(node).expected != nil }
        // Ignore steps that exceeded their expectation by less than 1 %.
        let slow = way.filter { share($0) > own($0) / 100 }
            .inOrder { isKnown($0) != isKnown($1) ? isKnown($0) : share($0) > share($1) }
        var explained: Nanoseconds = 0
        var causes: [Int] = []
        for node in slow where explained < overrun {
            explained += share(node)
            causes.append(node)
        }
        let named = Set(causes)
        for node in way.inOrder(by: { own($0) > own($1) }) where explained < overrun && !named.contains(node) {
            explained += own(node)
            causes.append(node)
        }
        return causes.map(graph.id)
    }

    private func use(_ index: Int) -> HoldUps.Use {
        let node = nodes[index]
        // By reference, as above.
        let (isMain, policy) = (graph.nodes[index].isMain, graph.nodes[index].policy)
        let start = node.start >= 0 && node.state == .ended ? node.start : nil
        return HoldUps.Use(
            ready: node.ready >= 0 ? HoldUps.ready(node.ready, policy?.value.delay, start) : nil,
            start: start,
            end: node.state == .ended ? node.end : -1,
            lane: node.lane >= 0 && !isMain ? Int(node.lane) : nil,
            isMain: isMain,
            suspends: policy?.value.suspends ?? false,
            exclusive: policy?.value.exclusive ?? [],
            isCancelled: node.state == .ended && node.outcome == .cancelled
        )
    }
}

extension LaunchStateMachine.Node {
    /// From its first start to its end; zero when it never started.
    var duration: Nanoseconds { start >= 0 && state == .ended ? end - start : 0 }

    var hasFailed: Bool { outcome == .failed || outcome == .timedOut }
}

extension Outcome {
    /// Whether the operation left its value, or its fallback's.
    package var isSuccess: Bool { self == .succeeded || self == .fellBack }
}

/// How a launch, and each of its operations, ended: in words where something went wrong.
extension RunRecord {
    /// How the launch proper ended.
    func outcome() -> LaunchReport.Outcome {
        // A later stop concerns the remaining operations, which have a separate outcome.
        if endOfLaunchProper != nil { return .completed }
        if let stop { return outcome(of: stop) }
        guard isMilestoneLost(graph, nodes), let milestone = graph.milestoneIndex else { return .completed }
        return failed(milestone)
    }

    /// The outcome of a launch that was stopped so.
    func outcome(of stop: LaunchStateMachine.Stop) -> LaunchReport.Outcome {
        switch stop {
        case .aborted(let node, let reason): return .aborted(by: graph.id(node), reason: reason)
        case .cancelled: return .cancelled
        case .failed(let node): return failed(node)
        case .deadline:
            let late = machine.stragglers.filter { nodes[$0].outcome == .timedOut }
            guard let first = late.first else {
                if let event = firstAwaitedAtDeadline { return failed(event) }
                let node = firstUnended
                if machine.attemptsNotMade[node] != nil { return failed(node) }
                return failed(node, "had not \(nodes[node].start >= 0 ? "ended" : "started") at \(facts.deadlineName)")
            }
            // A launch may have left thousands behind.
            let running = listed(late, limit: 10) { printable(graph.id($0)) }
            let others = late.count > 1 ? " (still running: \(running))" : ""
            return failed(first, "still running at \(facts.deadlineName)" + others)
        }
    }

    func failed(_ node: Int, _ message: String? = nil) -> LaunchReport.Outcome {
        .failed(operation: graph.id(node), message: message ?? self.message(node) ?? "failed")
    }

    /// The operation that was furthest of those that the launch's stop has kept from going on, where none ran: one
    /// between two attempts, or else one that could have started.
    private var firstUnended: Int {
        let kept = nodes.indices.filter { node in
            let (outcome, isFailedAttempt) = (nodes[node].outcome, machine.attemptsNotMade[node] != nil)
            return nodes[node].end == end && (outcome == .cancelled || outcome == .failed && isFailedAttempt)
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
        // A stop that came later is not why.
        case .cancelled:
            let reason = value.end >= machine.stopTime ? stop : nil
            return reason.map { "not started: \(description(of: $0))" } ?? "cancelled before it started"
        case .skipped where value.cause < 0: return graph.policy(node).skipReason.map(skippedText) ?? "its condition was false"
        case .skipped:
            let root = Int(value.cause)
            guard nodes[root].outcome == .skipped else { return end(of: root) }
            let why = graph.policy(root).skipReason != nil ? "which was left out" : "whose condition was false"
            return noValue + printable(graph.id(root)) + ", " + why
        }
    }

    private func failureMessage(_ node: Int, _ outcome: Outcome) -> String {
        if let message = eventMessage(node, outcome) { return message }
        switch outcome {
        case .timedOut:
            if nodes[node].isStraggler { return "still running at \(facts.deadlineName)" }
            if nodes[node].isCut { return cutMessage(node) }
            let timeout = machine.timeout(of: node).map { " of \(durationText($0))" } ?? ""
            if nodes[node].hasFallenBack, nodes[node].outcome == .timedOut {
                return "its fallback was not computed within its timeout" + timeout
            }
            if nodes[node].attempts == 0 { return "its condition did not answer within its timeout" + timeout }
            if nodes[node].hasAttemptTimedOut { return lastAttemptMessage(node) }
            return "not ended after its timeout" + timeout
        case .cancelled:
            if nodes[node].isStraggler { return "told to cancel, and still running after the grace period" }
            if nodes[node].start < 0 { return "cancelled before it started" }
            if nodes[node].isToldToCancel || stop?.aborter == node { return "cancelled while it ran" }
            if nodes[node].attempts == 0 { return "cancelled while its condition was asked" }
            guard let attempt = machine.attemptsNotMade[node] else { return "cancelled, and not by the launch" }
            return "cancelled before attempt \(attempt); attempt \(attempt - 1): \(attemptMessage(node))"
        default: return lastAttemptMessage(node)
        }
    }

    /// Why an operation's last attempt has failed.
    private func attemptMessage(_ node: Int) -> String {
        guard nodes[node].hasAttemptTimedOut, let timeout = graph.policy(node).retry?.timeout else { return messages[node] ?? "failed" }
        return "not ended after the timeout of \(durationText(timeout)) of each attempt"
    }

    private func lastAttemptMessage(_ node: Int) -> String {
        attemptMessage(node) + (machine.attemptsNotMade[node].map { " (no time left for attempt \($0))" } ?? "")
    }

    private func cutMessage(_ node: Int) -> String {
        let expected = graph.policy(node).expected.map { ", with \(durationText($0)) expected" } ?? ""
        let start = nodes[node].start
        if start < 0 { return "not started: there was no time left in the budget" }
        return
            "cut after \(durationText(.nanoseconds(nodes[node].end - start)))\(expected), to keep the budget of \(durationText(facts.budget?.limit ?? .zero))"
    }

    /// The end of an operation that has kept others from running.
    private func end(of node: Int) -> String {
        let id = printable(graph.id(node))
        return switch nodes[node].outcome {
        case .timedOut: "\(id) timed out"
        case .cancelled: "\(id) was cancelled"
        default: "\(id) failed"
        }
    }

    private func description(of stop: LaunchStateMachine.Stop) -> String {
        switch stop {
        case .failed(let node): end(of: node)
        case .deadline: "the launch met its deadline"
        case .aborted(let node, let reason): "\(printable(graph.id(node))) aborted the launch (\(reason))"
        case .cancelled: "the launch was cancelled"
        }
    }

    // Operations that wait for an event. They have no code, so their messages name the event.

    /// Why such an operation did not succeed, in one sentence; nil for others, and where the event has failed.
    func eventMessage(_ node: Int, _ outcome: Outcome) -> String? {
        guard let name = graph.eventName(node), nodes[node].attempts > 0, !nodes[node].isCut else { return nil }
        // Its fallback's own end.
        if nodes[node].hasFallenBack, nodes[node].outcome != .fellBack { return nil }
        let event = "the event '\(printable(name))'"
        switch outcome {
        case .timedOut:
            if isAtDeadline(node) { return "\(event) had not come at \(facts.deadlineName)" }
            let timeout = graph.policy(node).timeout.map { " within its timeout of \(durationText($0))" } ?? ""
            return "\(event) did not come\(timeout)"
        case .cancelled: return "cancelled before \(event) had come"
        case .succeeded, .fellBack, .failed, .skipped: return nil
        }
    }

    /// The first operation that waited for an event when the launch met its deadline.
    var firstAwaitedAtDeadline: Int? {
        nodes.indices.first { node in
            nodes[node].state == .ended && nodes[node].outcome == .timedOut && graph.eventName(node) != nil && isAtDeadline(node)
        }
    }

    private func isAtDeadline(_ node: Int) -> Bool { stop == .deadline && nodes[node].end >= machine.stopTime }
}
