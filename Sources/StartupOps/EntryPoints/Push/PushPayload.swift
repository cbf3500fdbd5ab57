/// What a push notification says, judged and cleaned.
///
/// Nothing that prints it shows a text: pushes are letters to a person.
public struct PushPayload: Sendable, Hashable, Codable {
    /// One of the categories the app knows; nil when the push has none of these, and is to be shown as any other.
    public let category: String?
    /// The title, as plain text: whoever shows it as markup has to escape it.
    public let title: String?
    /// The text, as plain text.
    public let body: String?
    /// Where it leads, when it carries a link that the app takes.
    public let link: DeepLink?
    /// What was left out of it and why, without what it was.
    public let problems: [String]
}

extension PushPayload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The category and the link's route, without texts and values.
    public var description: String {
        "push\(category.map { " of category \($0)" } ?? "")\(link.map { " with a \($0)" } ?? "")"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// Empty, so that `dump` shows no texts either.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
