import Foundation
import Sequencer

/// Whether two names from outside, of accounts and the like, are the same to the byte, or both absent: Swift takes
/// canonically equivalent texts for equal, such as "K" and the sign for kelvin, and the next user is another one.
package func areSame(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.elementsEqual(other.utf8)
}

extension Set<String> {
    /// Whether it has a name from outside as a member, to the byte.
    package func holds(_ name: String) -> Bool { contains { areSame($0, name) } }
}

extension String {
    /// A text in ASCII that is equal for texts that are the same to the byte, and for no others.
    package var exact: String {
        // A text that begins like an encoded one is encoded, too.
        let isPlain = utf8.first != UInt8(ascii: "=") && utf8.allSatisfy { $0 < 0x80 }
        return isPlain ? self : "=" + Base64URL.encode(Data(utf8))
    }

    /// Nil for a text without a character that can be seen: absent, null, empty and blank are one thing in an answer.
    package var unlessBlank: String? {
        judgedScalars(self).contains { $0.isShown && !$0.scalar.properties.isWhitespace } ? self : nil
    }
}

extension KeyedDecodingContainer {
    /// A text that has to be there.
    ///
    /// - Throws: a `DecodingError` where it is absent, null, empty or blank.
    package func text(forKey key: Key) throws -> String {
        if let text = try textIfPresent(forKey: key) { return text }
        let context = DecodingError.Context(codingPath: codingPath + [key], debugDescription: "it is absent or blank")
        throw DecodingError.valueNotFound(String.self, context)
    }

    /// A text; nil where it is absent, null, empty or blank.
    package func textIfPresent(forKey key: Key) throws -> String? {
        try decodeIfPresent(String.self, forKey: key)?.unlessBlank
    }
}
