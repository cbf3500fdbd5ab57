//  Stands in for a part of the module `Foundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/foundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// foundation/qualityofservice: an enumeration of C, which may grow.
public enum QualityOfService: Int, Sendable { case userInteractive = 33, userInitiated = 25, utility = 17, background = 9, `default` = -1 }

/// foundation/operation
open class Operation: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public override init() {}
    open var completionBlock: (@Sendable () -> Void)? {
        get { nil }
        set {}
    }
    open var dependencies: [Operation] { [] }
    open var isAsynchronous: Bool { false }
    open var isCancelled: Bool { false }
    open var isExecuting: Bool { false }
    open var isFinished: Bool { false }
    open var isReady: Bool { false }
    open var name: String? {
        get { nil }
        set {}
    }
    open var qualityOfService: QualityOfService {
        get { .default }
        set {}
    }
    open func addDependency(_ op: Operation) {}
    open func removeDependency(_ op: Operation) {}
    open func start() {}
    open func main() {}
    open func cancel() {}
    open func waitUntilFinished() {}
}

/// foundation/blockoperation
open class BlockOperation: Operation, @unchecked Sendable {
    // Unchecked, as Apple's.
    public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
}

/// foundation/operationqueue
open class OperationQueue: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public override init() {}
    open class var main: OperationQueue { OperationQueue() }
    open class var current: OperationQueue? { nil }
    open var operations: [Operation] { [] }
    open var isSuspended: Bool {
        get { false }
        set {}
    }
    open var maxConcurrentOperationCount: Int {
        get { 1 }
        set {}
    }
    open var name: String? {
        get { nil }
        set {}
    }
    open var qualityOfService: QualityOfService {
        get { .default }
        set {}
    }
    open var underlyingQueue: DispatchQueue? {
        get { nil }
        set {}
    }
    open func addOperation(_ op: Operation) {}
    open func addOperation(_ block: @escaping @Sendable () -> Void) {}
    open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {}
    open func cancelAllOperations() {}
    open func waitUntilAllOperationsAreFinished() {}
}

extension OperationQueue {
    public var operationCount: Int { 0 }
    public var progress: Progress { Progress() }
}

/// foundation/progress
open class Progress: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public convenience init(totalUnitCount unitCount: Int64) { self.init() }
    open var cancellationHandler: (@Sendable () -> Void)? {
        get { nil }
        set {}
    }
    open var completedUnitCount: Int64 {
        get { 0 }
        set {}
    }
    open var totalUnitCount: Int64 {
        get { 0 }
        set {}
    }
    open var fractionCompleted: Double { 0 }
    open var isCancelled: Bool { false }
    open func cancel() {}
}

/// foundation/thread
open class Thread: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
    open class var current: Thread { Thread() }
    open class var isMainThread: Bool { false }
    open class func sleep(forTimeInterval ti: TimeInterval) {}
    open var isMainThread: Bool { false }
    open var name: String? {
        get { nil }
        set {}
    }
    open var qualityOfService: QualityOfService {
        get { .default }
        set {}
    }
    open var stackSize: Int {
        get { 0 }
        set {}
    }
    open func start() {}
}

/// foundation/runloop
open class RunLoop: NSObject {
    open class var current: RunLoop { RunLoop() }
    open class var main: RunLoop { RunLoop() }
    open func run(mode: Mode, before limitDate: Date) -> Bool { false }

    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let `default` = Mode(rawValue: "")
    }
}

/// foundation/nslocking
public protocol NSLocking {
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    func lock()
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    func unlock()
}

extension NSLocking {
    public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

/// foundation/nslock
open class NSLock: NSObject, NSLocking, @unchecked Sendable {
    // Unchecked, as Apple's.
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func lock() {}
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func unlock() {}
    open func `try`() -> Bool { false }
}

/// foundation/nsrecursivelock
open class NSRecursiveLock: NSObject, NSLocking, @unchecked Sendable {
    // Unchecked, as Apple's.
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func lock() {}
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func unlock() {}
}

/// foundation/nscondition
open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
    // Unchecked, as Apple's.
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func lock() {}
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    open func unlock() {}
    open func wait() {}
    open func signal() {}
    open func broadcast() {}
}
