import Foundation

/// How much of an answer is decoded. A larger answer is refused before a decoder sees it: a few kilobytes, unpacked,
/// can make gigabytes of values.
///
/// The counts are those of JSON as RFC 8259 has it. A decoder that allows JSON5 is held by the size alone.
///
/// ```swift
/// let options = RequestOptions(limits: AnswerLimits(maximumSize: 8 << 20, maximumDepth: 16, maximumCount: 400_000))
/// let catalogue = try await client.get("v1/catalogue", as: Catalogue.self, options: options, deadline: launch.deadline)
/// ```
public struct AnswerLimits: Sendable, Hashable {
    /// How many bytes it may have, unpacked.
    var maximumSize: Int
    /// How many arrays and objects may stand within one another.
    var maximumDepth: Int
    /// How many values it may have: texts, numbers, arrays, objects, and the keys of objects, too.
    ///
    /// A value that is more than eight levels deep counts for more, one that is 24 levels deep as three: a decoder that
    /// tries one type after the other takes as much longer for it.
    var maximumCount: Int

    /// Limits; unless said otherwise 4 MB, 24 levels and 100,000 values.
    public init(maximumSize: Int = 4 << 20, maximumDepth: Int = 24, maximumCount: Int = 100_000) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
        self.maximumCount = maximumCount
    }

    /// The limits of answers unless said otherwise: 4 MB, 24 levels, 100,000 values.
    static let standard = AnswerLimits()
    /// For answers of GraphQL, whose queries go from one thing to the next: 4 MB, 32 levels, 100,000 values.
    static let graphQL = AnswerLimits(maximumSize: 4 << 20, maximumDepth: 32, maximumCount: 100_000)
    /// For configurations and lists of countries: 1 MB, 16 levels, 50,000 values.
    package static let configuration = AnswerLimits(maximumSize: 1 << 20, maximumDepth: 16, maximumCount: 50_000)
    /// For version policies, whose texts are cut afterwards, so that no long message hides a required update: 4 MB, 16
    /// levels, 2,000 values.
    package static let policy = AnswerLimits(maximumSize: 4 << 20, maximumDepth: 16, maximumCount: 2_000)
    /// For profiles of one user: 64 kB, 16 levels, 2,000 values.
    package static let profile = AnswerLimits(maximumSize: 64 << 10, maximumDepth: 16, maximumCount: 2_000)
    /// For tokens, which have to fit into a header: 64 kB, 8 levels, 200 values.
    static let tokens = AnswerLimits(maximumSize: 64 << 10, maximumDepth: 8, maximumCount: 200)

    /// Values that are not deeper count once.
    private static let shallow = 8

    /// The limit that a body exceeds, in words; nil when it may be decoded. Looks at each byte once, and builds
    /// nothing.
    package func excess(in body: Data) -> String? {
        if body.count > maximumSize { return "it has \(body.count) bytes, and at most \(maximumSize) are decoded" }
        return body.withUnsafeBytes { excess(in: $0) }
    }

    /// Outside of texts, each value and each key but the first follows one of these: `[`, `{`, `,`, `:`.
    private func excess(in bytes: UnsafeRawBufferPointer) -> String? {
        // In eighths, so that the weight of deep values needs no fractions.
        var (levels, weight) = (0, Self.shallow)
        var (isInText, isEscaped) = (false, false)
        for byte in bytes {
            if isInText {
                (isInText, isEscaped) = (isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\"))
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                levels += 1
                weight += max(levels, Self.shallow)
                if levels > maximumDepth { return "it has more than the \(maximumDepth) levels of arrays and objects that are decoded" }
            // Below zero for a text that is not JSON: the decoder refuses that.
            case UInt8(ascii: "]"), UInt8(ascii: "}"): levels -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): weight += max(levels, Self.shallow)
            default: break
            }
            if weight / Self.shallow > maximumCount { return "it has more than the \(maximumCount) values that are decoded" }
        }
        return nil
    }
}
