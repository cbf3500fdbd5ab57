//  Stands in for a part of the module `UIKit`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/uikit, whose page each declaration names. What iOS 13 has already has no availability here.

import Foundation

/// uikit/uiview
@MainActor open class UIView: UIResponder {
    public var frame = CGRect.zero
    public var bounds = CGRect.zero
    public var isHidden = false
    public var backgroundColor: UIColor?
    public var autoresizingMask: AutoresizingMask = []
    public var translatesAutoresizingMaskIntoConstraints = true
    public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
    public var layoutMarginsGuide: UILayoutGuide { UILayoutGuide() }
    public nonisolated override init() {}
    public func addSubview(_ view: UIView) {}
    public func removeFromSuperview() {}

    /// uikit/uiview/autoresizingmask-swift.struct
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    }
}

/// uikit/uicolor
public class UIColor: NSObject, @unchecked Sendable {
    // Unchecked, as Apple's.
    public class var systemBackground: UIColor { UIColor() }
}

/// uikit/uilayoutguide
@MainActor public class UILayoutGuide: NSObject {
    public var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
    public var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
}

/// uikit/nslayoutanchor
@MainActor public class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    /// uikit/nslayoutanchor/constraint(equalto:)
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { NSLayoutConstraint() }
}

/// uikit/nslayoutxaxisanchor
@MainActor public class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

/// uikit/nslayoutyaxisanchor
@MainActor public class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

/// uikit/nslayoutconstraint
@MainActor public class NSLayoutConstraint: NSObject {
    /// uikit/nslayoutconstraint/activate(_:)
    public class func activate(_ constraints: [NSLayoutConstraint]) {}

    /// uikit/nslayoutconstraint/axis
    public enum Axis: Int, Sendable { case horizontal, vertical }
}

/// uikit/uistackview
@MainActor public class UIStackView: UIView {
    public convenience init(arrangedSubviews views: [UIView]) { self.init() }
    public var axis = NSLayoutConstraint.Axis.horizontal
    public var spacing: CGFloat = 0
}

/// uikit/uilabel
@MainActor public class UILabel: UIView {
    public var text: String?
    public var numberOfLines = 1
}

/// uikit/uitextfield
@MainActor public class UITextField: UIView {
    public var text: String?
    public var placeholder: String?
    public var isSecureTextEntry = false
    public var borderStyle = BorderStyle.none

    /// uikit/uitextfield/borderstyle-swift.enum
    public enum BorderStyle: Int, Sendable { case none, line, bezel, roundedRect }
}

/// uikit/uiprogressview
@MainActor public class UIProgressView: UIView {
    /// uikit/uiprogressview/init(progressviewstyle:)
    public convenience init(progressViewStyle style: Style) { self.init() }
    public var progress: Float = 0

    /// uikit/uiprogressview/style
    public enum Style: Int, Sendable { case `default`, bar }
}

/// uikit/uiaction
@MainActor public class UIAction: NSObject {
    /// uikit/uiaction/init(title:image:identifier:discoverabilitytitle:attributes:state:handler:): of its parameters, those that the app gives.
    public init(title: String = "", handler: @escaping UIActionHandler) {}
}

/// uikit/uiactionhandler
public typealias UIActionHandler = (UIAction) -> Void

/// uikit/uibutton
@MainActor public class UIButton: UIView {
    /// uikit/uibutton/init(configuration:primaryaction:)
    @available(iOS 15, tvOS 15, *)
    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) { self.init() }

    /// uikit/uibutton/configuration-swift.struct
    @available(iOS 15, tvOS 15, *)
    @MainActor public struct Configuration {
        public static func filled() -> Configuration { Configuration() }
    }
}
