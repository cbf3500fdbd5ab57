import Foundation

// A stored document describes its members once, by a `DocumentWriter`: `JSONWriter` makes text of them in that order, `EncoderWriter` passes them to any
// encoder. `DocumentReader` reads them back; its errors name the key.

/// Receives the members of objects and the elements of arrays, in order. Elements of arrays have no key.
package protocol DocumentWriter {
    mutating func write(_ value: String, for key: String?)
    mutating func write(_ value: Int, for key: String?)
    mutating func write(_ value: Bool, for key: String?)
    mutating func write(milliseconds value: Duration?, for key: String?)
    mutating func writeNull(for key: String?)
    mutating func writeArray(for key: String?, _ elements: (inout Self) -> Void)
    mutating func writeObject(for key: String?, _ members: (inout Self) -> Void)
}

extension DocumentWriter {
    package mutating func write(_ values: some Sequence<String>, for key: String?) {
        writeArray(for: key) { array in
            for value in values { array.write(value, for: nil) }
        }
    }
}

/// Any text as a key, or the place of an element of an array.
private struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int?
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// Passes a document to an encoder. Durations become numbers: milliseconds.
package struct EncoderWriter: DocumentWriter {
    private enum Container {
        case keyed(KeyedEncodingContainer<TextKey>)
        case unkeyed(any UnkeyedEncodingContainer)
    }

    private var container: Container
    /// The first error: writers cannot throw, so the document is described to its end and the error thrown then.
    private var error: (any Error)?

    /// Encodes one object.
    package static func encode(to encoder: any Encoder, _ members: (inout EncoderWriter) -> Void) throws {
        var writer = EncoderWriter(container: .keyed(encoder.container(keyedBy: TextKey.self)))
        members(&writer)
        if let error = writer.error { throw error }
    }

    package mutating func write(_ value: String, for key: String?) { encode(value, for: key) }
    package mutating func write(_ value: Int, for key: String?) { encode(value, for: key) }
    package mutating func write(_ value: Bool, for key: String?) { encode(value, for: key) }
    package mutating func write(milliseconds value: Duration?, for key: String?) {
        guard let value else { return writeNull(for: key) }
        encode(Double(value.nanoseconds) / 1e6, for: key)
    }

    package mutating func writeNull(for key: String?) {
        attempt {
            switch ($0, key) {
            case (.keyed(var keyed), let key?):
                try keyed.encodeNil(forKey: TextKey(key))
                // Put back: a container may be a value that changes with each member.
                $0 = .keyed(keyed)
            case (.unkeyed(var unkeyed), _):
                try unkeyed.encodeNil()
                $0 = .unkeyed(unkeyed)
            // A member without a key has no place. No document writes one.
            default: break
            }
        }
    }

    package mutating func writeArray(for key: String?, _ elements: (inout EncoderWriter) -> Void) {
        let nested: Container
        switch (container, key) {
        case (.keyed(var keyed), let key?):
            nested = .unkeyed(keyed.nestedUnkeyedContainer(forKey: TextKey(key)))
            container = .keyed(keyed)
        case (.unkeyed(var unkeyed), _):
            nested = .unkeyed(unkeyed.nestedUnkeyedContainer())
            container = .unkeyed(unkeyed)
        default: return
        }
        write(into: nested, elements)
    }

    package mutating func writeObject(for key: String?, _ members: (inout EncoderWriter) -> Void) {
        let nested: Container
        switch (container, key) {
        case (.keyed(var keyed), let key?):
            nested = .keyed(keyed.nestedContainer(keyedBy: TextKey.self, forKey: TextKey(key)))
            container = .keyed(keyed)
        case (.unkeyed(var unkeyed), _):
            nested = .keyed(unkeyed.nestedContainer(keyedBy: TextKey.self))
            container = .unkeyed(unkeyed)
        default: return
        }
        write(into: nested, members)
    }

    private mutating func write(into nested: Container, _ body: (inout EncoderWriter) -> Void) {
        var writer = EncoderWriter(container: nested)
        body(&writer)
        // The first error counts, also one of a member within.
        error = error ?? writer.error
    }

    private mutating func encode(_ value: some Encodable, for key: String?) {
        attempt {
            switch ($0, key) {
            case (.keyed(var keyed), let key?):
                try keyed.encode(value, forKey: TextKey(key))
                $0 = .keyed(keyed)
            case (.unkeyed(var unkeyed), _):
                try unkeyed.encode(value)
                $0 = .unkeyed(unkeyed)
            default: break
            }
        }
    }

    private mutating func attempt(_ body: (inout Container) throws -> Void) {
        guard error == nil else { return }
        do { try body(&container) } catch { self.error = error }
    }
}

/// Reads one object of a document. Every error is a `DecodingError` with the path of the value.
package struct DocumentReader {
    private let values: KeyedDecodingContainer<TextKey>

    /// The longest time that is read, some three centuries: a little less than there are nanoseconds to count.
    private static let maximumMilliseconds = 9e12
    private static let maximumCount = 1_000_000

    package init(_ decoder: any Decoder) throws {
        values = try decoder.container(keyedBy: TextKey.self)
    }

    private init(_ values: KeyedDecodingContainer<TextKey>) { self.values = values }

    /// An error about the value of `key`, or about the element of its array at `place`.
    package func error(_ key: String, at place: Int? = nil, _ reason: String) -> DecodingError {
        let keys = [TextKey(key)] + (place.map { [TextKey(intValue: $0)] } ?? [])
        return .dataCorrupted(.init(codingPath: values.codingPath + keys, debugDescription: reason))
    }

    // MARK: Required values

    package func string(_ key: String) throws -> String { try values.decode(String.self, forKey: TextKey(key)) }
    package func flag(_ key: String) throws -> Bool { try values.decode(Bool.self, forKey: TextKey(key)) }
    package func duration(_ key: String) throws -> Duration { try range(key, try values.decode(Double.self, forKey: TextKey(key))) }
    // As a number of any kind: Foundation's JSON decoder does not say where it found a number that is not whole.
    package func count(_ key: String) throws -> Int { try whole(key, try values.decode(Double.self, forKey: TextKey(key))) }

    package func date(_ key: String, _ style: Date.ISO8601FormatStyle) throws -> Date {
        let text = try string(key)
        guard let date = try? Date(text, strategy: style) else {
            throw error(key, "expected a date such as \"2026-01-31T09:30:00.000Z\", found \(text.debugDescription)")
        }
        return date.roundedToMilliseconds
    }

    /// One of a few words.
    package func word(_ key: String, of words: [String]) throws -> String {
        let word = try string(key)
        guard words.contains(word) else { throw error(key, "expected \(words.joined(separator: ", ")), found \(word.debugDescription)") }
        return word
    }

    package func object(_ key: String) throws -> DocumentReader {
        DocumentReader(try values.nestedContainer(keyedBy: TextKey.self, forKey: TextKey(key)))
    }

    package func objects(_ key: String) throws -> [DocumentReader] {
        var array = try values.nestedUnkeyedContainer(forKey: TextKey(key))
        var objects: [DocumentReader] = []
        while !array.isAtEnd { objects.append(DocumentReader(try array.nestedContainer(keyedBy: TextKey.self))) }
        return objects
    }

    /// Durations; some may be null.
    package func optionalDurations(_ key: String) throws -> [Duration?] {
        var array = try values.nestedUnkeyedContainer(forKey: TextKey(key))
        var durations: [Duration?] = []
        // One by one: a decoder takes twice as long for an array of `Double?`.
        while !array.isAtEnd {
            let place = array.currentIndex
            durations.append(try array.decodeNil() ? nil : range(key, at: place, try array.decode(Double.self)))
        }
        return durations
    }

    /// The keys of an object whose keys are names, in no order.
    package var keys: [String] { values.allKeys.map(\.stringValue) }

    // MARK: Optional values: nil where the key is missing, or null

    package func optionalString(_ key: String) throws -> String? { try values.decodeIfPresent(String.self, forKey: TextKey(key)) }
    package func optionalFlag(_ key: String) throws -> Bool? { try values.decodeIfPresent(Bool.self, forKey: TextKey(key)) }
    package func optionalDuration(_ key: String) throws -> Duration? {
        try values.decodeIfPresent(Double.self, forKey: TextKey(key)).map { try range(key, $0) }
    }
    package func optionalCount(_ key: String) throws -> Int? {
        try values.decodeIfPresent(Double.self, forKey: TextKey(key)).map { try whole(key, $0) }
    }
    package func optionalDate(_ key: String, _ style: Date.ISO8601FormatStyle) throws -> Date? {
        try optionalString(key) == nil ? nil : date(key, style)
    }

    package func optionalObject(_ key: String) throws -> DocumentReader? {
        guard values.contains(TextKey(key)), try !values.decodeNil(forKey: TextKey(key)) else { return nil }
        return try object(key)
    }

    package func optionalNumber(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let number = try values.decodeIfPresent(Double.self, forKey: TextKey(key)) else { return nil }
        if range.contains(number) { return number }
        throw error(key, "expected \(Int(range.lowerBound)) to \(Int(range.upperBound)), found \(number)")
    }

    package func optionalStrings(_ key: String) throws -> [String]? { try values.decodeIfPresent([String].self, forKey: TextKey(key)) }

    /// Empty where the key is missing.
    package func strings(_ key: String) throws -> [String] { try optionalStrings(key) ?? [] }

    /// Empty where the key is missing.
    package func optionalObjects(_ key: String) throws -> [DocumentReader] {
        guard values.contains(TextKey(key)), try !values.decodeNil(forKey: TextKey(key)) else { return [] }
        return try objects(key)
    }

    // MARK: Ranges

    private func range(_ key: String, at place: Int? = nil, _ milliseconds: Double) throws -> Duration {
        guard (0...Self.maximumMilliseconds).contains(milliseconds) else {
            throw error(key, at: place, "expected 0 to \(Int(Self.maximumMilliseconds)) milliseconds, found \(milliseconds)")
        }
        // Rounded: most decimals of milliseconds are not exact in binary, and cut off they would lose a nanosecond at each reading.
        return .nanoseconds(Nanoseconds((milliseconds * 1e6).rounded()))
    }

    private func whole(_ key: String, _ number: Double) throws -> Int {
        guard let count = Int(exactly: number) else { throw error(key, "expected a whole number, found \(number)") }
        guard (0...Self.maximumCount).contains(count) else { throw error(key, "expected 0 to \(Self.maximumCount), found \(count)") }
        return count
    }
}

extension Date {
    /// The date to the millisecond. A date that was parsed from a text can differ from it in the last bit.
    package var roundedToMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000) }
}
