//  Stands in for a part of the module `SwiftUI`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/swiftui, whose page each declaration names. What iOS 13 has already has no availability here.

import Foundation
import UIKit

/// swiftui/app
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension App {
    /// swiftui/app/main()
    @MainActor @preconcurrency public static func main() {}
}

/// swiftui/scene
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency public protocol Scene {}

/// swiftui/scenebuilder
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// swiftui/windowgroup
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@MainActor @preconcurrency public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
struct ModifiedScene: Scene {
    nonisolated init() {}
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
extension Scene {
    /// swiftui/scene/onchange(of:initial:_:)-8wgw9
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public nonisolated func onChange<V: Equatable>(
        of value: V,
        initial: Bool = false,
        _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some Scene { ModifiedScene() }
}

/// swiftui/scenephase
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public enum ScenePhase: Comparable, Sendable {
    case background
    case inactive
    case active
}

/// swiftui/environmentvalues
public struct EnvironmentValues: Sendable {
    /// swiftui/environmentvalues/scenephase
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    public var scenePhase: ScenePhase { .active }
}

/// swiftui/environment
@propertyWrapper public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

/// swiftui/uiapplicationdelegateadaptor
@available(iOS 14, tvOS 14, *)
@MainActor @preconcurrency @propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType> where DelegateType: NSObject, DelegateType: UIApplicationDelegate {
    /// swiftui/uiapplicationdelegateadaptor/init(_:)-59sfu
    @MainActor @preconcurrency public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
    @MainActor @preconcurrency public var wrappedValue: DelegateType { fatalError("SwiftUI's part of the app is only type-checked") }
}
