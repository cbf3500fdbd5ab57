/// A text that must never be shown: a password, a token, a code. Whatever prints it prints that it is there, not what it is.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself: for the one place that needs it.
    public let value: String

    /// A secret text.
    public init(_ value: String) { self.value = value }
    /// A secret text, as a literal: for tests and samples.
    public init(stringLiteral value: String) { self.value = value }

    /// Nothing of the text, not even its length.
    public var description: String { "<secret>" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
