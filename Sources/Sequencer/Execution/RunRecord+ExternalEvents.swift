// Operations that wait for an event: they have no code of which something could be said.
extension RunRecord {
    /// Why such an operation did not succeed, in one sentence; nil for others, and where the event has failed.
    func eventMessage(_ node: Int, _ outcome: Outcome) -> String? {
        guard let name = graph.eventName(node), nodes[node].attempts > 0, !nodes[node].isCut else { return nil }
        // Its fallback's own end.
        if nodes[node].isComputingFallback, nodes[node].outcome != .fellBack { return nil }
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
