import Foundation
import SwiftUI
import UIKit

/// The app with SwiftUI's screens.
struct SwiftUIApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
    @Environment(\.scenePhase) private var scenePhase

    var body: some Scene {
        let coordinator = LaunchCoordinator.shared
        WindowGroup {
            RootView(screens: coordinator.screens, progress: coordinator.progress)
                .onOpenURL { url in
                    coordinator.inbox.receive(url)
                    coordinator.deliver()
                }
                .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
                    guard let url = activity.webpageURL else { return }
                    coordinator.inbox.receive(url)
                    coordinator.deliver()
                }
        }
        // Read here, in the app, it is the phase of all scenes together: in the background when every one of them is.
        .onChange(of: scenePhase, initial: true) { _, phase in
            if phase == .background { coordinator.enterBackground() } else { coordinator.enterForeground() }
        }
    }
}
