//  Stands in for a part of the module `SwiftUI`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/swiftui, whose page each declaration names. What iOS 13 has already has no availability here.

import Foundation
import UIKit

/// swiftui/view
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("no view is this one") }
}

/// A view that is made by SwiftUI itself: it has no body.
public protocol MadeBySwiftUI: View where Body == Never {}
extension MadeBySwiftUI {
    public var body: Never { fatalError("this view is only type-checked") }
}

/// swiftui/viewbuilder
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> { _ConditionalContent() }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent()
    }
}

/// swiftui/tupleview
public struct TupleView<T>: MadeBySwiftUI {}

/// swiftui/_conditionalcontent
public struct _ConditionalContent<First, Second>: MadeBySwiftUI {}

extension Optional: View, MadeBySwiftUI where Wrapped: View {
    public typealias Body = Never
}

struct ModifiedView: MadeBySwiftUI {}

extension View {
    /// swiftui/view/onopenurl(perform:)
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { ModifiedView() }
    /// swiftui/view/oncontinueuseractivity(_:perform:)
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    public nonisolated func onContinueUserActivity(
        _ activityType: String,
        perform action: @escaping (NSUserActivity) -> Void
    ) -> some View { ModifiedView() }
    /// swiftui/view/onappear(perform:)
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { ModifiedView() }
    /// swiftui/view/onchange(of:initial:_:)-4psgg
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public nonisolated func onChange<V: Equatable>(
        of value: V,
        initial: Bool = false,
        _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View { ModifiedView() }
    /// swiftui/view/task(priority:_:)
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    public nonisolated func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { ModifiedView() }
    /// swiftui/view/padding(_:_:)
    public nonisolated func padding() -> some View { ModifiedView() }
    /// swiftui/view/font(_:)
    public nonisolated func font(_ font: Font?) -> some View { ModifiedView() }
}

/// swiftui/previewprovider
@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

/// swiftui/font
public struct Font: Hashable, Sendable {
    public static let largeTitle = Font()
    public static let title = Font()
    public static let caption = Font()
}

/// swiftui/state
@propertyWrapper public struct State<Value> {
    private let value: Value
    public init(wrappedValue value: Value) { self.value = value }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding() }
}

/// swiftui/scenestorage
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
@propertyWrapper public struct SceneStorage<Value> {
    private let value: Value
    /// swiftui/scenestorage/init(_:)-6tlqu
    public init(_ key: String) where Value == String? { value = nil }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
}

/// swiftui/binding
public struct Binding<Value> {}

/// swiftui/text
public struct Text: MadeBySwiftUI {
    public nonisolated init<S: StringProtocol>(_ content: S) {}
}

/// swiftui/vstack
public struct VStack<Content: View>: MadeBySwiftUI {
    public nonisolated init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

/// swiftui/foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: MadeBySwiftUI {
    public nonisolated init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

/// swiftui/button
public struct Button: MadeBySwiftUI {
    /// swiftui/button/init(_:action:)-lpm7
    @preconcurrency public nonisolated init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

/// swiftui/link
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct Link: MadeBySwiftUI {
    public nonisolated init<S: StringProtocol>(_ title: S, destination: URL) {}
}

/// swiftui/textfield
public struct TextField: MadeBySwiftUI {
    public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}

/// swiftui/securefield
public struct SecureField: MadeBySwiftUI {
    public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}

/// swiftui/progressview
@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public struct ProgressView: MadeBySwiftUI {
    public nonisolated init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) {}
}
