//  Stands in for a part of the module `UIKit`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/uikit, whose page each declaration names.

import Foundation

/// uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
    /// uikit/uiviewcontroller/init(nibname:bundle:)
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
    /// uikit/uiviewcontroller/init(coder:)
    public required init?(coder: NSCoder) {}
    public var view: UIView! = UIView()
    open func viewDidLoad() {}
    public func addChild(_ childController: UIViewController) {}
    public func removeFromParent() {}
    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}
}

/// uikit/uiwindow
@MainActor open class UIWindow: UIView {
    /// uikit/uiwindow/init(windowscene:)
    public init(windowScene: UIWindowScene) {}
    public var rootViewController: UIViewController?
    public func makeKeyAndVisible() {}
}
