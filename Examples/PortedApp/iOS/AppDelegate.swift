import BackgroundTasks
import Foundation
import StartupOps
import StartupStorage
import UIKit
import UserNotifications

/// What is left of the delegate: it tells the coordinator what happens.
@main final class AppDelegate: UIResponder, UIApplicationDelegate {
    static let screens = ScreenModel()
    static let coordinator = LaunchCoordinator(
        Launches(Phone(SuspendingClock()), screens, in: .openDefault(), version: "1.0")
    )
    /// The notification center holds its delegate weakly.
    private let notifications = NotificationDelegate()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Self.coordinator.begin { BackgroundTime.register() }
        UNUserNotificationCenter.current().delegate = notifications
        application.registerForRemoteNotifications()
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
        Self.coordinator.launches.deviceToken.set(deviceToken.map { String(format: "%02x", $0) }.joined())
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        Self.coordinator.launches.deviceToken.fail("\(error)")
    }
}

/// The links of the app. A push that the user has opened is one, too.
nonisolated enum Links {
    static func entryPoint(of url: URL) -> EntryPoint? {
        (try? AppEntryPoint("link", url.absoluteString)).map { .app($0) }
    }
}

/// On whatever thread the system calls, so it is isolated to nothing.
nonisolated final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate, Sendable {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let request = response.notification.request
        let push = try? PushPayloadParser(categories: ["article"]).payload(from: request.content.userInfo)
        let id = request.identifier
        Task { @MainActor in
            if let push { AppDelegate.coordinator.receive(.push(push), id: id) }
            completionHandler()
        }
    }
}

/// The time that the system gives in the background.
nonisolated enum BackgroundTime {
    /// In Info.plist under `BGTaskSchedulerPermittedIdentifiers` too.
    static let identifier = "com.example.ported.refresh"

    static func register() {
        // Called on a queue of the scheduler's own, so it is isolated to nothing.
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in run(task) }
    }

    private static func run(_ task: BGTask) {
        let work = Task { await AppDelegate.coordinator.refresh() }
        task.expirationHandler = { work.cancel() }
        let completion = Completion(task: task)
        Task { completion.task.setTaskCompleted(success: await work.value) }
    }

    private struct Completion: @unchecked Sendable {
        // Unchecked: `BGTask` does not say that it is Sendable; only the holder of this value uses it from here on.
        let task: BGTask
    }
}
