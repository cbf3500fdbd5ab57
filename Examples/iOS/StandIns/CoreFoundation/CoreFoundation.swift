//  Stands in for the module `CoreFoundation`, where there is no Xcode: the declarations that the package uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/corefoundation. What iOS 13 and macOS 10.15 have already has no availability here.

/// kernel/osstatus: of `MacTypes.h`, whose `Duration` would hide Swift's.
public typealias OSStatus = Int32

/// corefoundation/cfstring: a class there, bridged with `String`. Without Objective-C nothing is bridged; a key is hashable either way.
public struct CFString: Hashable, Sendable {
    public init() {}
}

/// corefoundation/cftyperef: any object there; casts of it to a value, as of `CFData` to `Data`, are bridged.
public typealias CFTypeRef = Any

/// corefoundation/cfdictionary: what a dictionary is coerced to.
public typealias CFDictionary = [AnyHashable: Any]

/// corefoundation/cgfloat
@frozen public struct CGFloat: BinaryFloatingPointStandIn, Sendable {
    public init() {}
}

/// Of a number, what the app writes: literals.
public protocol BinaryFloatingPointStandIn: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    init()
}

extension BinaryFloatingPointStandIn {
    public init(integerLiteral value: Int) { self.init() }
    public init(floatLiteral value: Double) { self.init() }
}

/// corefoundation/cgrect
@frozen public struct CGRect: Sendable {
    public static let zero = CGRect()
}
