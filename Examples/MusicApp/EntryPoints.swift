import Foundation
import StartupOps

/// What can start the music app besides its icon. Everything that comes from outside is checked here, and refused with a reason.
enum EntryPoints {
    static func push(_ payload: String) throws -> PushPayload {
        try PushPayloadParser(categories: ["message"], links: router()).payload(from: Data(payload.utf8))
    }

    static func link(_ text: String) throws -> DeepLink { try router().link(text) }

    static func shortcut(_ type: String) throws -> ShortcutItem {
        try ShortcutItems([ShortcutItem("play"), ShortcutItem("search")]).item(ofType: type)
    }

    private static func router() throws -> DeepLinkRouter {
        try DeepLinkRouter(
            origins: [DeepLinkOrigin("https", "music.example.com")],
            routes: [DeepLinkRoute("playlist", path: "/playlists/{id}", parameters: [.string("id", maximumLength: 64)])]
        )
    }
}
