import AppIntents
import Foundation
import StartupOps

/// "Play a playlist", for Siri, Spotlight and the Shortcuts app: a way into the app as a link is one.
///
/// iOS starts the app for it, or brings it to the front, where its scene launches it. The intent only says where to go: what it leaves waits for the launch.
struct PlayPlaylistIntent: AppIntent {
    static let title: LocalizedStringResource = "Play a playlist"
    /// For iOS 18; later systems go by the modes.
    static let openAppWhenRun = true
    @available(iOS 26, macOS 26, *)
    static var supportedModes: IntentModes { .foreground }

    @Parameter(title: "Playlist") var playlist: String

    @MainActor func perform() async throws -> some IntentResult {
        let coordinator = LaunchCoordinator.shared
        coordinator.inbox.receive(PlaylistRequest(id: playlist))
        coordinator.deliver()
        return .result()
    }
}

/// What the intent asks for, as it is kept until the app is there.
nonisolated struct PlaylistRequest: Codable, Sendable {
    static let kind = "playlist-intent"
    let id: String
}
