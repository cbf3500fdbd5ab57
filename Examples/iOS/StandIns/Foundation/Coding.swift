//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/jsondecoder
open class JSONDecoder: @unchecked Sendable {
    // Unchecked, as Apple's.
    public init() {}
    open var userInfo: [CodingUserInfoKey: any Sendable] {
        get { [:] }
        set {}
    }
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { throw CocoaError(.fileReadNoSuchFile) }
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    open func decode<T: DecodableWithConfiguration>(
        _ type: T.Type,
        from data: Data,
        configuration: T.DecodingConfiguration
    ) throws -> T { throw CocoaError(.fileReadNoSuchFile) }
}

/// foundation/jsonencoder
open class JSONEncoder: @unchecked Sendable {
    // Unchecked, as Apple's.
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
        public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
    }

    public init() {}
    open var outputFormatting: OutputFormatting {
        get { [] }
        set {}
    }
    open func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

/// foundation/decodablewithconfiguration
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public protocol DecodableWithConfiguration {
    associatedtype DecodingConfiguration
    init(from decoder: any Decoder, configuration: DecodingConfiguration) throws
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension KeyedDecodingContainer {
    public func decode<T: DecodableWithConfiguration>(_ type: T.Type, forKey key: Key, configuration: T.DecodingConfiguration) throws -> T {
        throw CocoaError(.fileReadNoSuchFile)
    }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension UnkeyedDecodingContainer {
    public mutating func decode<T: DecodableWithConfiguration>(_ type: T.Type, configuration: T.DecodingConfiguration) throws -> T {
        throw CocoaError(.fileReadNoSuchFile)
    }
}

/// foundation/jsonserialization
open class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let fragmentsAllowed = ReadingOptions(rawValue: 4)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = WritingOptions(rawValue: 1)
        public static let sortedKeys = WritingOptions(rawValue: 2)
        public static let fragmentsAllowed = WritingOptions(rawValue: 4)
        public static let withoutEscapingSlashes = WritingOptions(rawValue: 8)
    }

    open class func isValidJSONObject(_ obj: Any) -> Bool { false }

    open class func data(withJSONObject obj: Any, options opt: WritingOptions = []) throws -> Data { Data() }
    open class func jsonObject(with data: Data, options opt: ReadingOptions = []) throws -> Any { 0 }
}
