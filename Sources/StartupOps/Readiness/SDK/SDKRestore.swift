import Sequencer
import StartupNetworking
import StartupStorage

/// A part of the auto-restore, in the order in which they run.
public enum SDKRestoreStep: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The person's entitlements.
    case entitlements = "entitlements"
    /// Geofencing, where it was active when the app last ran.
    case geofencing = "geofencing"
    /// The walking sync, where the person is entitled to it.
    case walkingSync = "walking sync"

    /// The step's name.
    public var description: String { rawValue }
}

/// How a part of the auto-restore ended.
public enum SDKRestoreOutcome: Sendable, Hashable, CustomStringConvertible {
    /// It is as it was.
    case restored
    /// It had nothing to do.
    case skipped(because: String)
    /// It went wrong; the rest goes on without it.
    case failed(String)

    /// The outcome in a few words.
    public var description: String {
        switch self {
        case .restored: "restored"
        case .skipped(let reason): "skipped, \(reason)"
        case .failed(let message): "failed: \(message)"
        }
    }
}

/// Decides on each part of the restore.
struct SDKRestorePlan {
    /// The person's entitlements; nil as long as they are not known.
    var entitlements: Set<String>?

    /// Why there is nothing to do; nil when there is.
    func reasonToSkip(_ step: SDKRestoreStep, of session: some SDKSession) -> String? {
        switch step {
        case .entitlements: nil
        case .geofencing: session.wasGeofencingActive ? nil : "it was not active"
        case .walkingSync:
            if !session.isWalkingSyncEnabled {
                "it is switched off"
            } else if let entitlements {
                entitlements.contains(session.walkingSyncEntitlement) ? nil : "the person is not entitled to it any more"
            } else {
                "it is not known whether the person is still entitled to it"
            }
        }
    }

    /// Runs a step.
    mutating func run(_ step: SDKRestoreStep, of session: some SDKSession, by deadline: Deadline) async throws {
        switch step {
        case .entitlements: entitlements = try await session.fetchEntitlements(by: deadline)
        case .geofencing: try await session.resumeGeofencing(by: deadline)
        case .walkingSync:
            try await session.startWalkingSync(by: deadline)
            // It may have taken so long that nobody waits for the sync any more, or that it would be one of an ended session.
            try Task.checkCancellation()
            try await session.syncWalkingNow(by: deadline)
        }
    }
}

extension SDKLifecycle {
    /// Restores in the background. The SDK is ready at the end, or at the deadline, also when parts fail.
    func startRestore(_ session: any SDKSession, _ generation: Int) {
        let deadline = Deadline.after(options.restoreTimeout)
        let timer = DeadlineTimer(deadline) { [weak self] in self?.endRestore(generation, timedOut: true) }
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
        if isOver { timer?.cancel() }
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
            eventLine.note(.restored(step, outcome))
            return state.log
        }
        guard let log else { return }
        if case .failed = outcome {
            log.write(.error, Self.tag, "restoring \(step) \(outcome)")
        } else {
            log.write(.info, Self.tag, "\(step): \(outcome)")
        }
        eventLine.handOut()
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
                eventLine.note(.restoreTimedOut)
            }
            readiness.note(true)
            eventLine.note(.ready(true))
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
