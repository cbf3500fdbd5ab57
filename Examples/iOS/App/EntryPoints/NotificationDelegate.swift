import Foundation
import UserNotifications

/// Takes in the push notifications that a person has opened.
///
/// It is isolated to nothing: which thread the system calls on is the system's business. What was opened is stored when the method returns.
final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate, Sendable {
    private let inbox: EntryPointInbox
    private let didReceive: @MainActor @Sendable () -> Void

    init(inbox: EntryPointInbox, didReceive: @escaping @MainActor @Sendable () -> Void) {
        self.inbox = inbox
        self.didReceive = didReceive
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let request = response.notification.request
        // Swiping it away opens nothing.
        if response.actionIdentifier == UNNotificationDefaultActionIdentifier {
            inbox.receive(push: request.content.userInfo, id: request.identifier)
        }
        Task { @MainActor [didReceive] in didReceive() }
        // On the thread of the call, which is what UIKit expects.
        completionHandler()
    }
}
