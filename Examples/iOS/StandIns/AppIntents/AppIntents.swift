//  Stands in for the module `AppIntents`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/appintents, whose page each declaration names.

import Foundation

/// foundation/localizedstringresource: Foundation has it on Apple's systems.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct LocalizedStringResource: ExpressibleByStringLiteral, Sendable {
    public init(stringLiteral value: String) {}
}

/// appintents/appintent
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public protocol AppIntent: Sendable {
    associatedtype PerformResult: IntentResult
    /// appintents/appintent/title
    static var title: LocalizedStringResource { get }
    /// appintents/appintent/openappwhenrun
    @available(macOS, introduced: 13, deprecated: 26)
    @available(iOS, introduced: 16, deprecated: 26)
    @available(tvOS, introduced: 16, deprecated: 26)
    @available(watchOS, introduced: 9, deprecated: 26)
    static var openAppWhenRun: Bool { get }
    /// appintents/appintent/supportedmodes
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
    static var supportedModes: IntentModes { get }
    init()
    /// appintents/appintent/perform()
    func perform() async throws -> PerformResult
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension AppIntent {
    /// appintents/appintent/parameter
    public typealias Parameter = IntentParameter
}

/// appintents/intentmodes
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
public struct IntentModes: Sendable {
    /// appintents/intentmodes/foreground
    public static var foreground: IntentModes { IntentModes() }
}

/// appintents/intentparameter
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@propertyWrapper public final class IntentParameter<Value: Sendable>: @unchecked Sendable {
    // Unchecked, as Apple's.
    private var value: Value?
    /// appintents/intentparameter/init(title:description:default:): of its parameters, those that the app gives.
    public init(title: LocalizedStringResource) {}
    public var wrappedValue: Value {
        get {
            guard let value else { fatalError("the system gives each parameter a value before it performs an intent") }
            return value
        }
        set { value = newValue }
    }
}

/// appintents/intentresult
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public protocol IntentResult: Sendable {}

/// appintents/intentresultcontainer
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct IntentResultContainer: IntentResult {}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension IntentResult where Self == IntentResultContainer {
    /// appintents/intentresult/result()
    public static func result() -> IntentResultContainer { IntentResultContainer() }
}
