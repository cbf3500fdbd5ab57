//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/timeinterval
public typealias TimeInterval = Double

/// foundation/date
public struct Date: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    public init<T: ParseStrategy>(_ value: T.ParseInput, strategy: T) throws where T.ParseOutput == Date {}
    public static let distantPast = Date()
    public static let distantFuture = Date()
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    public static var now: Date { Date() }
    public var timeIntervalSince1970: TimeInterval { 0 }
    public var timeIntervalSinceNow: TimeInterval { 0 }
    public var description: String { "" }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { 0 }
    public func addingTimeInterval(_ timeInterval: TimeInterval) -> Date { self }
    public static func < (lhs: Date, rhs: Date) -> Bool { false }
    public static func + (lhs: Date, rhs: TimeInterval) -> Date { lhs }
    public static func - (lhs: Date, rhs: TimeInterval) -> Date { lhs }
    public static func += (lhs: inout Date, rhs: TimeInterval) {}
    public static func -= (lhs: inout Date, rhs: TimeInterval) {}

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    public func formatted() -> String { "" }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    public func formatted<F: FormatStyle>(_ format: F) -> F.FormatOutput where F.FormatInput == Date { format.format(self) }

    /// foundation/date/iso8601formatstyle
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    public struct ISO8601FormatStyle: Hashable, Sendable, Codable, FormatStyle, ParseStrategy {
        public enum TimeZoneSeparator: String, Codable, Sendable { case colon, omitted }
        public enum DateSeparator: String, Codable, Sendable { case dash, omitted }
        public enum TimeSeparator: String, Codable, Sendable { case colon, omitted }
        public enum DateTimeSeparator: String, Codable, Sendable { case space, standard }

        public init(
            dateSeparator: DateSeparator = .dash,
            dateTimeSeparator: DateTimeSeparator = .standard,
            timeSeparator: TimeSeparator = .colon,
            timeZoneSeparator: TimeZoneSeparator = .omitted,
            includingFractionalSeconds: Bool = false,
            timeZone: TimeZone = .gmt
        ) {}
        public func format(_ value: Date) -> String { "" }
        public func parse(_ value: String) throws -> Date { Date() }
    }
}

/// foundation/formatstyle
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public protocol FormatStyle<FormatInput, FormatOutput>: Decodable, Encodable, Hashable {
    associatedtype FormatInput
    associatedtype FormatOutput
    func format(_ value: FormatInput) -> FormatOutput
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension FormatStyle where Self == Date.ISO8601FormatStyle {
    public static var iso8601: Date.ISO8601FormatStyle { Date.ISO8601FormatStyle() }
}

/// foundation/parsestrategy
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public protocol ParseStrategy<ParseInput, ParseOutput>: Decodable, Encodable, Hashable {
    associatedtype ParseInput
    associatedtype ParseOutput
    func parse(_ value: ParseInput) throws -> ParseOutput
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    public static var iso8601: Date.ISO8601FormatStyle { Date.ISO8601FormatStyle() }
}

/// foundation/timezone
public struct TimeZone: Hashable, Sendable, Codable {
    public init?(secondsFromGMT: Int) {}
    /// Apple's back-deploys it.
    public static var gmt: TimeZone { TimeZone() }
    private init() {}
}

/// foundation/locale
public struct Locale: Hashable, Sendable {
    public init(identifier: String) {}
    public static var current: Locale { Locale(identifier: "") }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public var language: Language { Language() }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public var region: Region? { nil }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public struct Language: Hashable, Sendable {
        public var languageCode: LanguageCode? { nil }
    }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public struct LanguageCode: Hashable, Sendable {
        public var identifier: String { "" }
    }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public struct Region: Hashable, Sendable {
        public var identifier: String { "" }
    }
}

/// foundation/dateformatter
open class DateFormatter: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public override init() {}
    open var locale: Locale! {
        get { nil }
        set {}
    }
    open var timeZone: TimeZone! {
        get { nil }
        set {}
    }
    open var isLenient: Bool {
        get { false }
        set {}
    }
    open var dateFormat: String! {
        get { nil }
        set {}
    }
    open var twoDigitStartDate: Date? {
        get { nil }
        set {}
    }
    open func date(from string: String) -> Date? { nil }
}
