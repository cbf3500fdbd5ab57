import StartupOps
import UIKit
import UserNotifications

/// What happens once per process, whichever screens the app has: nothing here shows anything, and no launch is run.
///
/// iOS starts the process for many reasons, and for most of them nobody is waiting: the launch begins when a scene comes to the front.
final class AppDelegate: UIResponder, UIApplicationDelegate {
    /// Whether the app has UIKit's screens, and not SwiftUI's.
    static let usesUIKit = LaunchArguments(names: ["uikit"]).contains("uikit")

    private var coordinator: LaunchCoordinator { .shared }
    /// The notification center holds its delegate weakly.
    private lazy var notifications = NotificationDelegate(inbox: coordinator.inbox) { LaunchCoordinator.shared.deliver() }

    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        coordinator.phases.mark(.applicationCreated)
        coordinator.phases.mark(.delegateCreated)
        return true
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Both have to be in place when this method returns: a push or a task that started the process is handed over right after.
        UNUserNotificationCenter.current().delegate = notifications
        BackgroundRefresh.register { await LaunchCoordinator.shared.refresh() }
        coordinator.phases.mark(.didFinishLaunching)
        Task { coordinator.phases.mark(.eventLoop) }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = Self.usesUIKit ? WindowSceneDelegate.self : ShortcutSceneDelegate.self
        return configuration
    }
}
