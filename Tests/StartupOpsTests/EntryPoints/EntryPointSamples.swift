import Foundation
import Sequencer

@testable import StartupOps

/// The links, pushes and shortcuts of an app that the tests of entry points share.
enum EntryPointSamples {
    static let speakerID = "2D7A6C9E-5C1D-4E0C-9A55-8B8D1E0F3A10"

    static func router() throws -> DeepLinkRouter {
        try DeepLinkRouter(
            origins: [
                DeepLinkOrigin("https", "good.example"), DeepLinkOrigin("speakers", "open"),
                DeepLinkOrigin("http", "127.0.0.1", port: 8080),
            ],
            routes: [
                DeepLinkRoute("home", path: "/"),
                DeepLinkRoute("any-speaker", path: "/speakers/{name}", parameters: [.string("name", maximumLength: 16)]),
                DeepLinkRoute("new-speaker", path: "/speakers/new"),
                DeepLinkRoute(
                    "tune",
                    path: "/tune/{id}",
                    parameters: [
                        .uuid("id"), .integer("volume"), .string("mute", isRequired: false),
                        .oneOf("tab", ["sound", "room"], isRequired: false), .string("token", isRequired: false),
                    ],
                    needsLogin: true
                ),
                DeepLinkRoute("reset", path: "/reset", parameters: [.string("code", maximumLength: 64)], changesState: true),
                DeepLinkRoute("offer", path: "/offer", parameters: [.integer("number", isRequired: false)], ignoresUnknownParameters: true),
            ]
        )
    }

    static func link(_ text: String) throws -> EntryPoint { .link(try router().link(text)) }

    static func push(_ body: String = "Hello") throws -> EntryPoint {
        .push(try PushPayloadParser(categories: []).payload(from: Data("{\"aps\":{\"alert\":\"\(body)\"}}".utf8)))
    }

    static func shortcut(_ type: String = "favourites") -> EntryPoint { .shortcut(ShortcutItem(type)) }
}

extension EntryPointMailbox {
    /// Ends all delivery, and says what is kept.
    func stop() -> [EntryPointDelivery] {
        stopDelivering()
        return waiting()
    }
}

/// Collects what a mailbox tells, and what it hands over.
final class EntryPointLog: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: some CustomStringConvertible) {
        let line = line.description
        lines.withLock { $0.append(line) }
    }
}
