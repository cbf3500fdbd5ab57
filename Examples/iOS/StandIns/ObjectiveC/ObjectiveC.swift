//  Stands in for the module `ObjectiveC`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/objectivec. What iOS 13 and macOS 10.15 have already has no availability here.

/// objectivec/nsobjectprotocol
public protocol NSObjectProtocol: AnyObject {
    func isEqual(_ object: Any?) -> Bool
    var hash: Int { get }
}

/// objectivec/nsobject-swift.class
open class NSObject: NSObjectProtocol, Equatable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    public init() {}
    open func isEqual(_ object: Any?) -> Bool { false }
    open var hash: Int { 0 }
    open var description: String { "" }
    open var debugDescription: String { "" }
    open func willChangeValue(forKey key: String) {}
    open func didChangeValue(forKey key: String) {}
    public static func == (lhs: NSObject, rhs: NSObject) -> Bool { lhs === rhs }
    public func hash(into hasher: inout Hasher) {}
}

/// objectivec/objcbool
@frozen public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    private var value: Bool
    public init(_ value: Bool) { self.value = value }
    public init(booleanLiteral value: Bool) { self.value = value }
    public var boolValue: Bool { value }
}
