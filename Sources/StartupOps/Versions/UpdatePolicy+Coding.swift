import Foundation
import Sequencer
import StartupNetworking
import StartupStorage

extension UpdatePolicy: Codable {
    private enum CodingKeys: String, CodingKey {
        case minimumVersion, recommendedVersion, maintenance, message, store
    }

    private enum MaintenanceKeys: String, CodingKey {
        case enabled, message, until, seenAt
    }

    /// Longer texts are cut: they are to be shown to a person.
    private static let maximumTextLength = 1_000

    /// Reads the fields of an answer that make sense, and ignores the others.
    ///
    /// - Throws: a `DecodingError` only when the answer is not an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        minimumVersion = version(.minimumVersion, isExpected: true, in: container)
        recommendedVersion = version(.recommendedVersion, isExpected: false, in: container)
        message = text(.message, in: container)?.unlessBlank
        store = store(in: container)
        maintenance = maintenance(in: container)
    }

    /// Writes the fields, without those that were ignored.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(minimumVersion, forKey: .minimumVersion)
        try container.encodeIfPresent(recommendedVersion, forKey: .recommendedVersion)
        try container.encodeIfPresent(message, forKey: .message)
        try container.encodeIfPresent(store?.absoluteString, forKey: .store)
        if let maintenance {
            var nested = container.nestedContainer(keyedBy: MaintenanceKeys.self, forKey: .maintenance)
            // Without it, one that has neither a message nor an end would be read as none.
            try nested.encode(true, forKey: .enabled)
            try nested.encodeIfPresent(maintenance.message, forKey: .message)
            try nested.encodeIfPresent(maintenance.until.map { $0.formatted(.iso8601) }, forKey: .until)
            try nested.encodeIfPresent(maintenance.seenAt.map { $0.formatted(.iso8601) }, forKey: .seenAt)
        }
    }

    private mutating func version(_ key: CodingKeys, isExpected: Bool, in container: KeyedDecodingContainer<CodingKeys>) -> SemanticVersion?
    {
        if isExpected, !container.contains(key) || container.isNull(key) {
            ignore(key.rawValue, container.contains(key) ? "it is null where a version was expected" : "it is missing")
        }
        guard let text = value(String.self, key, "a version", in: container) else { return nil }
        if let version = SemanticVersion(text) { return version }
        ignore(key.rawValue, "\(Self.shown(text)) is no version; one looks like 1.4.0")
        return nil
    }

    /// A value of one of the fields; nil where it is absent, null, which stands for absent, or of another type.
    private mutating func value<Value: Decodable, Key: CodingKey>(
        _ type: Value.Type,
        _ key: Key,
        _ expected: String,
        in container: KeyedDecodingContainer<Key>,
        of parent: String = ""
    ) -> Value? {
        guard container.contains(key), !container.isNull(key) else { return nil }
        if let value = try? container.decode(type, forKey: key) { return value }
        ignore(parent + key.stringValue, "it is \(container.kind(of: key)) where \(expected) was expected")
        return nil
    }

    /// An unexpected text, if it is short: a long one may be a secret.
    private static func shown(_ text: String) -> String {
        let count = text.unicodeScalars.count
        return count > 20 ? "a text of \(count) characters" : "\"\(ForeignText.shown(text))\""
    }

    private mutating func text<Key: CodingKey>(_ key: Key, in container: KeyedDecodingContainer<Key>, of parent: String = "") -> String? {
        value(String.self, key, "a text", in: container, of: parent).map { plainText($0, limit: Self.maximumTextLength) }
    }

    /// An address that a person may be sent to: nothing that calls, runs or reads something on the device.
    private mutating func store(in container: KeyedDecodingContainer<CodingKeys>) -> URL? {
        guard let address = text(.store, in: container) else { return nil }
        if address.utf8.count < Self.maximumTextLength, let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            // Other schemes could call somebody, or open another app.
            ["https", "itms-apps"].contains(scheme), url.addressViolation == nil
        {
            return url
        }
        ignore("store", "\(Self.shown(address)) is no address of a store; one looks like https://apps.example.com/app")
        return nil
    }

    /// Maintenance that its own fields announce: `enabled`, an end, or without those a message. An end that cannot be
    /// read announces none: it may have passed.
    private mutating func maintenance(in container: KeyedDecodingContainer<CodingKeys>) -> Maintenance? {
        guard container.contains(.maintenance), !container.isNull(.maintenance) else { return nil }
        if let isEnabled = try? container.decode(Bool.self, forKey: .maintenance) { return isEnabled ? Maintenance() : nil }
        guard let nested = try? container.nestedContainer(keyedBy: MaintenanceKeys.self, forKey: .maintenance) else {
            ignore("maintenance", "it is \(container.kind(of: .maintenance)) where an object was expected")
            return nil
        }
        var isEnabled: Bool?
        if nested.contains(.enabled), !nested.isNull(.enabled) {
            isEnabled = value(Bool.self, .enabled, "true or false", in: nested, of: "maintenance.")
            // What cannot be read closes nothing.
            guard isEnabled == true else { return nil }
        }
        var maintenance = Maintenance(message: text(.message, in: nested, of: "maintenance.")?.unlessBlank)
        let hasEnd = hasEnd(&maintenance, in: nested)
        // Kept by this process, never taken from a service: see `completed(by:at:)`.
        maintenance.seenAt = (try? nested.decode(String.self, forKey: .seenAt)).flatMap(Self.date)
        if isEnabled == true || maintenance.until != nil { return maintenance }
        return hasEnd || maintenance.message == nil ? nil : maintenance
    }

    /// Reads the end of a maintenance.
    ///
    /// - Returns: whether there is one, readable or not.
    private mutating func hasEnd(_ maintenance: inout Maintenance, in nested: KeyedDecodingContainer<MaintenanceKeys>) -> Bool {
        guard nested.contains(.until), !nested.isNull(.until) else { return false }
        if let seconds = try? nested.decode(Double.self, forKey: .until) {
            // From 2001 to 5138: a smaller number, or one of milliseconds, is a mistake.
            maintenance.until = (1e9..<1e11).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
            if maintenance.until == nil { ignore("maintenance.until", "it is a number that is no time in seconds since 1970") }
            return true
        }
        guard let text = text(.until, in: nested, of: "maintenance.") else { return true }
        // A blank text says as little as null.
        guard text.unlessBlank != nil else { return false }
        maintenance.until = Self.date(text)
        if maintenance.until == nil { ignore("maintenance.until", "\(Self.shown(text)) is no date; one looks like 2026-11-21T10:00:00Z") }
        return true
    }

    /// A date by RFC 3339.
    private static func date(_ text: String) -> Date? {
        // In one of two styles: that with fractions may not read a date without them.
        (try? Date.ISO8601FormatStyle().parse(text)) ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }
}

extension KeyedDecodingContainer {
    fileprivate func isNull(_ key: Key) -> Bool { (try? decodeNil(forKey: key)) ?? false }

    /// The kind of a value, in words.
    fileprivate func kind(of key: Key) -> String {
        if isNull(key) { return "null" }
        if (try? decode(Bool.self, forKey: key)) != nil { return "a boolean" }
        if (try? decode(String.self, forKey: key)) != nil { return "a string" }
        if (try? decode(Double.self, forKey: key)) != nil { return "a number" }
        if (try? nestedUnkeyedContainer(forKey: key)) != nil { return "an array" }
        if (try? nestedContainer(keyedBy: Key.self, forKey: key)) != nil { return "an object" }
        return "a value out of range"
    }
}

/// A policy as it is kept for later launches, with the time at which the service was asked: of several processes that
/// ask, the one that asked last counts.
struct KeptUpdatePolicy: Codable, Sendable {
    let policy: UpdatePolicy
    /// Nil where that is not known.
    let askedAt: MachineTime?

    private enum CodingKeys: String, CodingKey { case askedAt }

    init(_ policy: UpdatePolicy, askedAt: MachineTime?) { (self.policy, self.askedAt) = (policy, askedAt) }

    init(from decoder: any Decoder) throws {
        policy = try UpdatePolicy(from: decoder)
        // `try?`: a policy whose time cannot be read is still a policy.
        askedAt = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(MachineTime.self, forKey: .askedAt)
    }

    func encode(to encoder: any Encoder) throws {
        try policy.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(askedAt, forKey: .askedAt)
    }

    /// Whether the service was asked for it after another process has asked. A time that is later than `now` says
    /// nothing: it would outrank every later answer.
    func wasAsked(after other: MachineTime?, now: MachineTime? = MachineTime.now) -> Bool {
        guard let askedAt, let other, now?.time(since: askedAt) != nil, let time = askedAt.time(since: other) else { return false }
        return time > .zero
    }
}
