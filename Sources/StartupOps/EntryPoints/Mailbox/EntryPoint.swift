import Foundation

/// What a person came into the app by, other than its icon.
public enum EntryPoint: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A push notification that was opened.
    case push(PushPayload)
    /// A link that was followed.
    case link(DeepLink)
    /// An entry of the icon's menu.
    case shortcut(ShortcutItem)

    /// Whether only someone who is logged in may come in by it. A push needs what the link it carries needs.
    public var needsLogin: Bool {
        switch self {
        case .push(let push): push.link?.needsLogin ?? false
        case .link(let link): link.needsLogin
        case .shortcut(let item): item.needsLogin
        }
    }

    /// Whether it changes something, so that the person has to confirm it first.
    public var needsConfirmation: Bool {
        switch self {
        case .push(let push): push.link?.changesState ?? false
        case .link(let link): link.changesState
        case .shortcut(let item): item.changesState
        }
    }

    /// What it is, without any of its texts or values.
    public var description: String {
        switch self {
        case .push(let push): push.description
        case .link(let link): link.description
        case .shortcut(let item): item.description
        }
    }

    /// Its place among entry points that wait at the same time.
    var rank: Int {
        switch self {
        case .push: 0
        case .link: 1
        case .shortcut: 2
        }
    }
}

/// An entry point on its way to the app.
public struct EntryPointDelivery: Sendable, Hashable, CustomStringConvertible {
    /// What the app, or the mailbox, calls it by.
    public let id: String
    /// The entry point.
    public let entryPoint: EntryPoint
    /// When it came in.
    public let receivedAt: Date
    /// Whether it was handed over before, to a handler that threw or a process that died: what it does may have been done already.
    public let isRedelivery: Bool

    /// Whether it changes something, so that the person has to confirm it first.
    public var needsConfirmation: Bool { entryPoint.needsConfirmation }

    /// What it is, without any of its texts or values.
    public var description: String { "\(entryPoint)\(isRedelivery ? ", again" : "")" }
}

/// An entry point that will not be delivered, and why.
public struct DroppedEntryPoint: Sendable, Hashable, CustomStringConvertible {
    /// What the app, or the mailbox, called it by.
    public let id: String
    /// The entry point.
    public let entryPoint: EntryPoint
    /// Why it was dropped.
    public let reason: String

    /// One sentence.
    public var description: String { "\(entryPoint) was dropped: \(reason)" }
}

/// Whose session is open, as far as entry points care.
public enum EntryPointSession: Sendable, Hashable {
    /// It is not known yet, or nobody's: what needs a login waits.
    case guest
    /// Somebody is logged in.
    case loggedIn
}
