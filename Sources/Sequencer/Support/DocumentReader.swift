import Foundation

/// Any text as a key, or the place of an element of an array.
package struct TextKey: CodingKey {
    package let stringValue: String
    package private(set) var intValue: Int?
    package init(_ text: String) { stringValue = text }
    package init?(stringValue: String) { self.init(stringValue) }
    package init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// Reads one object of a document. Every error is a `DecodingError` with the path of the value.
package struct DocumentReader {
    private let values: KeyedDecodingContainer<TextKey>

    /// The longest time that is read, some three centuries: a little less than there are nanoseconds to count.
    private static let maximumMilliseconds = 9e12
    private static let maximumCount = 1_000_000

    package init(_ decoder: any Decoder) throws { values = try decoder.container(keyedBy: TextKey.self) }

    private init(_ values: KeyedDecodingContainer<TextKey>) { self.values = values }

    /// An error about the value of `key`, or about the element of its array at `place`.
    package func error(_ key: String, at place: Int? = nil, _ reason: String) -> DecodingError {
        let keys = [TextKey(key)] + (place.map { [TextKey(intValue: $0)] } ?? [])
        return .dataCorrupted(.init(codingPath: values.codingPath + keys, debugDescription: reason))
    }

    // MARK: Required values

    package func string(_ key: String) throws -> String { try values.decode(String.self, forKey: TextKey(key)) }
    func texts(_ key: String) throws -> [String] { try values.decode([String].self, forKey: TextKey(key)) }
    func flag(_ key: String) throws -> Bool { try values.decode(Bool.self, forKey: TextKey(key)) }
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

    /// Reads a word out of a few.
    package func word(_ key: String, of words: [String]) throws -> String {
        let word = try string(key)
        guard words.contains(word) else { throw error(key, "expected \(words.joined(separator: ", ")), found \(word.debugDescription)") }
        return word
    }

    /// Checks that no two of these have one name.
    ///
    /// - Parameter kind: the things with the names, such as `the operation`.
    func checkNames(_ names: [String], of kind: String, in key: String) throws {
        var known: Set<String> = []
        for name in names where !known.insert(name).inserted { throw error(key, "\(kind) \(name.debugDescription) is there twice") }
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

    // MARK: Optional values: nil where the key is missing, or null

    private func optional<Value>(_ key: String, _ read: (String) throws -> Value) throws -> Value? {
        guard values.contains(TextKey(key)), try !values.decodeNil(forKey: TextKey(key)) else { return nil }
        return try read(key)
    }

    package func optionalString(_ key: String) throws -> String? { try optional(key, string) }
    package func optionalFlag(_ key: String) throws -> Bool? { try optional(key, flag) }
    package func optionalDuration(_ key: String) throws -> Duration? { try optional(key, duration) }
    package func optionalCount(_ key: String) throws -> Int? { try optional(key, count) }
    package func optionalObject(_ key: String) throws -> DocumentReader? { try optional(key, object) }
    package func optionalStrings(_ key: String) throws -> [String]? { try optional(key, texts) }

    package func optionalNumber(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let number = try values.decodeIfPresent(Double.self, forKey: TextKey(key)) else { return nil }
        if range.contains(number) { return number }
        throw error(key, "expected \(Int(range.lowerBound)) to \(Int(range.upperBound)), found \(number)")
    }

    /// Empty where the key is missing.
    func strings(_ key: String) throws -> [String] { try optionalStrings(key) ?? [] }

    /// Empty where the key is missing.
    package func optionalObjects(_ key: String) throws -> [DocumentReader] { try optional(key, objects) ?? [] }

    // MARK: Ranges

    private func range(_ key: String, at place: Int? = nil, _ milliseconds: Double) throws -> Duration {
        guard (0...Self.maximumMilliseconds).contains(milliseconds) else {
            throw error(key, at: place, "expected 0 to \(Int(Self.maximumMilliseconds)) milliseconds, found \(milliseconds)")
        }
        // Rounded: most decimals of milliseconds are not exact in binary, and cut off they would lose a nanosecond at
        // each reading.
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
    var roundedToMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000) }
}
