//  Stands in for a part of the module `UIKit`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/uikit, whose page each declaration names.

import Foundation

/// uikit/uiscene
@MainActor open class UIScene: UIResponder {
    public let session = UISceneSession()

    /// uikit/uiscene/connectionoptions
    @MainActor public class ConnectionOptions: NSObject {
        public var urlContexts: Set<UIOpenURLContext> { [] }
        public var userActivities: Set<NSUserActivity> { [] }
        public var shortcutItem: UIApplicationShortcutItem? { nil }
    }
}

/// uikit/uiwindowscene
@MainActor open class UIWindowScene: UIScene {}

/// uikit/uiopenurlcontext
@MainActor public class UIOpenURLContext: NSObject {
    public let url = URL(fileURLWithPath: "/")
}

/// uikit/uiscenesession
@MainActor public class UISceneSession: NSObject {
    public nonisolated override init() {}
    public var persistentIdentifier: String { "" }
    public var role: Role { Role() }
    /// uikit/uiscenesession/staterestorationactivity
    public var stateRestorationActivity: NSUserActivity?

    /// uikit/uiscenesession/role-swift.struct
    public struct Role: Hashable, Sendable {}
}

/// uikit/uisceneconfiguration
@MainActor public class UISceneConfiguration: NSObject {
    /// uikit/uisceneconfiguration/init(name:sessionrole:)
    public init(name: String?, sessionRole: UISceneSession.Role) {}
    /// uikit/uisceneconfiguration/delegateclass
    public var delegateClass: AnyClass?
}

/// uikit/uiscenedelegate: its methods are optional. Those that both scene delegates of the app have are required here, so that a slip in a name is
/// found; the others have a default below.
@MainActor public protocol UISceneDelegate: NSObjectProtocol {
    /// uikit/uiscenedelegate/scene(_:willconnectto:options:)
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    /// uikit/uiscenedelegate/scenediddisconnect(_:)
    func sceneDidDisconnect(_ scene: UIScene)
    /// uikit/uiscenedelegate/scenewillenterforeground(_:)
    func sceneWillEnterForeground(_ scene: UIScene)
    /// uikit/uiscenedelegate/scenedidenterbackground(_:)
    func sceneDidEnterBackground(_ scene: UIScene)
    /// uikit/uiscenedelegate/staterestorationactivity(for:)
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
    /// uikit/uiscenedelegate/scene(_:openurlcontexts:)
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
    /// uikit/uiscenedelegate/scene(_:continue:)
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
}

extension UISceneDelegate {
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
}

/// uikit/uiwindowscenedelegate
@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// uikit/uiwindowscenedelegate/windowscene(_:performactionfor:completionhandler:)
    func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    )
    /// uikit/uiwindowscenedelegate/window
    var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
    public var window: UIWindow? {
        get { nil }
        set {}
    }
}
