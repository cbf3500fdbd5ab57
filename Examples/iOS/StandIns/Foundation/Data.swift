//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/data
@frozen public struct Data: Hashable, Sendable, Codable, MutableCollection, RangeReplaceableCollection, DataProtocol {
    public typealias Index = Int
    public typealias Element = UInt8
    public typealias SubSequence = Data

    public init() {}
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
    public init(repeating repeatedValue: UInt8, count: Int) {}
    public init(count: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public init?(base64Encoded base64Data: Data, options: Base64DecodingOptions = []) {}
    public init?(base64Encoded base64String: String, options: Base64DecodingOptions = []) {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public var count: Int { 0 }
    public func index(before i: Int) -> Int { i }
    public func index(after i: Int) -> Int { i }
    public subscript(index: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(bounds: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public subscript<R: RangeExpression>(_ rangeExpression: R) -> Data where R.Bound: FixedWidthInteger {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with newElements: C) where C.Element == UInt8 {}
    public mutating func append(_ other: Data) {}
    public mutating func append<S: Sequence>(contentsOf elements: S) where S.Element == UInt8 {}
    public func range(of dataToFind: Data, options: SearchOptions = [], in range: Range<Int>? = nil) -> Range<Int>? { nil }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
    public func write(to url: URL, options: WritingOptions = []) throws {}
    public func withUnsafeBytes<ResultType>(_ body: (UnsafeRawBufferPointer) throws -> ResultType) rethrows -> ResultType {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    public mutating func withUnsafeMutableBytes<ResultType>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> ResultType
    ) rethrows -> ResultType { try body(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }

    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let mappedIfSafe = ReadingOptions(rawValue: 1)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1)
    }
    public struct SearchOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let backwards = SearchOptions(rawValue: 1)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
}

/// foundation/dataprotocol
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
extension Array: DataProtocol where Element == UInt8 {}

/// foundation/uuid
public struct UUID: Hashable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init?(uuidString string: String) {}
    public var uuidString: String { "" }
    public var description: String { "" }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension UUID: Comparable {
    public static func < (lhs: UUID, rhs: UUID) -> Bool { false }
}

/// foundation/nsnumber
open class NSNumber: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public init(value: Bool) {}
    public init(value: Int) {}
    public init(value: Double) {}
}

/// foundation/nsnull
open class NSNull: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
}

/// foundation/nscoder
open class NSCoder: NSObject {}

/// foundation/nsstring: of it, the names inside.
open class NSString: NSObject {
    public struct CompareOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let caseInsensitive = CompareOptions(rawValue: 1)
        public static let literal = CompareOptions(rawValue: 2)
        public static let backwards = CompareOptions(rawValue: 4)
        public static let anchored = CompareOptions(rawValue: 8)
        public static let numeric = CompareOptions(rawValue: 64)
        public static let diacriticInsensitive = CompareOptions(rawValue: 128)
        public static let regularExpression = CompareOptions(rawValue: 1024)
    }
}
