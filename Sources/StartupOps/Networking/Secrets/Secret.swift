import Sequencer

/// A value whose parts may hold secrets: nothing that dumps or reflects it sees them.
package protocol Opaque: CustomReflectable {}

extension Opaque {
    // Public, although the protocol is not: it is how public values conform to the public `CustomReflectable`.
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A value that may hold secrets: everything that prints, dumps or reflects it sees its description.
package protocol SecretHolding: Opaque, CustomStringConvertible, CustomDebugStringConvertible {}

extension SecretHolding {
    // Public for the same reason.
    /// The same as the description.
    public var debugDescription: String { description }
}

/// A text that must never be shown: a password, a token, a code. Its description says that it is there.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral, SecretHolding {
    /// The text itself: for the one place that needs it.
    public let value: String

    /// A secret text.
    public init(_ value: String) { self.value = value }
    /// A secret text, as a literal: for tests and samples.
    public init(stringLiteral value: String) { self.value = value }

    /// To the byte.
    public static func == (one: Secret, other: Secret) -> Bool { areSame(one.value, other.value) }

    /// Nothing of the text, not even its length.
    public var description: String { "<secret>" }
}

/// The secrets that this process was given last, to be recognised where somebody quotes them.
///
/// They are the process's, not a session's: a service may quote a secret that another service was given in an earlier
/// session.
package enum KnownSecrets {
    /// The giver of a secret. Each has separate room, so that a service that gives new tokens all the time makes no
    /// password forgotten.
    package enum Source: Hashable {
        case person
        case service
    }

    /// How many of each are kept; of more, the oldest go.
    static let capacity = 32
    /// In bytes. Shorter ones are part of too many words.
    static let shortest = 4

    private static let latest = Locked<[Source: [String]]>([:])

    /// All of them.
    package static var all: [String] { latest.withLock { $0.values.flatMap { $0 } } }

    /// Keeps a secret in mind.
    package static func add(_ secret: Secret, from source: Source) {
        guard secret.value.utf8.count >= shortest else { return }
        latest.withLock { latest in
            var secrets = latest[source] ?? []
            // The usual case: the same token again and again.
            if areSame(secrets.last, secret.value) { return }
            // To the end, as the one that was given last.
            secrets.removeAll { areSame($0, secret.value) }
            secrets.append(secret.value)
            latest[source] = secrets.suffix(capacity)
        }
    }
}
