import Foundation

/// Whether two names from outside, of accounts and the like, are the same to the byte, or both absent: Swift takes
/// canonically equivalent texts for equal, such as "K" and the sign for kelvin, and the next person is another one.
package func areSame(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.elementsEqual(other.utf8)
}

extension String {
    /// A text in ASCII that is equal for texts that are the same to the byte, and for no others.
    package var exact: String { utf8.allSatisfy { $0 < 0x80 } ? self : "=" + Base64URL.encode(Data(utf8)) }

    /// Nil for a text without a character that can be seen: absent, null, empty and blank are one thing in an answer.
    package var unlessBlank: String? { allSatisfy(\.isWhitespace) ? nil : self }
}
