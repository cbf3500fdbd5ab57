import Sequencer

extension SemanticVersion: LosslessStringConvertible {
    /// The longest text that is read, in bytes.
    static let maximumLength = 256

    /// Reads a version leniently: spaces around it, a leading "v", leading zeros and missing parts (which are zero) do no harm.
    ///
    /// - Returns: nil for what is no version: empty or negative parts, letters outside of a prerelease, more than three parts, numbers
    ///   above 4,294,967,295 (in a prerelease: above 2⁶⁴ - 1), or more than 256 bytes, also when all three
    ///   parts are written.
    public init?(_ description: String) {
        guard description.utf8.count <= Self.maximumLength else { return nil }
        var text = description.utf8.drop(while: Self.isSpace)
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        if text.first == UInt8(ascii: "v") || text.first == UInt8(ascii: "V") { text.removeFirst() }

        if let plus = text.firstIndex(of: UInt8(ascii: "+")) {
            guard Self.identifiers(in: text[text.index(after: plus)...]) != nil else { return nil }
            text = text[..<plus]
        }
        var prerelease: [PrereleaseIdentifier] = []
        if let hyphen = text.firstIndex(of: UInt8(ascii: "-")) {
            guard let identifiers = Self.identifiers(in: text[text.index(after: hyphen)...]) else { return nil }
            for identifier in identifiers {
                guard let identifier = PrereleaseIdentifier(identifier) else { return nil }
                prerelease.append(identifier)
            }
            text = text[..<hyphen]
        }

        var numbers: [UInt32] = []
        for part in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard numbers.count < 3, part.allSatisfy(Self.isDigit), let number = UInt32(String(Substring(part))) else { return nil }
            numbers.append(number)
        }
        while numbers.count < 3 { numbers.append(0) }
        self.init(major: numbers[0], minor: numbers[1], patch: numbers[2], prerelease: prerelease)
        // Written with the parts that were missing it is longer, and has to be read again.
        guard prerelease.isEmpty || self.description.utf8.count <= Self.maximumLength else { return nil }
    }

    /// The identifiers between the dots; nil when one is empty or has a character that none may have.
    private static func identifiers(in text: Substring.UTF8View) -> [String]? {
        var identifiers: [String] = []
        for part in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy(isIdentifierCharacter) else { return nil }
            identifiers.append(String(Substring(part)))
        }
        return identifiers
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isIdentifierCharacter(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension SemanticVersion.PrereleaseIdentifier {
    /// nil for a number that is too large.
    fileprivate init?(_ text: String) {
        if text.utf8.allSatisfy(SemanticVersion.isDigit) {
            guard let number = UInt64(text) else { return nil }
            self = .number(number)
        } else {
            self = .text(text)
        }
    }
}

extension SemanticVersion: Codable {
    /// Reads a version from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let version = SemanticVersion(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(printable(text, limit: 40))\" is no version; one looks like 1.4.0"
            )
        }
        self = version
    }

    /// Writes the version as a string with all three parts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
