import Foundation
import Sequencer

/// Secrets as others quote them, to be found in texts and data: as they are, percent-encoded, and in base64 and
/// base64url with anything around them; letters in any case.
package struct SpelledSecrets: Sendable {
    /// In bytes. A shorter spelling stands in many a word by chance; the secret itself may be shorter.
    private static let shortest = 4
    /// By their first byte.
    private var spellings = [[[UInt8]]](repeating: [], count: 256)
    /// Whether one begins with these two bytes: at most places of a text none does.
    private var isBeginning = [Bool](repeating: false, count: 65_536)

    package init(_ secrets: some Sequence<String> = []) {
        for secret in secrets { add(secret) }
    }

    package mutating func add(_ secret: String) {
        // The signature of a JSON Web Token (RFC 7519) alone: all else in it can be guessed.
        let parts = secret.split(separator: ".", omittingEmptySubsequences: false)
        let signature = parts.count == 3 && parts[2].utf8.count >= Self.shortest ? [String(parts[2])] : []
        let spelled = ([secret] + signature).flatMap(Self.spellings)
        for spelling in Set(spelled.map { $0.utf8.map(Self.folded) }) where !spelling.isEmpty {
            spellings[Int(spelling[0])].append(spelling)
            for next in spelling.count > 1 ? [spelling[1]] : Array(0...255) { isBeginning[Int(spelling[0]) << 8 | Int(next)] = true }
        }
    }

    /// The places of secrets in `bytes`. A secret that begins within another has a place, too: it may end behind it.
    func places(in bytes: [UInt8]) -> some Sequence<Range<Int>> {
        let folded = bytes.map(Self.folded)
        return folded.indices.lazy.compactMap { start in
            let next = start + 1 < folded.count ? folded[start + 1] : 0
            guard isBeginning[Int(folded[start]) << 8 | Int(next)] else { return nil }
            let longest = spellings[Int(folded[start])].filter { folded[start...].starts(with: $0) }.map(\.count).max()
            return longest.map { start..<start + $0 }
        }
    }

    /// The text with a mark in place of each of them, or of each word that quotes one.
    package func cut(from text: String, mark: String = "<redacted>", wholeWords: Bool = false) -> String {
        // Bytes: a combining mark makes another character of the one before it, and so would hide the secret.
        let bytes = Array(text.utf8)
        var (result, end): ([UInt8], Int) = ([], 0)
        for place in places(in: bytes) where place.upperBound > end {
            if place.lowerBound >= end {
                let word = bytes[end..<place.lowerBound].lastIndex(where: Self.isSpace).map { $0 + 1 } ?? end
                result += bytes[end..<(wholeWords ? word : place.lowerBound)] + Array(mark.utf8)
            }
            let behind = bytes[place.upperBound...].firstIndex(where: Self.isSpace) ?? bytes.endIndex
            end = wholeWords ? behind : place.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func spellings(of secret: String) -> [String] {
        let base64 = (0..<3).map { Self.base64(secret, after: $0) }
        let base64URL = base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        return [secret] + ([PercentEncoding.encode(secret)] + base64 + base64URL).filter { $0.utf8.count >= shortest }
    }

    /// In base64 with so many bytes before it, without the characters that hold bits of its neighbours.
    private static func base64(_ secret: String, after offset: Int) -> String {
        let bytes = [UInt8](repeating: 0, count: offset) + secret.utf8
        return String(Data(bytes).base64EncodedString().prefix(bytes.count * 8 / 6).dropFirst((offset * 8 + 5) / 6))
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }
}

/// Makes text from elsewhere fit to be shown in an error: short, on one line, and without secrets that the other side
/// may have quoted.
package enum ForeignText {
    /// A longer word is data, not a word of a message: a token, a key.
    private static let maximumWordLength = 40
    private static let maximumTextLength = 200
    /// A secret that is as long as this stands in no name and in no answer by chance.
    private static let minimumInData = 8

    /// A message of a service, or a word of one.
    package static func shown(_ text: String, limit: Int = 200) -> String {
        let words = withoutSecrets(text).split(whereSeparator: \.isWhitespace).map { word in
            word.count > maximumWordLength ? "<\(word.count) characters>" : String(word)
        }
        return printable(words.joined(separator: " "), limit: limit)
    }

    /// The beginning of a text in which "<secret>" stands for each word that quotes a secret.
    package static func withoutSecrets(_ text: String) -> String {
        // A character can be any number of scalars, so these are counted.
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(4 * maximumTextLength)))
        var bytes = beginning.utf8[...]
        // Of a word that is cut in two, only the first half would be searched.
        if bytes.count < text.utf8.count {
            bytes = bytes[..<(bytes.lastIndex(where: SpelledSecrets.isSpace) ?? bytes.endIndex)]
        }
        let whole = String(decoding: bytes, as: UTF8.self)
        return SpelledSecrets(KnownSecrets.all).cut(from: whole, mark: "<secret>", wholeWords: true)
    }

    /// Whether a name, such as a host's, or an answer quotes a secret.
    static func quotesSecret(_ data: some Sequence<UInt8>) -> Bool {
        let secrets = SpelledSecrets(KnownSecrets.all.filter { $0.utf8.count >= minimumInData })
        return secrets.places(in: Array(data)).contains { _ in true }
    }
}
