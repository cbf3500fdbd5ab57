/// How one operation ended. Every operation of a launch ends exactly once.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It did its work.
    case succeeded
    /// It did not, and its fallback took the place of its value.
    case fellBack
    /// It threw, or its last attempt did.
    case failed
    /// It had not ended by its timeout, or by the launch's deadline.
    case timedOut
    /// The launch ended before it did (or before it started), or it was cancelled on its own.
    case cancelled
    /// Its condition was false, or something it depends on did not end in a way that lets it start.
    case skipped
}

/// Why a launch was stopped on purpose.
public struct AbortReason: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The reason's name, as reports show it.
    public let rawValue: String

    /// The reason named `rawValue`.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The reason named by a string literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The name.
    public var description: String { rawValue }

    /// This version of the app may not be used any more.
    public static let forceUpdate: AbortReason = "force-update"
}
