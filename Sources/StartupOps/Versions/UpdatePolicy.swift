import Foundation

/// Which versions of the app the service still serves, as it says itself.
///
/// Every field is judged on its own: what makes no sense is left out and named in ``ignored``, and the rest holds. Nothing that a service
/// could answer keeps an app from starting by accident.
public struct UpdatePolicy: Sendable, Hashable {
    /// A time in which the service is closed.
    public struct Maintenance: Sendable, Hashable {
        /// What to tell the person.
        public var message: String?
        /// When it ends; nil when nobody knows.
        public var until: Date?

        /// A time in which the service is closed.
        public init(message: String? = nil, until: Date? = nil) {
            self.message = message
            self.until = until
        }
    }

    /// A field of an answer that was left out, and why.
    public struct IgnoredField: Sendable, Hashable, CustomStringConvertible {
        /// The field's name, with the names of the fields it is in: `maintenance.until`.
        public let field: String
        /// What was wrong with it.
        public let reason: String

        /// One sentence.
        public var description: String { "\(field) was ignored: \(reason)" }
    }

    /// The lowest version that may be used; nil when none is known.
    public var minimumVersion: SemanticVersion?
    /// The version that everybody should have.
    public var recommendedVersion: SemanticVersion?
    /// Set while the service is closed.
    public var maintenance: Maintenance?
    /// What to tell a person who has to update.
    public var message: String?
    /// What was left out of the answer this was read from. It is not kept when the policy is stored.
    public private(set) var ignored: [IgnoredField] = []

    /// A policy; unless said otherwise, one that asks for nothing.
    public init(
        minimumVersion: SemanticVersion? = nil,
        recommendedVersion: SemanticVersion? = nil,
        maintenance: Maintenance? = nil,
        message: String? = nil
    ) {
        self.minimumVersion = minimumVersion
        self.recommendedVersion = recommendedVersion
        self.maintenance = maintenance
        self.message = message
    }

    mutating func ignore(_ field: String, _ reason: String) {
        ignored.append(IgnoredField(field: field, reason: reason))
    }
}
