import Foundation

/// How a launch, and each of its operations, ended: in words where something went wrong.
extension RunRecord {
    /// How the launch proper ended.
    func outcome() -> LaunchReport.Outcome {
        // A stop after that concerns what ran on, which has an outcome of its own.
        if endOfLaunchProper != nil { return .completed }
        if let stop { return outcome(of: stop) }
        guard isMilestoneLost, let milestone = graph.milestoneIndex else { return .completed }
        return failed(milestone)
    }

    /// The outcome of a launch that was stopped so.
    func outcome(of stop: LaunchStateMachine.Stop) -> LaunchReport.Outcome {
        switch stop {
        case .aborted(let node, let reason): return .aborted(by: graph.id(node), reason: reason)
        case .cancelled: return .cancelled
        case .failed(let node): return failed(node)
        case .deadline:
            let late = stragglers.filter { nodes[$0].outcome == .timedOut }
            guard let first = late.first else {
                if let event = firstAwaitedAtDeadline { return failed(event) }
                let node = firstUnended
                if attemptsNotMade[node] != nil { return failed(node) }
                return failed(node, "had not \(nodes[node].start >= 0 ? "ended" : "started") at the launch's deadline")
            }
            // A launch may have left thousands behind.
            let running = late.prefix(10).map { printable(graph.id($0)) }
            let more = late.count > 10 ? " and \(late.count - 10) more" : ""
            let others = running.count > 1 ? " (still running: \(running.joined(separator: ", "))\(more))" : ""
            return failed(first, "still running at the launch's deadline" + others)
        }
    }

    func failed(_ node: Int, _ message: String? = nil) -> LaunchReport.Outcome {
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
        // A stop that came later is not why.
        case .cancelled:
            let reason = value.end >= stopTime ? stop : nil
            return reason.map { "not started: \(description(of: $0))" } ?? "cancelled before it started"
        case .skipped where value.cause < 0: return graph.policy(node).skipReason.map(skippedText) ?? "its condition was false"
        case .skipped:
            let root = Int(max(value.cause, 0))
            let id = printable(graph.id(root))
            return switch nodes[root].outcome {
            case .skipped where graph.policy(root).skipReason != nil: noValue + "\(id), which was left out"
            case .skipped: noValue + "\(id), whose condition was false"
            case .timedOut: "\(id) timed out"
            case .cancelled: "\(id) was cancelled"
            default: "\(id) failed"
            }
        }
    }

    private func failureMessage(_ node: Int, _ outcome: Outcome) -> String {
        if let message = eventMessage(node, outcome) { return message }
        switch outcome {
        case .timedOut:
            if nodes[node].isStraggler, stop == .deadline { return "still running at the launch's deadline" }
            if nodes[node].isCut { return cutMessage(node) }
            let timeout = graph.policy(node).timeout.map { " of \(durationText($0))" } ?? ""
            if nodes[node].hasFallenBack, nodes[node].outcome == .timedOut {
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
            "cut after \(durationText(.nanoseconds(nodes[node].end - start)))\(expected), to keep the budget of \(durationText(facts.budget?.limit ?? .zero))"
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
}

// Operations that wait for an event. They have no code of their own, so their messages name the event.
extension RunRecord {
    /// Why such an operation did not succeed, in one sentence; nil for others, and where the event has failed.
    func eventMessage(_ node: Int, _ outcome: Outcome) -> String? {
        guard let name = graph.eventName(node), nodes[node].attempts > 0, !nodes[node].isCut else { return nil }
        // Its fallback's own end.
        if nodes[node].hasFallenBack, nodes[node].outcome != .fellBack { return nil }
        let event = "the event '\(printable(name))'"
        switch outcome {
        case .timedOut:
            if isAtDeadline(node) { return "\(event) had not come at the launch's deadline" }
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

    private func isAtDeadline(_ node: Int) -> Bool { stop == .deadline && nodes[node].end >= stopTime }
}
