//  Stands in for the module `UserNotifications`, where there is no Xcode: the declarations that the app uses, without behaviour.
//  The names are Apple's, and so is the documentation.
//  swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores, NeverUseImplicitlyUnwrappedOptionals
//  After https://developer.apple.com/documentation/usernotifications, whose page each declaration names.

import Foundation

/// usernotifications/unusernotificationcenter
public class UNUserNotificationCenter: NSObject {
    public class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    /// usernotifications/unusernotificationcenter/delegate
    public weak var delegate: (any UNUserNotificationCenterDelegate)?
}

/// usernotifications/unusernotificationcenterdelegate: isolated to nothing.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    /// usernotifications/unusernotificationcenterdelegate/usernotificationcenter(_:didreceive:withcompletionhandler:): optional; required here, so
    /// that a slip in its name is found.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    )
}

/// usernotifications/unnotificationresponse: taken for not Sendable, which asks more of the app.
public class UNNotificationResponse: NSObject {
    public let notification = UNNotification()
    public let actionIdentifier = ""
}

/// usernotifications/unnotification
public class UNNotification: NSObject {
    public let request = UNNotificationRequest()
}

/// usernotifications/unnotificationrequest
public class UNNotificationRequest: NSObject {
    public let identifier = ""
    public let content = UNNotificationContent()
}

/// usernotifications/unnotificationcontent
public class UNNotificationContent: NSObject {
    public var userInfo: [AnyHashable: Any] { [:] }
}

/// usernotifications/unnotificationdefaultactionidentifier
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
