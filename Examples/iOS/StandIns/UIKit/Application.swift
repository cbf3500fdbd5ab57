//  Stands in for a part of the module `UIKit`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/uikit, whose page each declaration names.

import Foundation

/// uikit/uiresponder
@MainActor open class UIResponder: NSObject {
    public nonisolated override init() {}
}

/// uikit/uiapplication
@MainActor open class UIApplication: UIResponder {
    public static let shared = UIApplication()
    /// uikit/uiapplication/registerforremotenotifications()
    public func registerForRemoteNotifications() {}
    /// uikit/uiapplication/open(_:options:completionhandler:)
    public func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {}

    /// uikit/uiapplication/openexternalurloptionskey
    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
    /// uikit/uiapplication/launchoptionskey
    public struct LaunchOptionsKey: Hashable, Sendable {}
}

/// uikit/uiapplicationdelegate: its methods are optional. Those that both apps have are required here, so that a slip in a name is found; the others
/// have a default below.
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    /// uikit/uiapplicationdelegate/application(_:willfinishlaunchingwithoptions:)
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// uikit/uiapplicationdelegate/application(_:didfinishlaunchingwithoptions:)
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// uikit/uiapplicationdelegate/application(_:configurationforconnecting:options:)
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// uikit/uiapplicationdelegate/application(_:didregisterforremotenotificationswithdevicetoken:)
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    /// uikit/uiapplicationdelegate/application(_:didfailtoregisterforremotenotificationswitherror:)
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
}

extension UIApplicationDelegate {
    /// uikit/uiapplicationdelegate/main()
    @MainActor public static func main() {}
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}
}

/// uikit/uidevice
@MainActor public class UIDevice: NSObject {
    public class var current: UIDevice { UIDevice() }
    /// uikit/uidevice/identifierforvendor
    public var identifierForVendor: UUID? { nil }
}

/// uikit/uiapplicationshortcutitem
@MainActor public class UIApplicationShortcutItem: NSObject {
    public var type: String { "" }
}

/// foundation/nsuseractivity: Foundation has it on Apple's systems.
public class NSUserActivity: NSObject {
    public let activityType: String
    public var webpageURL: URL?
    public var userInfo: [AnyHashable: Any]?
    /// foundation/nsuseractivity/init(activitytype:)
    public init(activityType: String) { self.activityType = activityType }
}

/// foundation/nsuseractivitytypebrowsingweb
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
