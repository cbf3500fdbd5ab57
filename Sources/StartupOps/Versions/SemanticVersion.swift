import Sequencer
import StartupNetworking

/// A version of an app, ordered by the precedence of Semantic Versioning 2.0.0 (semver.org, section 11).
///
/// Versions that people and stores write are read leniently: see ``init(_:)``. Build metadata has no part in
/// precedence, so it is not kept.
///
/// ```swift
/// SemanticVersion("v1.10") == SemanticVersion(1, 10, 0)     // true
/// SemanticVersion(1, 9) < SemanticVersion(1, 10)            // true
/// ```
public struct SemanticVersion: Sendable, Hashable {
    /// Incompatible changes.
    let major: UInt32
    /// Additions.
    let minor: UInt32
    /// Corrections.
    let patch: UInt32
    /// The parts behind the hyphen, such as `beta` and `2`, numbers without zeros before them; empty for a release.
    let prerelease: [String]

    /// Whether it comes before a release.
    var isPrerelease: Bool { !prerelease.isEmpty }
}

extension SemanticVersion: Comparable, LosslessStringConvertible, Codable {
    /// A release.
    public init(_ major: UInt32, _ minor: UInt32 = 0, _ patch: UInt32 = 0) {
        self.init(major: major, minor: minor, patch: patch, prerelease: [])
    }

    /// Numbers compare as numbers, and a prerelease is lower than its release.
    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        let numbers = ((left.major, left.minor, left.patch), (right.major, right.minor, right.patch))
        if numbers.0 != numbers.1 { return numbers.0 < numbers.1 }
        if left.prerelease.isEmpty || right.prerelease.isEmpty { return left.isPrerelease && !right.isPrerelease }
        // Of two lists with an equal beginning the longer one is higher (section 11.4.4), as in this order.
        return left.prerelease.lexicographicallyPrecedes(right.prerelease) { left, right in
            switch (Self.number(left), Self.number(right)) {
            case (let left?, let right?): left < right
            // Numbers before texts, and texts by their bytes.
            case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
            case (let number, nil): number != nil
            case (nil, _): false
            }
        }
    }

    /// The number that an identifier is; nil for a text, also for one such as `-0`.
    private static func number(_ identifier: String) -> UInt64? {
        identifier.utf8.allSatisfy(\.isASCIIDigit) ? UInt64(identifier) : nil
    }

    /// Whether it may be a version of the app whose version is `own`, and no date or time such as 2026.11.29,
    /// 29.11.2026 or 1764460800: its first part is below 1,000, or ten times that of `own`, and no other part is a
    /// year, 1970 to 2199, where that of `own` is below 1,000.
    func isComparable(with own: SemanticVersion) -> Bool {
        let isYear = [(minor, own.minor), (patch, own.patch)].contains { $0.1 < 1000 && (1970..<2200).contains($0.0) }
        return !isYear && (major < 1000 || UInt64(major) < UInt64(own.major) * 10)
    }

    /// The version with all three parts: `1.10.0-beta.2`.
    public var description: String {
        let release = "\(major).\(minor).\(patch)"
        return prerelease.isEmpty ? release : release + "-" + prerelease.joined(separator: ".")
    }

    /// The longest text that is read, in bytes.
    static let maximumLength = 256

    /// Reads a version leniently: spaces around it, a leading "v", leading zeros and missing parts (which are zero) do
    /// no harm.
    ///
    /// - Returns: nil for a text that is not a version: empty or negative parts, letters outside of a prerelease, more
    ///   than three parts, a date, numbers above 4,294,967,295 (in a prerelease: above 2⁶⁴ - 1), or more than 256
    ///   bytes, also when all three parts are written.
    public init?(_ description: String) {
        guard description.utf8.count <= Self.maximumLength else { return nil }
        // By scalars: a hyphen with a combining mark behind it is another `Character`.
        let form = /[ \t-\r]*[vV]?([0-9.]+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?[ \t-\r]*/
        guard let match = description.wholeMatch(of: form.matchingSemantics(.unicodeScalar)) else { return nil }
        func parts(_ text: Substring?) -> [Substring] {
            text?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        }
        let (release, identifiers) = (parts(match.1), parts(match.2))
        let numbers = release.compactMap { UInt32($0) }
        guard release.count <= 3, numbers.count == release.count else { return nil }
        if (identifiers + parts(match.3)).contains("") { return nil }
        // A date, such as 2026-11-29, would be higher than every version of the app.
        if numbers.count == 1, match.2?.first?.isNumber == true { return nil }
        let prerelease = identifiers.compactMap { identifier in
            identifier.allSatisfy(\.isNumber) ? UInt64(identifier).map(String.init) : String(identifier)
        }
        guard prerelease.count == identifiers.count else { return nil }
        let (major, minor, patch) = (numbers[0], numbers.dropFirst().first ?? 0, numbers.dropFirst(2).first ?? 0)
        self.init(major: major, minor: minor, patch: patch, prerelease: prerelease)
        // Written with the parts that were missing it is longer, and has to be read again.
        guard prerelease.isEmpty || self.description.utf8.count <= Self.maximumLength else { return nil }
    }

    /// Reads a version from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let version = SemanticVersion(text) else {
            let finding = "\"\(printable(text, limit: 40))\" is no version; one looks like 1.4.0"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: finding)
        }
        self = version
    }

    /// Writes the version as a string with all three parts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
