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

    /// Nothing of the text, not even its length.
    public var description: String { "<secret>" }
}

/// The secrets that this process was given last, to be recognised where somebody quotes them.
///
/// They are the process's, not a session's: a service may quote a secret that another service was given in an earlier session.
package enum KnownSecrets {
    /// The giver of a secret. Each has room of its own, so that a service that gives new tokens all the time makes no password forgotten.
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
    static var all: [String] { latest.withLock { $0.values.flatMap { $0 } } }

    /// Keeps a secret in mind.
    package static func add(_ secret: Secret, from source: Source) {
        guard secret.value.utf8.count >= shortest else { return }
        latest.withLock { latest in
            var secrets = latest[source] ?? []
            // The usual case: the same token again and again.
            if secrets.last == secret.value { return }
            // To the end, as the one that was given last.
            secrets.removeAll { $0 == secret.value }
            secrets.append(secret.value)
            latest[source] = secrets.suffix(capacity)
        }
    }
}

/// Makes text from elsewhere fit to be shown in an error: short, on one line, and without secrets that the other side may have quoted.
package enum ForeignText {
    /// A longer word is data, not a word of a message: a token, a key.
    private static let maximumWordLength = 40
    private static let maximumTextLength = 200
    /// A secret that is as long as this stands in no name by chance.
    private static let minimumInName = 8

    /// A message of a service, or a word of one.
    package static func shown(_ text: String, limit: Int = 200) -> String {
        let words = withoutSecrets(text).split(whereSeparator: \.isWhitespace).map { word in
            word.count > maximumWordLength ? "<\(word.count) characters>" : String(word)
        }
        return printable(words.joined(separator: " "), limit: limit)
    }

    /// The beginning of a text in which "<secret>" stands for each word that has a part in a secret.
    package static func withoutSecrets(_ text: String) -> String {
        // A character can be any number of scalars, so these are counted.
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(4 * maximumTextLength)))
        var bytes = Array(beginning.utf8)
        // Of a word that is cut in two, only the first half would be searched.
        if bytes.count < text.utf8.count { bytes = Array(bytes[..<(bytes.lastIndex(where: isSpace) ?? bytes.endIndex)]) }
        var places = QuotedSecrets(String(decoding: bytes, as: UTF8.self)).places(of: KnownSecrets.all)
        places.sort { $0.lowerBound < $1.lowerBound }
        var (result, end): ([UInt8], Int) = ([], 0)
        for place in places where place.upperBound > end {
            if place.lowerBound >= end {
                let start = bytes[end..<place.lowerBound].lastIndex(where: isSpace).map { $0 + 1 } ?? end
                result += bytes[end..<start] + Array("<secret>".utf8)
            }
            end = bytes[place.upperBound...].firstIndex(where: isSpace) ?? bytes.endIndex
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Whether a name, such as a host's, quotes a whole secret: parts of one stand in many a name by chance.
    static func quotesSecret(_ name: String) -> Bool {
        QuotedSecrets(name).quotesWhole(KnownSecrets.all.filter { $0.utf8.count >= minimumInName })
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
