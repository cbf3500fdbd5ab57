import Foundation
import StartupNetworking

extension UpdatePolicy: Codable {
    /// Longer texts are cut: they are shown to the user.
    private static let maximumTextLength = 1_000

    private typealias Fields = [String: Field]

    private struct Field: Decodable {
        /// Nil for a value that cannot be held, such as a number of many digits.
        let value: JSONValue?
        /// Each by itself: one that no value can hold does not hide the others.
        let fields: Fields?
        /// Whether it stands for absent, as null and a blank text do.
        var isBlank: Bool { value?.isBlank ?? false }

        init(from decoder: any Decoder) throws {
            value = try? JSONValue(from: decoder)
            fields = try? Fields(from: decoder)
        }
    }

    /// Reads the fields of an answer that make sense, and ignores the others.
    ///
    /// - Throws: a `DecodingError` only when the answer is not an object.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields(from: decoder)
        self.init()
        switch fields["minimumVersion"] {
        case nil: ignore("minimumVersion", "it is missing")
        case let field? where field.value == .null: ignore("minimumVersion", "it is null where a version was expected")
        case let field? where field.isBlank: ignore("minimumVersion", "it is blank where a version was expected")
        case _?: minimumVersion = version("minimumVersion", in: fields)
        }
        recommendedVersion = version("recommendedVersion", in: fields)
        message = text("message", in: fields)?.unlessBlank
        // As it came: cleaned, it would be another address.
        store = value("store", in: fields, "a text", \.text).flatMap { checkedStore($0) }
        maintenance = maintenance(in: fields)
    }

    /// Writes the fields, without those that were ignored.
    public func encode(to encoder: any Encoder) throws {
        var fields: [String: JSONValue] = [:]
        fields["minimumVersion"] = minimumVersion.map { .string("\($0)") }
        fields["recommendedVersion"] = recommendedVersion.map { .string("\($0)") }
        fields["message"] = message.map { .string($0) }
        fields["store"] = store.map { .string($0.absoluteString) }
        if let maintenance {
            // Without `enabled`, one that has neither a message nor an end would be read as none.
            var closed: [String: JSONValue] = ["enabled": true]
            closed["message"] = maintenance.message.map { .string($0) }
            closed["until"] = maintenance.until.map { .string($0.formatted(.iso8601)) }
            closed["seenAt"] = maintenance.seenAt.map { .string($0.formatted(.iso8601)) }
            fields["maintenance"] = .object(closed)
        }
        try fields.encode(to: encoder)
    }

    /// A value of one of the fields; nil where it is absent, null or blank, which stand for absent, or of another type.
    private mutating func value<Value>(
        _ key: String,
        in fields: Fields,
        of parent: String = "",
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) -> Value? {
        guard let field = fields[key], !field.isBlank else { return nil }
        if let value = field.value.flatMap(read) { return value }
        ignore(parent + key, "it is \(field.value?.kind ?? "a value out of range") where \(expected) was expected")
        return nil
    }

    private mutating func version(_ key: String, in fields: Fields) -> SemanticVersion? {
        guard let text = value(key, in: fields, "a version", \.text) else { return nil }
        if let version = SemanticVersion(text) { return version }
        ignore(key, "\(Self.shown(text)) is no version; one looks like 1.4.0")
        return nil
    }

    /// An unexpected text, if it is short: a long one may be a secret.
    private static func shown(_ text: String) -> String {
        let count = text.unicodeScalars.count
        return count > 20 ? "a text of \(count) characters" : "\"\(ForeignText.shown(text))\""
    }

    private mutating func text(_ key: String, in fields: Fields, of parent: String = "") -> String? {
        value(key, in: fields, of: parent, "a text", \.text).map { plainText($0, limit: Self.maximumTextLength) }
    }

    /// An address that the user may be sent to: nothing that calls, runs or reads something on the device.
    mutating func checkedStore(_ address: String) -> URL? {
        if address.utf8.count < Self.maximumTextLength, let url = URL(plain: address),
            let scheme = url.scheme?.lowercased(),
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
    private mutating func maintenance(in fields: Fields) -> Maintenance? {
        guard let field = fields["maintenance"], !field.isBlank else { return nil }
        if case .bool(let isEnabled)? = field.value { return isEnabled ? Maintenance() : nil }
        guard let nested = field.fields else {
            ignore("maintenance", "it is \(field.value?.kind ?? "a value out of range") where an object was expected")
            return nil
        }
        let isEnabled = value("enabled", in: nested, of: "maintenance.", "true or false") { value -> Bool? in
            if case .bool(let isEnabled) = value { isEnabled } else { nil }
        }
        // An unreadable part closes nothing.
        if isEnabled != true, let enabled = nested["enabled"], !enabled.isBlank { return nil }
        var maintenance = Maintenance(message: text("message", in: nested, of: "maintenance.")?.unlessBlank)
        let hasEnd = hasEnd(&maintenance, in: nested)
        // Kept by this process, never taken from a service: see `completed(by:at:)`.
        maintenance.seenAt = nested["seenAt"]?.value?.text.flatMap(Self.date)
        if isEnabled == true || maintenance.until != nil { return maintenance }
        return hasEnd || maintenance.message == nil ? nil : maintenance
    }

    /// Reads the end of a maintenance.
    ///
    /// - Returns: whether there is one, readable or not.
    private mutating func hasEnd(_ maintenance: inout Maintenance, in nested: Fields) -> Bool {
        guard let field = nested["until"], !field.isBlank else { return false }
        if let seconds = field.value?.number {
            // From 2001 to 5138: a smaller number, or one of milliseconds, is a mistake.
            maintenance.until = (1e9..<1e11).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
            if maintenance.until == nil { ignore("maintenance.until", "it is a number that is no time in seconds since 1970") }
            return true
        }
        guard let text = text("until", in: nested, of: "maintenance.") else { return true }
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
