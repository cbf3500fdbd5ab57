import Sequencer

extension SDKLifecycle {
    /// Restores in the background. Whatever happens there, the SDK is ready at the end, or at the deadline.
    func startRestore(_ session: any SDKSession, _ generation: Int) {
        let deadline = Deadline.after(options.restoreTimeout)
        let timer = ReadinessTimer(after: options.restoreTimeout) { [weak self] in self?.endRestore(generation, timedOut: true) }
        let task = Task { [weak self] in
            var plan = SDKRestorePlan()
            for step in SDKRestoreStep.allCases {
                // Not kept between the steps: one that hangs must not keep the SDK alive.
                guard let begun = self?.isRestoring(generation), begun else { return }
                let outcome = await Self.restore(step, of: session, &plan, by: deadline)
                self?.note(step, outcome, generation)
            }
            self?.endRestore(generation, timedOut: false)
        }
        let isOver = state.withLock { state in
            guard state.machine.isRestoring(generation) else { return true }
            (state.restore, state.restoreTimer) = (task, timer)
            return false
        }
        if isOver { timer.cancel() }
    }

    private func isRestoring(_ generation: Int) -> Bool { state.withLock { $0.machine.isRestoring(generation) } }

    private static func restore(
        _ step: SDKRestoreStep,
        of session: any SDKSession,
        _ plan: inout SDKRestorePlan,
        by deadline: Deadline
    ) async -> SDKRestoreOutcome {
        if let reason = plan.reasonToSkip(step, of: session) { return .skipped(because: reason) }
        do {
            try await plan.run(step, of: session, by: deadline)
            return .restored
        } catch {
            return .failed("\(error)")
        }
    }

    private func note(_ step: SDKRestoreStep, _ outcome: SDKRestoreOutcome, _ generation: Int) {
        let log: SDKLog? = state.withLock { state in
            guard state.machine.isRestoring(generation) else { return nil }
            state.restoreOutcomes[step] = outcome
            eventLine.enqueue(.restored(step, outcome))
            return state.log
        }
        guard let log else { return }
        if case .failed = outcome {
            log.write(.error, Self.tag, "restoring \(step) \(outcome)")
        } else {
            log.write(.info, Self.tag, "\(step): \(outcome)")
        }
        eventLine.deliver()
    }

    private func endRestore(_ generation: Int, timedOut: Bool) {
        let (ends, task, timer, log) = state.withLock { state in
            let taken = (state.machine.restoreEnded(generation), state.restore, state.restoreTimer, state.log)
            guard taken.0 else { return taken }
            (state.restore, state.restoreTimer) = (nil, nil)
            if timedOut {
                for step in SDKRestoreStep.allCases where state.restoreOutcomes[step] == nil {
                    state.restoreOutcomes[step] = .failed("not over at the deadline of \(durationText(options.restoreTimeout))")
                }
                eventLine.enqueue(.restoreTimedOut)
            }
            readiness.enqueue(true)
            eventLine.enqueue(.ready(true))
            return taken
        }
        guard ends else { return }
        timer?.cancel()
        if timedOut {
            task?.cancel()
            log.write(.error, Self.tag, "the auto-restore was not over at its deadline of \(durationText(options.restoreTimeout))")
        }
        deliver()
    }
}
