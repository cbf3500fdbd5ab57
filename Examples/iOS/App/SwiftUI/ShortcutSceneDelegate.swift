import StartupOps
import UIKit

/// What SwiftUI has no modifier for: the shortcuts of the app's icon. SwiftUI makes the window, and keeps a scene delegate of its own beside this one.
final class ShortcutSceneDelegate: UIResponder, UIWindowSceneDelegate {
    private var coordinator: LaunchCoordinator { .shared }

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions) {
        coordinator.phases.mark(.sceneSession, scene: session.persistentIdentifier)
        coordinator.phases.mark(.willConnect, scene: session.persistentIdentifier)
        // Links are not taken from here: `onOpenURL` is called for them too.
        if let shortcut = connectionOptions.shortcutItem { coordinator.inbox.receive(shortcut: shortcut.type) }
    }

    func sceneDidDisconnect(_ scene: UIScene) {
        coordinator.phases.sceneDidDisconnect(scene.session.persistentIdentifier)
    }

    func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        completionHandler(coordinator.inbox.receive(shortcut: shortcutItem.type))
        coordinator.deliver()
    }
}
