/// A version of an app, ordered by the precedence of Semantic Versioning 2.0.0 (semver.org, section 11).
///
/// What people and stores write is read leniently: see ``init(_:)``. Build metadata has no part in precedence, so it is not kept.
///
/// ```swift
/// SemanticVersion("v1.10") == SemanticVersion(1, 10, 0)     // true
/// SemanticVersion(1, 9) < SemanticVersion(1, 10)            // true
/// ```
public struct SemanticVersion: Sendable, Hashable {
    /// A part of what stands behind the hyphen.
    public enum PrereleaseIdentifier: Sendable, Hashable {
        /// A number; numbers are lower than texts.
        case number(UInt64)
        /// ASCII letters, digits and hyphens; ordered by their bytes.
        case text(String)
    }

    /// Incompatible changes.
    public let major: UInt32
    /// Additions.
    public let minor: UInt32
    /// Corrections.
    public let patch: UInt32
    /// What stands behind the hyphen, such as `beta` and `2`; empty for a release.
    public let prerelease: [PrereleaseIdentifier]

    /// A release.
    public init(_ major: UInt32, _ minor: UInt32 = 0, _ patch: UInt32 = 0) {
        self.init(major: major, minor: minor, patch: patch, prerelease: [])
    }

    init(major: UInt32, minor: UInt32, patch: UInt32, prerelease: [PrereleaseIdentifier]) {
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease
    }

    /// Whether it comes before a release.
    public var isPrerelease: Bool { !prerelease.isEmpty }
}

extension SemanticVersion: Comparable {
    /// Numbers compare as numbers, and a prerelease is lower than its release.
    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        let numbers = ((left.major, left.minor, left.patch), (right.major, right.minor, right.patch))
        if numbers.0 != numbers.1 { return numbers.0 < numbers.1 }
        if left.prerelease.isEmpty || right.prerelease.isEmpty { return left.isPrerelease && !right.isPrerelease }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease)
    }
}

extension SemanticVersion.PrereleaseIdentifier: Comparable {
    /// Numbers by value, texts by their bytes, and numbers before texts.
    public static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }
}

extension SemanticVersion.PrereleaseIdentifier: CustomStringConvertible {
    /// The identifier as it is written.
    public var description: String {
        switch self {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }
}

extension SemanticVersion: CustomStringConvertible {
    /// The version with all three parts: `1.10.0-beta.2`.
    public var description: String {
        let release = "\(major).\(minor).\(patch)"
        return prerelease.isEmpty ? release : release + "-" + prerelease.map(\.description).joined(separator: ".")
    }
}
