import Foundation
import StartupOps
import UIKit

/// The scene of the app with UIKit's screens: makes the window, reports the phases, takes in what the scene was opened for.
final class WindowSceneDelegate: UIResponder, UIWindowSceneDelegate {
    /// In Info.plist under `NSUserActivityTypes` too.
    private static let restoration = (activity: "com.example.music.place", key: "place")

    var window: UIWindow?
    private var coordinator: LaunchCoordinator { .shared }

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let (phases, id) = (coordinator.phases, session.persistentIdentifier)
        phases.mark(.sceneSession, scene: id)
        phases.mark(.willConnect, scene: id)
        if phases.takeScenePart(id) {
            let window = UIWindow(windowScene: scene)
            phases.mark(.window, scene: id)
            window.rootViewController = RootViewController(coordinator.screens, coordinator.progress)
            window.makeKeyAndVisible()
            self.window = window
            // UIKit has loaded the first view on the way.
            phases.mark(.keyAndVisible, scene: id)
            phases.mark(.viewDidLoad, scene: id)
        }
        coordinator.restore(place: session.stateRestorationActivity?.userInfo?[Self.restoration.key] as? String)
        // The push that a scene is opened for comes to the notification center's delegate.
        if let shortcut = connectionOptions.shortcutItem { coordinator.inbox.receive(shortcut: shortcut.type) }
        for context in connectionOptions.urlContexts { coordinator.inbox.receive(context.url) }
        for activity in connectionOptions.userActivities { take(activity) }
    }

    // A scene may be connected in the background, to be drawn for the app switcher: the launch waits for it to come to the front.
    func sceneWillEnterForeground(_ scene: UIScene) { coordinator.enterForeground() }
    func sceneDidEnterBackground(_ scene: UIScene) { coordinator.enterBackground() }
    func sceneDidDisconnect(_ scene: UIScene) { coordinator.phases.sceneDidDisconnect(scene.session.persistentIdentifier) }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        guard let place = coordinator.screens.place else { return nil }
        let activity = NSUserActivity(activityType: Self.restoration.activity)
        activity.userInfo = [Self.restoration.key: place]
        return activity
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        for context in URLContexts { coordinator.inbox.receive(context.url) }
        coordinator.deliver()
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        take(userActivity)
        coordinator.deliver()
    }

    func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        completionHandler(coordinator.inbox.receive(shortcut: shortcutItem.type))
        coordinator.deliver()
    }

    private func take(_ activity: NSUserActivity) {
        guard activity.activityType == NSUserActivityTypeBrowsingWeb, let url = activity.webpageURL else { return }
        coordinator.inbox.receive(url)
    }
}
