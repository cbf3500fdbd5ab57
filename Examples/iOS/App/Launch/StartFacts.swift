import StartupOps

/// What has started the app, where the library knows no more than that it was a way in of the app's own, which it counts as a link.
nonisolated enum WayIn: LaunchFact {
    case unknown
    case intent

    init(_ waiting: [EntryPointDelivery]) {
        let isIntent = waiting.contains { if case .app(let own) = $0.entryPoint { own.kind == PlaylistRequest.kind } else { false } }
        self = isIntent ? .intent : .unknown
    }
}

/// Where the person was when a scene was last seen; iOS has kept that with the scene.
nonisolated struct RestoredPlace: LaunchFact {
    static let unknown = RestoredPlace(name: nil)
    let name: String?
}

extension LaunchFacts {
    /// Whether to go back to where the person was: not for somebody who comes by a link, a push, a shortcut or an intent, for these lead elsewhere.
    nonisolated var mayRestorePlace: Bool { origin == .icon }

    /// What a report says of the app's own facts, beside what it says of the library's.
    nonisolated var ownAttributes: [String: String] {
        var attributes: [String: String] = [:]
        if self[WayIn.self] == .intent { attributes["start.origin"] = "intent" }
        if self[RestoredPlace.self].name != nil { attributes["start.restores"] = "true" }
        return attributes
    }
}
