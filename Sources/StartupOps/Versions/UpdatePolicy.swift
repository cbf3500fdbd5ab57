import Foundation
import StartupNetworking

/// Which versions of the app the service still serves, as it says itself.
///
/// Every field is judged on its own: what makes no sense is left out and named in `ignored`, and the rest holds.
/// Nothing that a service could answer keeps an app from starting by accident.
public struct UpdatePolicy: Sendable, Hashable {
    /// A time in which the service is closed.
    public struct Maintenance: Sendable, Hashable {
        /// The message for the user.
        var message: String?
        /// When it ends; nil when nobody knows.
        var until: Date?
        /// When a launch has seen it first, if nobody knows when it ends.
        var seenAt: Date?

        /// How long one without a known end lasts at most: a service may have forgotten it.
        static let longest: TimeInterval = 86_400

        /// A time in which the service is closed. Without an end it lasts for as long as the service says so, but a day
        /// at most.
        public init(message: String? = nil, until: Date? = nil) {
            self.message = message
            self.until = until
        }
    }

    /// The lowest version that may be used; nil when none is known.
    var minimumVersion: SemanticVersion?
    /// The version that everybody should have.
    var recommendedVersion: SemanticVersion?
    /// Set while the service is closed.
    var maintenance: Maintenance?
    /// The message for a user who must update.
    var message: String?
    /// Where a user who must update is sent: `https`, or `itms-apps`.
    var store: URL?
    /// The fields of the answer that were left out, each with the reason in one sentence. They are not kept when the
    /// policy is stored.
    private(set) var ignored: [String] = []

    /// A policy; unless said otherwise, one that asks for nothing.
    ///
    /// - Parameter store: where a user who must update is sent: `https`, or `itms-apps`; another address is left out.
    public init(
        minimumVersion: SemanticVersion? = nil,
        recommendedVersion: SemanticVersion? = nil,
        maintenance: Maintenance? = nil,
        message: String? = nil,
        store: URL? = nil
    ) {
        self.minimumVersion = minimumVersion
        self.recommendedVersion = recommendedVersion
        self.maintenance = maintenance
        self.message = message
        self.store = store.flatMap { checkedStore($0.absoluteString) }
    }

    /// This policy as an app of the version `own` takes it: a version that cannot be one of the same app is left out,
    /// for a date would be above them all.
    func believed(by own: SemanticVersion) -> UpdatePolicy {
        var policy = self
        for (field, path) in [("minimumVersion", \Self.minimumVersion), ("recommendedVersion", \Self.recommendedVersion)] {
            guard let version = self[keyPath: path], !version.isComparable(with: own) else { continue }
            policy[keyPath: path] = nil
            policy.ignore(field, "\(ForeignText.shown("\(version)")) cannot be compared with \(own), the app's version; it may be a date")
        }
        return policy
    }

    /// - Parameter field: its name, with the names of the fields it is in: `maintenance.until`.
    mutating func ignore(_ field: String, _ reason: String) { ignored.append("\(field) was ignored: \(reason)") }

    /// The decision of this policy for `version` at `date`.
    ///
    /// A required update comes before maintenance: it can be had in the meantime. Maintenance comes before a
    /// recommendation.
    func decision(for version: SemanticVersion, at date: Date) -> UpdateDecision {
        if let minimumVersion, version < minimumVersion { return .required(minimum: minimumVersion, message: message, store: store) }
        if let maintenance, date < maintenance.until ?? maintenance.seenAt.map({ $0 + Maintenance.longest }) ?? .distantFuture {
            return .maintenance(message: maintenance.message, until: maintenance.until)
        }
        if let recommendedVersion, version < recommendedVersion { return .recommended(recommendedVersion) }
        return .mayContinue
    }

    /// The policy that counts, and is kept for the next launch: this one, and if it has no minimum, the last known
    /// minimum with its message and its store. Maintenance without an end was seen first when the last known one was,
    /// or else now.
    ///
    /// An answer replaces everything that was known: a requirement can so be lifted. Only the minimum is taken from the
    /// past: a recommendation is not worth it, and without the service nobody knows whether its maintenance continues.
    func completed(by lastKnown: UpdatePolicy?, at date: Date) -> UpdatePolicy {
        var policy = self
        if let maintenance, maintenance.until == nil {
            let seenAt = lastKnown?.maintenance?.until == nil ? lastKnown?.maintenance?.seenAt : nil
            // Not later than now: a clock was set back, or a file says anything.
            policy.maintenance?.seenAt = min(seenAt ?? date, date)
        }
        // A minimum in the answer replaces the known one, even if it is lower: services take versions back.
        guard minimumVersion == nil, let lastKnown, let minimum = lastKnown.minimumVersion else { return policy }
        policy.minimumVersion = minimum
        policy.message = message ?? lastKnown.message
        policy.store = store ?? lastKnown.store
        return policy
    }
}

/// The consequence of an update policy for one version at one moment.
public enum UpdateDecision: Sendable, Hashable {
    /// The version may be used.
    case mayContinue
    /// The version may be used, and there is a better one.
    case recommended(SemanticVersion)
    /// The version may not be used any more; nil as a store where the service does not say where to get another.
    case required(minimum: SemanticVersion, message: String?, store: URL? = nil)
    /// The service is closed for a while; nil as an end means that nobody knows.
    case maintenance(message: String?, until: Date?)

    /// Whether the launch ends here.
    var stopsLaunch: Bool {
        switch self {
        case .mayContinue, .recommended: false
        case .required, .maintenance: true
        }
    }
}

/// Where update policies come from.
public protocol UpdatePolicyService: Sendable {
    /// The policy for this version of the app.
    func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy
}
