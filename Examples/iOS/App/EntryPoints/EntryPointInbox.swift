import Foundation
import StartupOps
import Synchronization
import os

/// Takes in what comes from outside: checks it, and puts it into the mailbox of the launch, or keeps it until there is one.
///
/// Every method can be called from any thread.
final class EntryPointInbox: Sendable {
    private struct Letter {
        let entryPoint: EntryPoint
        let id: String?
    }

    private struct State {
        var mailbox: EntryPointMailbox?
        var early: [Letter] = []
    }

    private let state = Mutex(State())
    private let router: DeepLinkRouter?
    private let shortcuts = ShortcutItems([ShortcutItem("play"), ShortcutItem("search")])
    private let log = Logger(subsystem: "com.example.music", category: "EntryPoints")

    init() {
        do {
            router = try DeepLinkRouter(
                origins: [DeepLinkOrigin("https", "music.example.com"), DeepLinkOrigin("music", "open")],
                routes: [DeepLinkRoute("playlist", path: "/playlists/{id}", parameters: [.string("id", maximumLength: 64)])]
            )
        } catch {
            router = nil
            log.fault("no links are taken: \(String(describing: error), privacy: .public)")
        }
    }

    /// A launch begins: what came before goes into its mailbox, and so does what comes from now on.
    func open(_ mailbox: EntryPointMailbox) {
        let early = state.withLock { state in
            defer { state.early = [] }
            state.mailbox = mailbox
            return state.early
        }
        for letter in early { mailbox.receive(letter.entryPoint, id: letter.id) }
    }

    /// A link was followed.
    func receive(_ url: URL) {
        guard let router else { return }
        take { EntryPoint.link(try router.link(url.absoluteString)) }
    }

    /// A shortcut of the app's icon was chosen.
    ///
    /// - Returns: whether the app knows it.
    @discardableResult
    func receive(shortcut type: String) -> Bool {
        take { EntryPoint.shortcut(try shortcuts.item(ofType: type)) }
    }

    /// A push notification was opened.
    ///
    /// - Parameter id: the request's identifier.
    func receive(push userInfo: [AnyHashable: Any], id: String) {
        take(id: id) { EntryPoint.push(try PushPayloadParser(categories: ["message"], links: router).payload(from: userInfo)) }
    }

    /// An intent was performed.
    func receive(_ request: PlaylistRequest) {
        take { EntryPoint.app(try AppEntryPoint(PlaylistRequest.kind, request)) }
    }

    @discardableResult
    private func take(id: String? = nil, _ parse: () throws -> EntryPoint) -> Bool {
        do {
            let letter = Letter(entryPoint: try parse(), id: id)
            let mailbox = state.withLock { state in
                if state.mailbox == nil { state.early.append(letter) }
                return state.mailbox
            }
            mailbox?.receive(letter.entryPoint, id: id)
            return true
        } catch {
            // The sentence has nothing in it that came from outside and could be a secret.
            log.error("\(String(describing: error), privacy: .public)")
            state.withLock { $0.mailbox }?.refuse(because: error)
            return false
        }
    }
}
