import Foundation
import SwiftUI
import UIKit

/// The same app with SwiftUI's screens: this then has `@main`, the delegate has not, and `SceneDelegate.swift` goes.
struct SwiftUIApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            RootView(screens: AppDelegate.screens).onOpenURL { url in
                if let link = Links.entryPoint(of: url) { AppDelegate.coordinator.receive(link) }
            }
        }
        .onChange(of: phase, initial: true) { _, phase in
            AppDelegate.coordinator.handle(phase == .background ? .didEnterBackground : .willEnterForeground)
        }
    }
}

struct RootView: View {
    let screens: ScreenModel

    var body: some View {
        VStack {
            Text(screens.text)
            if let button = screens.button { Button(button.title) { button.action() } }
        }
    }
}
