/// Some of what an app has stored: what ``LaunchState/clear(_:)`` is to remove.
public struct StoredPart: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of a store.
    let store: String
    /// The keys in it; nil for all.
    let keys: [String]?

    /// Everything in a store, such as `"secure"` or `"cache"`.
    public static func everything(in store: String) -> StoredPart { StoredPart(store: store, keys: nil) }

    /// Some values of a store.
    public static func values(_ keys: [StoreKey], in store: String) -> StoredPart {
        StoredPart(store: store, keys: keys.map(\.description))
    }

    /// `secure`, or `state: last-speaker`.
    public var description: String { keys.map { "\(store): \($0.joined(separator: ", "))" } ?? store }
}
