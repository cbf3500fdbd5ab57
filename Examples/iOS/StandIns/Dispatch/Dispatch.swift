//  Stands in for the module `Dispatch`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/dispatch. What iOS 13 and macOS 10.15 have already has no availability here.

import Darwin
@_exported import ObjectiveC

/// dispatch/dispatchobject
open class DispatchObject: NSObject {
    public func activate() {}
    public func suspend() {}
    public func resume() {}
}

/// dispatch/dispatchqueue
public class DispatchQueue: DispatchObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let concurrent = Attributes(rawValue: 2)
        public static let initiallyInactive = Attributes(rawValue: 4)
    }

    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }

    public class var main: DispatchQueue { DispatchQueue(label: "") }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { main }
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
    public convenience init(
        label: String,
        qos: DispatchQoS = .unspecified,
        attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit,
        target: DispatchQueue? = nil
    ) { self.init() }
    public var label: String { "" }
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
    @preconcurrency public func async(
        group: DispatchGroup? = nil,
        qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    @preconcurrency public func asyncAfter(
        deadline: DispatchTime,
        qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    public func sync(execute block: () -> Void) {}
    public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
}

/// dispatch/dispatchgroup
public class DispatchGroup: DispatchObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public func enter() {}
    public func leave() {}
    public func wait() {}
}

/// dispatch/dispatchspecifickey
public final class DispatchSpecificKey<T>: Sendable {
    public init() {}
}

/// dispatch/dispatchsemaphore
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public convenience init(value: Int) { self.init() }
    @discardableResult public func signal() -> Int { 0 }
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}

/// dispatch/dispatchtimeoutresult
@frozen public enum DispatchTimeoutResult: Sendable { case success, timedOut }

/// dispatch/dispatchworkitemflags
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// dispatch/dispatchqos
public struct DispatchQoS: Equatable, Sendable {
    public enum QoSClass: Sendable {
        case background, utility, `default`, userInitiated, userInteractive, unspecified
        public var rawValue: qos_class_t { qos_class_t(0x15) }
    }

    public let qosClass: QoSClass
    public let relativePriority: Int
    public init(qosClass: QoSClass, relativePriority: Int) {
        self.qosClass = qosClass
        self.relativePriority = relativePriority
    }
    public static let background = DispatchQoS(qosClass: .background, relativePriority: 0)
    public static let utility = DispatchQoS(qosClass: .utility, relativePriority: 0)
    public static let `default` = DispatchQoS(qosClass: .default, relativePriority: 0)
    public static let userInitiated = DispatchQoS(qosClass: .userInitiated, relativePriority: 0)
    public static let userInteractive = DispatchQoS(qosClass: .userInteractive, relativePriority: 0)
    public static let unspecified = DispatchQoS(qosClass: .unspecified, relativePriority: 0)
}

/// dispatch/dispatchtime
public struct DispatchTime: Comparable, Sendable {
    public static let distantFuture = DispatchTime(uptimeNanoseconds: 0)
    public let uptimeNanoseconds: UInt64
    public init(uptimeNanoseconds: UInt64) { self.uptimeNanoseconds = uptimeNanoseconds }
    public static func now() -> DispatchTime { distantFuture }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { false }
}

/// dispatch/dispatchtimeinterval
public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }

/// dispatch/dispatchsourceprotocol: not Sendable.
public protocol DispatchSourceProtocol: NSObjectProtocol {}
extension DispatchSourceProtocol {
    public typealias DispatchSourceHandler = @convention(block) () -> Void
    public func setEventHandler(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?) {}
    public func setCancelHandler(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?) {}
    public func activate() {}
    public func cancel() {}
}

/// dispatch/dispatchsourcetimer
public protocol DispatchSourceTimer: DispatchSourceProtocol {}
extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime,
        repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {}
}

/// dispatch/dispatchsourceread
public protocol DispatchSourceRead: DispatchSourceProtocol {}

/// dispatch/dispatchsource
public class DispatchSource: DispatchObject, DispatchSourceTimer, DispatchSourceRead {
    public struct TimerFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead { DispatchSource() }
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer { DispatchSource() }
}
