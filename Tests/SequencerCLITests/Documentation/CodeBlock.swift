import Foundation

/// A fenced block of a Markdown page.
struct CodeBlock: Sendable {
    /// The page, as messages name it.
    let page: String
    /// The line of its first line of text, from 1.
    let line: Int
    /// What stands behind the opening fence: its language.
    let info: String
    let text: String
    /// The files of `Tests/Data/Documentation` that say what it stands in, by `<!-- context: NAME, NAME -->` before it.
    let contexts: [String]
    /// Why it is not compiled, by `<!-- not compiled: REASON -->` before it.
    let excuse: String?

    /// Where it is, for messages.
    var place: String { "\(page):\(line)" }

    /// All blocks of a page.
    ///
    /// - Returns: nil for `blocks` when a fence is never closed, with the line of that fence.
    static func blocks(of page: String, named name: String) -> (blocks: [CodeBlock], unclosed: Int?) {
        var blocks: [CodeBlock] = []
        var open: (line: Int, indent: Int, fence: String, info: String)?
        var text: [Substring] = []
        var comment: [String: String] = [:]
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.drop { $0 == " " }
            if let begun = open {
                if words.hasPrefix(begun.fence), words.drop(while: { $0 == "`" }).allSatisfy(\.isWhitespace) {
                    blocks.append(
                        CodeBlock(
                            page: name,
                            line: begun.line + 1,
                            info: begun.info,
                            text: text.joined(separator: "\n") + "\n",
                            contexts: (comment["context"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) },
                            excuse: comment["not compiled"]
                        )
                    )
                    (open, text, comment) = (nil, [], [:])
                } else {
                    text.append(line.dropFirst(min(begun.indent, line.count - words.count)))
                }
            } else if words.hasPrefix("```") {
                let fence = String(words.prefix { $0 == "`" })
                let info = words.dropFirst(fence.count).trimmingCharacters(in: .whitespaces)
                open = (index + 1, line.count - words.count, fence, info)
            } else if let found = words.wholeMatch(of: /<!-- (context|not compiled): (.+) -->\s*/) {
                comment[String(found.1)] = String(found.2)
            } else if !words.isEmpty {
                // A comment is about the block that follows it, and about no later one.
                comment = [:]
            }
        }
        return (blocks, open?.line)
    }
}
