import Foundation
import Sequencer

/// Makes text from elsewhere fit to be shown in an error: short, on one line, and without secrets that the other side may have quoted.
enum ForeignText {
    /// Longer words are no words of a message: tokens, keys, encoded data.
    private static let longestWord = 40
    private static let longestText = 200

    static func shown(_ text: String, hiding secret: Secret?) -> String {
        var text = text
        if let secret, !secret.value.isEmpty {
            let forms = [secret.value, PercentEncoding.encode(secret.value), Data(secret.value.utf8).base64EncodedString()]
            for form in forms { text = text.replacing(form, with: "<secret>") }
        }
        let words = text.prefix(4 * longestText).split(whereSeparator: \.isWhitespace).map { word in
            word.count > longestWord ? "<\(word.count) characters>" : String(word)
        }
        return printable(words.joined(separator: " "), limit: longestText)
    }
}
