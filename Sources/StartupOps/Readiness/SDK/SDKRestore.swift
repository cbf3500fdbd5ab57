import Sequencer
import StartupNetworking

/// A part of the auto-restore that belongs to an SDK, such as the sync of values counted while the app was away.
///
/// ```swift
/// SDKRestoreStep("walking sync", unless: { $0?.contains("premium") == true ? nil : "the person is not entitled to it" }) { deadline in
///     try await client.sync(by: deadline)
/// }
/// ```
public struct SDKRestoreStep: Sendable {
    /// Its name, in logs and reports.
    let name: String
    private let reasonToSkip: @Sendable (Set<String>?) -> String?
    private let restore: @Sendable (Deadline) async throws -> Void

    /// A part.
    ///
    /// - Parameters:
    ///   - reasonToSkip: says why there is nothing to do; nil when there is. It gets the user's entitlements, nil
    ///       where they could not be fetched.
    ///   - restore: does it, off the main thread. At the deadline its task is cancelled, and nobody waits for it any
    ///       more.
    public init(
        _ name: String,
        unless reasonToSkip: @escaping @Sendable (_ entitlements: Set<String>?) -> String? = { _ in nil },
        restore: @escaping @Sendable (Deadline) async throws -> Void
    ) {
        self.name = name
        self.reasonToSkip = reasonToSkip
        self.restore = restore
    }

    fileprivate func outcome(_ entitlements: Set<String>?, by deadline: Deadline) async -> SDKRestoreOutcome {
        if let reason = reasonToSkip(entitlements) { return .skipped(because: reason) }
        do {
            try await restore(deadline)
            return .restored
        } catch {
            return .failed("\(error)")
        }
    }
}

/// How one part of the auto-restore ended.
public struct SDKRestoreResult: Sendable, Hashable, CustomStringConvertible {
    /// The part: `entitlements`, or the name of an ``SDKRestoreStep``.
    let step: String
    /// How it ended.
    let outcome: SDKRestoreOutcome

    /// The part and its outcome.
    public var description: String { "\(step) \(outcome)" }
}

/// How a part of the auto-restore ended.
enum SDKRestoreOutcome: Sendable, Hashable, CustomStringConvertible {
    /// It is as it was.
    case restored
    /// It had nothing to do.
    case skipped(because: String)
    /// It went wrong; the rest continues without it.
    case failed(String)

    /// The outcome in a few words.
    var description: String {
        switch self {
        case .restored: "restored"
        case .skipped(let reason): "skipped, \(reason)"
        case .failed(let message): "failed: \(message)"
        }
    }
}

extension SDKLifecycle {
    private static let entitlements = "entitlements"

    /// Restores in the background: first the entitlements, then the SDK's own parts. The SDK is ready at the end, or at
    /// the deadline, also when parts fail.
    func startRestore(_ session: any SDKSession, _ generation: Int) {
        // Asked once: the names have to be those of the parts that run.
        let steps = session.restoreSteps
        state.withLock { if $0.isRestoring(generation) { $0.current?.restoreNames = [Self.entitlements] + steps.map(\.name) } }
        let deadline = Deadline.after(options.restoreTimeout)
        // Weak: a restore that hangs must not keep the SDK.
        let timer = DeadlineTimer(deadline) { [weak self] in self?.endRestore(generation, timedOut: true) }
        let task = Task { [weak self, services = storage.services] in
            var entitlements: Set<String>?
            var outcome = SDKRestoreOutcome.restored
            do {
                if let token = try await Self.refreshedToken(of: session, services, by: deadline) { self?.log.redact(token) }
                entitlements = try await session.fetchEntitlements(by: deadline)
            } catch {
                outcome = .failed("\(error)")
            }
            self?.note(Self.entitlements, outcome, generation)
            for step in steps {
                // Not kept between the steps: one that hangs must not keep the SDK alive.
                guard let begun = self?.isRestoring(generation), begun else { return }
                let outcome = await step.outcome(entitlements, by: deadline)
                self?.note(step.name, outcome, generation)
            }
            self?.endRestore(generation, timedOut: false)
        }
        let isOver = state.withLock { state in
            guard state.isRestoring(generation) else { return true }
            state.current?.restore = (task, timer)
            return false
        }
        // It ended before it was stored: nobody else has the timer.
        if isOver { timer?.cancel() }
    }

    /// Has an access token refreshed that says itself that it has expired, or does so within a minute.
    ///
    /// - Returns: the new one, which messages of the restore may quote.
    private static func refreshedToken(
        of session: any SDKSession,
        _ services: any SDKServices,
        by deadline: Deadline
    ) async throws -> Secret? {
        guard let token = services.storedAccessToken().value, let expiry = JSONWebToken(token.value)?.expiry,
            expiry.timeIntervalSinceNow < 60
        else { return nil }
        try await session.refreshToken(by: deadline)
        return services.storedAccessToken().value
    }

    private func isRestoring(_ generation: Int) -> Bool { state.withLock { $0.isRestoring(generation) } }

    private func note(_ step: String, _ outcome: SDKRestoreOutcome, _ generation: Int) {
        let log: SDKLog? = state.withLock { state in
            // A late part of an older generation says nothing about this one.
            guard state.isRestoring(generation) else { return nil }
            state.restoreOutcomes.append(SDKRestoreResult(step: step, outcome: outcome))
            return state.log
        }
        guard let log else { return }
        if case .failed = outcome {
            log.write(.error, Self.tag, "restoring \(step) \(outcome)")
        } else {
            log.write(.info, Self.tag, "\(step): \(outcome)")
        }
    }

    private func endRestore(_ generation: Int, timedOut: Bool) {
        let ended = state.withLock { state -> Generation? in
            guard state.isRestoring(generation), let current = state.current else { return nil }
            state.current?.isReady = true
            state.current?.restore = nil
            if timedOut {
                let outcome = SDKRestoreOutcome.failed("not over at the deadline of \(durationText(options.restoreTimeout))")
                // The unfinished parts: outcomes come in the order of the parts.
                for step in current.restoreNames.dropFirst(state.restoreOutcomes.count) {
                    state.restoreOutcomes.append(SDKRestoreResult(step: step, outcome: outcome))
                }
            }
            tell(isReady: true)
            return current
        }
        guard let ended else { return }
        ended.restore?.timer?.cancel()
        if timedOut {
            ended.restore?.task.cancel()
            log.write(.error, Self.tag, "the auto-restore was not over at its deadline of \(durationText(options.restoreTimeout))")
        }
    }
}
