import Sequencer

/// A launch as it was at some time, by its report.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
struct ReportedMoment {
    let fraction: Double
    let running: [String]
    let waits: [LaunchModel.Wait]
    let remaining: Duration?
    let outcome: LaunchReport.Outcome?

    init(_ report: LaunchReport, at time: Duration) {
        let ids = needs(of: report.milestone, report.operations.map { ($0.id, $0.dependencies) })
        let needed = report.operations.filter { ids.contains($0.id) }
        let ended = needed.count { $0.end <= time }
        fraction = needed.isEmpty ? 0 : Double(ended) / Double(needed.count)
        let running = report.operations.filter { operation in operation.start.map { $0 <= time } ?? false && time < operation.end }
            .sorted { ($0.start ?? .zero) < ($1.start ?? .zero) }
        self.running = running.map(\.id)
        let isAsked = report.budget.questions.contains { $0.contains(time) }
        waits = running.compactMap { operation in
            if let event = operation.awaitedEvent { return .event(event, operation: operation.id) }
            return isAsked && operation.isInteractive ? .person(operation: operation.id) : nil
        }
        let isOver = time >= report.endOfLaunchProper
        outcome = isOver ? report.outcome : nil
        // Other waits do not hold up the milestone.
        let isHeldUp = waits.contains { wait in needed.contains { $0.id == wait.operation } }
        remaining = isOver || isHeldUp ? nil : report.timeToMilestone(from: time, needed)
    }
}

extension LaunchReport {
    /// The time from `time` to the end of the launch proper, without the time of users whom operations ask that the
    /// milestone needs.
    fileprivate func timeToMilestone(from time: Duration, _ needed: [OperationReport]) -> Duration {
        let askers = needed.filter(\.isInteractive).sorted { ($0.start ?? $0.end) < ($1.start ?? $1.end) }
        var (left, seen) = (endOfLaunchProper - time, time)
        for question in budget.questions {
            for asker in askers {
                // Two may ask at once: the time that they share counts once.
                let begin = max(seen, question.lowerBound, asker.start ?? asker.end)
                let end = min(question.upperBound, asker.end, endOfLaunchProper)
                if begin < end { (left, seen) = (left - (end - begin), end) }
            }
        }
        return left
    }
}
