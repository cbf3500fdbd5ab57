//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

extension String {
    public typealias CompareOptions = NSString.CompareOptions

    /// swift/string/encoding
    public struct Encoding: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let utf8 = Encoding(rawValue: 4)
        public static let ascii = Encoding(rawValue: 1)
    }

    public init?(data: Data, encoding: Encoding) { self = "" }
    public init(contentsOfFile path: String, encoding enc: Encoding) throws { self = "" }
    public init(contentsOf url: URL, encoding enc: Encoding) throws { self = "" }
    public init(format: String, _ arguments: any CVarArg...) { self = "" }
}

extension StringProtocol {
    public var precomposedStringWithCanonicalMapping: String { "" }
    public var removingPercentEncoding: String? { nil }
    public func addingPercentEncoding(withAllowedCharacters allowedCharacters: CharacterSet) -> String? { nil }
    public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { [] }
    public func contains<T: StringProtocol>(_ other: T) -> Bool { false }
    public func data(using encoding: String.Encoding, allowLossyConversion: Bool = false) -> Data? { nil }
    public func padding<T: StringProtocol>(toLength newLength: Int, withPad padString: T, startingAt padIndex: Int) -> String { "" }
    public func range<T: StringProtocol>(
        of aString: T,
        options mask: String.CompareOptions = [],
        range searchRange: Range<Index>? = nil,
        locale: Locale? = nil
    ) -> Range<Index>? { nil }
    public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
        of target: Target,
        with replacement: Replacement,
        options: String.CompareOptions = [],
        range searchRange: Range<Index>? = nil
    ) -> String { "" }
    public func trimmingCharacters(in set: CharacterSet) -> String { "" }
}

/// foundation/characterset
public struct CharacterSet: Hashable, Sendable {
    public init(charactersIn string: String) {}
    public static var alphanumerics: CharacterSet { CharacterSet(charactersIn: "") }
    public static var urlQueryAllowed: CharacterSet { CharacterSet(charactersIn: "") }
    public static var whitespaces: CharacterSet { CharacterSet(charactersIn: "") }
    public static var whitespacesAndNewlines: CharacterSet { CharacterSet(charactersIn: "") }
    public func union(_ other: CharacterSet) -> CharacterSet { self }
}
