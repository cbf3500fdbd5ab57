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

/// uikit/uiapplicationdelegate: its methods are optional; those that the app has are required here, so that a slip in a name is found.
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
}

extension UIApplicationDelegate {
    /// uikit/uiapplicationdelegate/main()
    @MainActor public static func main() {}
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
