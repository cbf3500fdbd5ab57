import Foundation

/// What an update policy means for one version at one moment.
public enum UpdateDecision: Sendable, Hashable {
    /// The version may be used.
    case mayContinue
    /// The version may be used, and there is a better one.
    case recommended(SemanticVersion)
    /// The version may not be used any more.
    case required(minimum: SemanticVersion, message: String?)
    /// The service is closed for a while; nil as an end means that nobody knows.
    case maintenance(message: String?, until: Date?)

    /// Whether the launch ends here.
    public var stopsLaunch: Bool {
        switch self {
        case .mayContinue, .recommended: false
        case .required, .maintenance: true
        }
    }
}

extension UpdatePolicy {
    /// What this policy means for `version` at `date`.
    ///
    /// A required update comes before maintenance: it can be had in the meantime. Maintenance comes before a recommendation.
    public func decision(for version: SemanticVersion, at date: Date) -> UpdateDecision {
        if let minimumVersion, version < minimumVersion { return .required(minimum: minimumVersion, message: message) }
        if let maintenance, maintenance.until.map({ date < $0 }) ?? true {
            return .maintenance(message: maintenance.message, until: maintenance.until)
        }
        if let recommendedVersion, version < recommendedVersion { return .recommended(recommendedVersion) }
        return .mayContinue
    }

    /// What is decided from what the service has answered now and what it answered before: it fails open.
    ///
    /// An answer counts, and what it says replaces all that was known: a requirement can so be lifted. Where there is no answer, or its minimum
    /// makes no sense, the last known minimum still holds, as long as this version is below it. Nothing else is taken from the past: a
    /// recommendation is not worth it, and who has lost the service cannot know whether its maintenance goes on.
    ///
    /// - Parameters:
    ///   - answer: what the service has answered now; nil when it has not, whatever the reason.
    ///   - lastKnown: what was kept of earlier answers: see ``completed(by:)``.
    public static func decision(
        answer: UpdatePolicy?,
        lastKnown: UpdatePolicy?,
        for version: SemanticVersion,
        at date: Date
    ) -> UpdateDecision {
        (answer ?? UpdatePolicy()).completed(by: lastKnown).decision(for: version, at: date)
    }

    /// This policy with the last known minimum (and the message that went with it) in place of one that it does not have: what to keep
    /// for the next launch.
    public func completed(by lastKnown: UpdatePolicy?) -> UpdatePolicy {
        guard minimumVersion == nil, let lastKnown, let minimum = lastKnown.minimumVersion else { return self }
        var policy = self
        policy.minimumVersion = minimum
        policy.message = message ?? lastKnown.message
        return policy
    }
}
