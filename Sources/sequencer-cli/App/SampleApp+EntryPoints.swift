import Foundation
import StartupOps

/// What can start the sample app besides its icon.
extension SampleApp {
    /// The places that links can lead to.
    private static func router() throws -> DeepLinkRouter {
        try DeepLinkRouter(
            origins: [DeepLinkOrigin("app", "open"), DeepLinkOrigin("https", "app.example.com")],
            routes: [
                DeepLinkRoute("speaker", path: "/speakers/{id}", parameters: [.string("id", maximumLength: 64)]),
                DeepLinkRoute("playlist", path: "/playlists/{id}", parameters: [.string("id", maximumLength: 64)], needsLogin: true),
                DeepLinkRoute("follow", path: "/artists/{id}/follow", parameters: [.string("id")], needsLogin: true, changesState: true),
            ]
        )
    }

    private static let shortcuts = ShortcutItems([ShortcutItem("play"), ShortcutItem("search")])

    /// Puts what the command line names into the mailbox, where it stays until it has been delivered.
    func receiveEntryPoints(_ arguments: RunArguments) throws {
        if let push = arguments.push {
            let parser = PushPayloadParser(categories: ["now-playing", "message"], links: try Self.router())
            let data: Data
            if push.contains("{") {
                data = Data(push.utf8)
            } else {
                data = Data(try readInput(push))
            }
            environment.mailbox.receive(.push(try refusal("push") { try parser.payload(from: data) }))
        }
        if let link = arguments.link {
            environment.mailbox.receive(.link(try refusal("link") { try Self.router().link(link) }))
        }
        if let shortcut = arguments.shortcut {
            environment.mailbox.receive(.shortcut(try refusal("shortcut") { try Self.shortcuts.item(ofType: shortcut) }))
        }
    }

    private func refusal<Value>(_ option: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw UsageError("option '--\(option)': \(error)", command: "run")
        }
    }
}
