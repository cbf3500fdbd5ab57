//  Stands in for the module `os`, where there is no Xcode: the declarations that the app uses, without behaviour but that intervals are counted.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/os, whose page each declaration names. What iOS 13 has already has no availability here.

import Synchronization

/// os/ossignposter
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct OSSignposter {
    public init(subsystem: String, category: String) {}
    public func makeSignpostID() -> OSSignpostID { OSSignpostID() }
    /// os/ossignposter/begininterval(_:id:_:)
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) -> OSSignpostIntervalState {
        OSSignpostIntervalState()
    }
    /// os/ossignposter/endinterval(_:_:_:)
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
        OSSignpostIntervalState.counted.withLock { $0.ended += 1 }
    }
    /// os/ossignposter/emitevent(_:id:)
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}
}

/// os/ossignpostid
public struct OSSignpostID: Sendable {
    public static let exclusive = OSSignpostID()
}

/// os/ossignpostintervalstate: not Sendable.
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public class OSSignpostIntervalState {
    fileprivate static let counted = Mutex((begun: 0, ended: 0))
    /// For the walk: how many intervals were begun and ended. Apple's module has nothing like it.
    public static var counts: (begun: Int, ended: Int) { counted.withLock { $0 } }

    fileprivate init() { Self.counted.withLock { $0.begun += 1 } }
}

/// os/signpostmetadata
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public typealias SignpostMetadata = OSLogMessage

/// os/logger
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct Logger: @unchecked Sendable {
    // Unchecked, as Apple's.
    public init(subsystem: String, category: String) {}
    public func error(_ message: OSLogMessage) {}
    public func fault(_ message: OSLogMessage) {}
}

/// os/oslogmessage
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}

/// os/osloginterpolation
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    /// os/osloginterpolation/appendinterpolation(_:align:privacy:)-6tazr
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {}
    /// os/osloginterpolation/appendinterpolation(_:format:align:privacy:)-8kli1
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Int,
        format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {}
}

/// os/oslogprivacy
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogPrivacy: Sendable {
    public static var auto: OSLogPrivacy { OSLogPrivacy() }
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
}

/// os/oslogstringalignment
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogStringAlignment: Sendable {
    public static var none: OSLogStringAlignment { OSLogStringAlignment() }
}

/// os/oslogintegerformatting
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct OSLogIntegerFormatting: Sendable {
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting() }
}
