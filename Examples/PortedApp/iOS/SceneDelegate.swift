import Foundation
import UIKit

extension AppDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }
}

/// The window, and what the scene is opened for. A scene may connect in the background: it starts nothing.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var coordinator: LaunchCoordinator { AppDelegate.coordinator }

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        window.rootViewController = RootViewController(AppDelegate.screens)
        window.makeKeyAndVisible()
        self.window = window
        receive(connectionOptions.urlContexts)
    }

    func sceneWillEnterForeground(_ scene: UIScene) { coordinator.handle(.willEnterForeground) }
    func sceneDidEnterBackground(_ scene: UIScene) { coordinator.handle(.didEnterBackground) }
    func sceneDidDisconnect(_ scene: UIScene) {}
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) { receive(URLContexts) }

    func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        // This app has no shortcuts.
        completionHandler(false)
    }

    private func receive(_ contexts: Set<UIOpenURLContext>) {
        for link in contexts.compactMap({ Links.entryPoint(of: $0.url) }) { coordinator.receive(link) }
    }
}
