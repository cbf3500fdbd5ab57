/// A part of the auto-restore, in the order in which they run.
public enum SDKRestoreStep: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// What the person is entitled to.
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

/// Decides what is restored.
struct SDKRestorePlan {
    /// What the person is entitled to; nil as long as that is not known.
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
