/// What is due at a time: timeouts, the next attempts, and the time that a person takes from them.
extension LaunchStateMachine {
    func isDue(_ timer: Timer) -> Bool {
        let state = nodes[Int(timer.node)].state
        return switch timer.kind {
        case .retry: state == .pausing
        // After a wait for a person there is another timer, for the time at which the timeout is then due.
        case .timeout:
            state != .ended && !nodes[Int(timer.node)].isComputingFallback && timeoutTime(of: Int(timer.node)) == timer.time
        }
    }

    mutating func fire(_ timer: Timer, _ actions: inout Actions) {
        let node = Int(timer.node)
        switch timer.kind {
        case .retry:
            enqueue(node)
        case .timeout:
            if nodes[node].state == .running {
                tellToCancel(node, &actions)
                replaceWorker(of: node)
            }
            notSucceeded(node, .timedOut)
        }
        // Ends must take effect before the next timer fires, or it would find this operation still running.
        drainEnds(&actions)
    }

    mutating func setTimeout(_ node: Int) {
        guard traits[node].contains(.hasTimeout), let time = timeoutTime(of: node) else { return }
        timers.push(Timer(time: time, sequence: nextTimerSequence(), node: Int32(node), kind: .timeout))
    }

    /// When a started operation's timeout is due; nil while it waits for a person, and without one.
    func timeoutTime(of node: Int) -> Nanoseconds? {
        let start = nodes[node].start
        guard start >= 0, traits[node].contains(.hasTimeout), let timeout = graph.policy(node).timeout else { return nil }
        let end = start.addingSaturated(timeout.nanoseconds)
        guard !personWaits.isEmpty, let wait = personWaits[node] else { return end }
        return wait.isRunning ? nil : end.addingSaturated(wait.total)
    }

    // MARK: Waiting for a person

    mutating func beginPersonWait(_ node: Int) {
        let now = time
        personWaits[node, default: PersonWait()].begin(at: now)
        interactive.begin(at: now)
    }

    mutating func endPersonWait(_ node: Int) {
        let now = time
        guard personWaits[node]?.isRunning == true else { return }
        personWaits[node]?.end(at: now)
        interactive.end(at: now)
        if personWaits[node]?.isRunning == false { setTimeout(node) }
    }

    mutating func endPersonWaits(_ node: Int) {
        let now = time
        while personWaits[node]?.isRunning == true {
            personWaits[node]?.end(at: now)
            interactive.end(at: now)
        }
    }

    mutating func nextTimerSequence() -> Int {
        timerSequence += 1
        return timerSequence
    }
}
