import Foundation

/// Puts the head of an answer together from its lines, as they arrive: decides, and does nothing.
///
/// All lines count against the limits, also those of provisional answers (1xx), which may be any number, and of
/// trailers, which are dropped.
struct ResponseHead {
    /// The next step after a line.
    enum Step: Equatable {
        case goOn
        /// The head is complete.
        case head(HTTPResponse)
        /// The answer cannot be used.
        case refuse(String)
    }

    static let maximumSize = 256 << 10
    static let maximumFieldCount = 512
    /// How an answer may be packed. Never twice: what unpacks to nothing in the end is held against no limit on its way
    /// there.
    private static let codings: Set = ["", "identity", "gzip", "x-gzip", "deflate"]

    private enum Place { case statusLine, fields, afterHead }

    private var place = Place.statusLine
    private var response = HTTPResponse(status: 0)
    private var lastName: String?
    private var size = 0
    private var fieldCount = 0

    /// Takes the next line, with or without its line break.
    mutating func take(_ line: some Collection<UInt8>) -> Step {
        // Before anything else, so that lines without end count as well (N46).
        size += line.count
        if size > Self.maximumSize {
            return .refuse("the headers of the answer are larger than the \(Self.maximumSize) bytes that are allowed")
        }
        // Trailers come here too: they count, and are dropped.
        if place == .afterHead { return .goOn }
        // Bytes that are not UTF-8 become replacement characters: the answer is not lost because of a header.
        var text = Substring(String(decoding: line, as: UTF8.self))
        // "\r\n" is one character.
        while let last = text.last, last == "\r\n" || last == "\n" || last == "\r" { text.removeLast() }
        return place == .statusLine ? takeStatus(text) : text.isEmpty ? end() : takeField(text)
    }

    private mutating func takeStatus(_ line: Substring) -> Step {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        // HTTP/2 has no reason phrase.
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3, let status = Int(words[1]), status >= 100 else {
            return .refuse("the answer begins with what is no HTTP")
        }
        response = HTTPResponse(status: status)
        (place, lastName) = (.fields, nil)
        return .goOn
    }

    private mutating func takeField(_ line: Substring) -> Step {
        fieldCount += 1
        if fieldCount > Self.maximumFieldCount {
            return .refuse("the answer has more than the \(Self.maximumFieldCount) headers that are allowed")
        }
        // A line that begins with a blank continues with the one before (RFC 9112, section 5.2).
        if line.first == " " || line.first == "\t" {
            guard let lastName else { return .refuse(Self.nonsense) }
            response.headers[lastName]? += " " + line.trimmingCharacters(in: .whitespaces)
            return .goOn
        }
        guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return .refuse(Self.nonsense) }
        let (name, value) = (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        // Several fields of one name are one with several values (RFC 9110, section 5.3).
        response.headers[name] = response.headers[name].map { "\($0), \(value)" } ?? value
        lastName = name
        return .goOn
    }

    private mutating func end() -> Step {
        // A provisional answer (1xx) is followed by another head.
        if response.status < 200 {
            place = .statusLine
            return .goOn
        }
        place = .afterHead
        defer { response = HTTPResponse(status: 0) }
        let coding = response.headers["Content-Encoding"]?.lowercased() ?? ""
        guard Self.codings.contains(coding) else { return .refuse("the answer is packed in a way that was not asked for") }
        return .head(response)
    }

    private static let nonsense = "the answer has a header that is none"
}
