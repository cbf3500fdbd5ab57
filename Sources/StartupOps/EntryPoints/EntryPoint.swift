import Foundation
import Sequencer
import StartupNetworking

/// A way into the app other than its icon.
public enum EntryPoint: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A push notification that was opened.
    case push(PushPayload)
    /// A link that was followed.
    case link(DeepLink)
    /// An entry of the icon's menu.
    case shortcut(ShortcutItem)
    /// A kind of the app's own.
    case app(AppEntryPoint)

    /// Whether it needs a logged-in user, and whether it changes something.
    private var demands: (needsLogin: Bool, changesState: Bool) {
        switch self {
        // A push needs what the link it carries needs.
        case .push(let push): (push.link?.needsLogin ?? false, push.link?.changesState ?? false)
        case .link(let link): (link.needsLogin, link.changesState)
        case .shortcut(let item): (item.needsLogin, item.changesState)
        case .app(let entryPoint): (entryPoint.needsLogin, entryPoint.changesState)
        }
    }

    private var push: PushPayload? { if case .push(let push) = self { push } else { nil } }

    /// Whether it needs a logged-in user.
    var needsLogin: Bool { demands.needsLogin }
    /// Whether it changes something, so that the user has to confirm it first. Nobody is there to confirm a silent
    /// push, so it carries no such link.
    var needsConfirmation: Bool { !isSilent && demands.changesState }
    /// The account that it is for; nil when it does not say.
    var account: String? { push?.account }
    /// When it is of no use any more; nil when it does not say: then a week after it came.
    var expiresAt: Date? { push?.expiresAt }
    /// Whether the user must not see it: a silent push.
    var isSilent: Bool { push?.isSilent == true }

    /// Its kind, without any of its texts or values.
    public var description: String {
        switch self {
        case .push(let push): push.description
        case .link(let link): link.description
        case .shortcut(let item): item.description
        case .app(let entryPoint): entryPoint.description
        }
    }

    /// Its place among entry points that wait at the same time.
    var rank: Int {
        // Pushes first: the screen of a link or a shortcut is on top in the end.
        switch self {
        case .push: 0
        case .link, .app: 1
        case .shortcut: 2
        }
    }
}

/// An entry point on its way to the app.
public struct EntryPointDelivery: Sendable, Hashable, CustomStringConvertible {
    /// The identifier, given by the app or the mailbox.
    let id: String
    /// The entry point.
    public let entryPoint: EntryPoint
    /// Whether it was handed over before, to a handler that threw or a process that died: its action may have been done
    /// already.
    let isRedelivery: Bool
    /// The account that it is for; nil when it is for every account.
    let account: String?

    /// Whether it changes something, so that the user has to confirm it first.
    var needsConfirmation: Bool { entryPoint.needsConfirmation }

    /// Its kind, without any of its texts or values.
    public var description: String { "\(entryPoint)\(isRedelivery ? ", again" : "")" }
}

/// An entry point that will not be delivered, and why.
struct DroppedEntryPoint: Sendable, Hashable, CustomStringConvertible {
    /// The identifier, given by the app or the mailbox.
    let id: String
    /// The entry point.
    let entryPoint: EntryPoint
    /// Why it was dropped.
    let reason: String

    /// The message, in one sentence.
    var description: String { "\(entryPoint) was dropped: \(reason)" }
}

/// The kind of session that is open, as far as entry points care.
enum EntryPointSession: Sendable, Hashable {
    /// It is not known yet, or nobody's: entry points that need a login wait.
    case guest
    /// Somebody is logged in, with this account. Where that is not known, entry points for one account wait.
    case loggedIn(String?)
}

/// An entry of the menu on the app's icon, as the app declares it.
public struct ShortcutItem: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The system's name: `UIApplicationShortcutItem.type`.
    public let type: String
    /// Whether it needs a logged-in user.
    let needsLogin: Bool
    /// Whether it changes something, so that the user has to confirm it first.
    let changesState: Bool

    /// An entry.
    public init(_ type: String, needsLogin: Bool = false, changesState: Bool = false) {
        self.type = type
        self.needsLogin = needsLogin
        self.changesState = changesState
    }

    /// To the byte in the type.
    public static func == (one: ShortcutItem, other: ShortcutItem) -> Bool {
        areSame(one.type, other.type) && (one.needsLogin, one.changesState) == (other.needsLogin, other.changesState)
    }

    /// The entry's type.
    public var description: String { "shortcut \(type)" }
}

/// The entries that an app has declared: any other is refused, such as one that an earlier version left on the home
/// screen.
public struct ShortcutItems: Sendable, Hashable {
    /// By the exact texts of their types.
    private let items: [String: ShortcutItem]

    /// These entries; of two of a type, the first.
    public init(_ items: [ShortcutItem]) {
        self.items = Dictionary(items.map { ($0.type.exact, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entry of a type.
    ///
    /// - Throws: an error that names the nearest type when the app declares none of this type.
    public func item(ofType type: String) throws -> ShortcutItem {
        if let item = items[type.exact] { return item }
        // Sorted: of two that are as near, the same one each time.
        let nearest = nearestName(to: type, in: items.values.map(\.type).sorted())
        throw UnknownShortcutItem(type: printable(type, limit: 80), nearest: nearest)
    }
}

/// A shortcut item was used that the app does not declare.
struct UnknownShortcutItem: DescribedError, Sendable, Hashable {
    /// Its type, fit to be shown.
    let type: String
    /// The declared type that is most like it.
    let nearest: String?

    /// The message, in one sentence.
    var description: String {
        "shortcut refused: the app declares none of type \"\(type)\"\(nearest.map { "; the nearest is \($0)" } ?? "")"
    }
}
/// The treatment of an entry point that came in.
public enum EntryPointReceipt: Sendable, Hashable {
    /// It is stored: it survives the end of the process.
    case stored
    /// It could not be stored, and is lost when the process ends before the store can be used again.
    case keptInMemory(StorageError)
    /// An entry point with this identifier is waiting, or was accepted a short while ago: nothing was done.
    case duplicate
}
