import Testing

@testable import Sequencer

/// What must hold of every launch, whatever its operations do.
struct LaunchInvariants {
    let plan: RandomLaunch
    let events: [LaunchEvent]
    let report: LaunchReport
    private(set) var violations: [String] = []

    init(_ plan: RandomLaunch, _ result: PlannedLaunch.Result) {
        self.plan = plan
        events = result.events
        report = result.report
        checkOrder()
        checkTimes()
        checkLanesAndResources()
        checkInteractiveTime()
        checkAnomalies()
        checkMilestone()
    }

    /// Only checks the order of `events`, which somebody has seen who asked late.
    init(orderOf events: [LaunchEvent], _ plan: RandomLaunch, _ report: LaunchReport) {
        self.plan = plan
        self.events = events
        self.report = report
        checkOrder()
    }

    /// Whoever did what it should not have done is named, and nobody else.
    private mutating func checkAnomalies() {
        for anomaly in report.anomalies where anomaly.kind == .finishedAgain {
            let step = index(anomaly.operation ?? "")
            let isKnown = plan.steps[step].finishesTwice || plan.steps[step].hangs
            expect(isKnown, anomaly.description)
        }
    }

    private mutating func expect(_ condition: Bool, _ violation: String) {
        if !condition { violations.append(violation) }
    }

    private func index(_ id: String) -> Int { Int(id.dropFirst(2)) ?? -1 }

    /// What a step has waited for: one that was asked early, and never began, for the value alone.
    private func awaited(_ step: Int, by operation: OperationReport?) -> [Int] {
        if plan.isAskedEarly(step), operation?.attempts == 0 { return [plan.decider(of: step)].compactMap(\.self) }
        return plan.steps[step].dependencies
    }

    /// Every operation ends once; it starts after its dependencies ended; nothing starts after the launch stopped; the launch ends last.
    private mutating func checkOrder() {
        var ended = Set<Int>()
        var started: [Int: Int] = [:]
        var ready = Set<Int>()
        var isStopped = false
        for event in events {
            switch event.kind {
            case .launchStarted: expect(event == events.first, "the launch started late")
            case .ready(let id):
                let step = index(id)
                expect(ready.insert(step).inserted, "\(id) became ready twice")
                let awaited = self.awaited(step, by: report[id])
                expect(awaited.allSatisfy(ended.contains), "\(id) was ready before its dependencies had ended")
            case .started(let id, let attempt):
                let step = index(id)
                expect(!isStopped, "\(id) started after the launch had stopped")
                expect(ready.contains(step) && !ended.contains(step), "\(id) started out of order")
                expect(attempt == started[step, default: 0] + 1, "\(id): attempt \(attempt) out of order")
                started[step] = attempt
            case .retrying(let id, let attempt):
                expect(started[index(id)] == attempt, "\(id) retried out of order")
            case .ended(let id, let outcome):
                expect(ended.insert(index(id)).inserted, "\(id) ended twice")
                expect(report[id]?.outcome == outcome, "\(id): event and report disagree")
            case .stopped:
                expect(!isStopped, "stopped twice")
                isStopped = true
            case .launchEnded:
                expect(ended.count == plan.steps.count, "the launch ended before its operations")
                expect(event == events.last, "something happened after the end")
            case .dropped(let count): expect(false, "\(count) events are missing")
            }
        }
        expect(events.last?.kind == .launchEnded, "no end")
        let outcomes = [report.outcome, report.afterMilestone?.outcome ?? .completed]
        let isTroubled = outcomes.contains { $0 != .completed }
        expect(!isStopped || isTroubled, "stopped, and \(outcomes)")
        // A milestone that is skipped, and failures after it, stop nothing.
        expect(isStopped || !isTroubled || plan.milestone != nil, "not stopped, and \(outcomes)")
        expect(isStopped || outcomes.allSatisfy { ["completed", "failed"].contains($0.name) }, "not stopped, and \(outcomes)")
    }

    /// The launch proper ends with its milestone: what had not ended then is told apart, and nothing else is.
    private mutating func checkMilestone() {
        guard let milestone = plan.milestone.map(plan.id), let place = events.firstIndex(where: { $0.kind.isEnd(of: milestone) }) else {
            return expect(report.afterMilestone == nil, "there is no milestone, and something came after it")
        }
        let later = events[place...].dropFirst().compactMap(\.kind.ended)
        let isStoppedBefore = events[..<place].contains { $0.kind == .stopped }
        guard !isStoppedBefore, report.outcome == .completed, report[milestone]?.outcome != .skipped else {
            return expect(report.afterMilestone == nil, "the milestone was not reached, and something came after it")
        }
        expect(Set(report.afterMilestone?.operations ?? []) == Set(later), "\(later) ended after the milestone")
        expect(
            report.afterMilestone.map { $0.start == events[place].time } ?? true,
            "the milestone's end is not where the launch proper ends"
        )
        expect(report.criticalPathDuration <= report.endOfLaunchProper, "the critical path is longer than the launch proper")
        let failures = later.filter { [.failed, .timedOut].contains(report[$0]?.outcome) }
        expect(Set(report.afterMilestone?.failures ?? []) == Set(failures), "\(failures) failed after the milestone")
    }

    private mutating func checkTimes() {
        for operation in report.operations {
            expect(operation.end <= report.makespan, "\(operation.id) ended after the launch")
            guard let start = operation.start else {
                expect(operation.attempts == 0 && operation.lane == nil, "\(operation.id) never started, and yet")
                continue
            }
            expect(operation.ready.map { $0 <= start } ?? false && start <= operation.end, "\(operation.id): times out of order")
            expect(operation.slack >= .zero, "\(operation.id): negative slack")
            for dependency in awaited(index(operation.id), by: operation) {
                expect(report.operations[dependency].end <= start, "\(operation.id) started before \(plan.id(dependency)) ended")
            }
        }
        expect(report.criticalPathDuration <= report.makespan, "the critical path is longer than the launch")
        checkCriticalPath()
    }

    /// Each operation of the critical path starts when the one before it has ended; none could have ended later.
    private mutating func checkCriticalPath() {
        let path = report.criticalPath.compactMap { report[$0] }
        expect(Set(report.criticalPath) == Set(report.operations.filter(\.isCritical).map(\.id)), "the critical path and its marks differ")
        expect(path.allSatisfy { $0.start != nil && $0.slack == .zero }, "the critical path has slack, or what never started")
        for (operation, next) in zip(path, path.dropFirst()) {
            expect(next.start.map { operation.end <= $0 } ?? false, "\(next.id) did not wait for \(operation.id)")
        }
        expect(report.withCriticalPath == report, "the critical path is another one when it is worked out again")
    }

    private mutating func checkLanesAndResources() {
        var running = Set<Int>()
        for event in events {
            switch event.kind {
            // A fallback that is to be computed waits for a lane again, having given back what it held: no event tells.
            case .started(let id, _) where plan.computesFallback(index(id)): continue
            case .started(let id, _): running.insert(index(id))
            case .ended(let id, _), .retrying(let id, _): running.remove(index(id))
            default: continue
            }
            if let lanes = plan.lanes {
                let taken = running.filter { !plan.steps[$0].isOnMain && plan.steps[$0].body != .join }.count
                expect(taken <= lanes, "\(taken) operations on \(lanes) lanes")
            }
            let resources = running.compactMap { plan.steps[$0].resource }
            expect(Set(resources).count == resources.count, "two operations held one resource")
        }
    }

    private mutating func checkInteractiveTime() {
        var open = 0
        var since = Duration.zero
        var total = Duration.zero
        var running = Set<Int>()
        var isMeasured = true
        // Until the milestone has ended, if it was reached.
        let milestone = plan.milestone.map(plan.id).flatMap { report[$0] }
        let isReached = report.outcome == .completed && milestone?.outcome != .skipped || milestone?.outcome.isSuccess == true
        for event in events where isMeasured {
            switch event.kind {
            case .ended(let id, _) where id == milestone?.id && isReached:
                isMeasured = false
                running.remove(index(id))
                if open > 0 { total += event.time - since }
            case .started(let id, _) where plan.steps[index(id)].isInteractive:
                running.insert(index(id))
                if open == 0 { since = event.time }
                open += 1
            case .ended(let id, _), .retrying(let id, _):
                guard running.remove(index(id)) != nil else { continue }
                open -= 1
                if open == 0 { total += event.time - since }
            default: continue
            }
        }
        // A fallback that is being computed is not the person's time; its end comes later than the interval's.
        let computes = plan.steps.contains { $0.isInteractive && $0.hasFallback }
        let asks = plan.steps.contains { $0.personWait != nil }
        expect(
            computes || asks || report.budget.interactive == total,
            "interactive time: \(report.budget.interactive), and by events \(total)"
        )
    }
}

extension LaunchEvent.Kind {
    /// The operation that has ended.
    fileprivate var ended: String? { if case .ended(let id, _) = self { id } else { nil } }

    fileprivate func isEnd(of id: String) -> Bool { ended == id }
}
