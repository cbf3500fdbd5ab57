import Sequencer

/// An entry of the menu on the app's icon, as the app declares it.
public struct ShortcutItem: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What the system calls it by: `UIApplicationShortcutItem.type`.
    public let type: String
    /// Whether only someone who is logged in may use it.
    public let needsLogin: Bool
    /// Whether it changes something, so that the person has to confirm it first.
    public let changesState: Bool

    /// An entry.
    public init(_ type: String, needsLogin: Bool = false, changesState: Bool = false) {
        self.type = type
        self.needsLogin = needsLogin
        self.changesState = changesState
    }

    /// The entry's type.
    public var description: String { "shortcut \(type)" }
}

/// The entries that an app has declared: any other is refused, such as one that an earlier version left on the home screen.
public struct ShortcutItems: Sendable, Hashable {
    private let items: [String: ShortcutItem]

    /// These entries; of two of a type, the first.
    public init(_ items: [ShortcutItem]) {
        self.items = Dictionary(items.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entry of a type.
    ///
    /// - Throws: ``UnknownShortcutItem``.
    public func item(ofType type: String) throws(UnknownShortcutItem) -> ShortcutItem {
        // Swift compares texts by what they mean; a type has to be the same to the byte.
        guard let item = items[type], item.type.utf8.elementsEqual(type.utf8) else {
            throw UnknownShortcutItem(type: printable(type, limit: 80), nearest: nearestName(to: type, in: items.keys.sorted()))
        }
        return item
    }
}

/// A shortcut item was used that the app does not declare.
public struct UnknownShortcutItem: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its type, fit to be shown.
    public let type: String
    /// The declared type that is most like it.
    public let nearest: String?

    /// One sentence.
    public var description: String {
        "shortcut refused: the app declares none of type \"\(type)\"\(nearest.map { "; the nearest is \($0)" } ?? "")"
    }
}
