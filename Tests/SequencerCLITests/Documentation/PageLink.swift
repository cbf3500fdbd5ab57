import Foundation

/// A link of a Markdown page to a file of the project, or to a heading.
struct PageLink: Sendable {
    /// The page, from the root of the project.
    let page: String
    /// From 1.
    let line: Int
    /// What the link says: a path from the page's folder, a heading behind `#`, or both.
    let target: String

    /// Where it is, for messages.
    var place: String { "\(page):\(line)" }

    /// The links and pictures of a page that lead into the project, those in code left out.
    static func links(of page: String, named name: String) -> [PageLink] {
        proseLines(of: page).flatMap { line, text -> [PageLink] in
            // Most lines have none, and expressions are slow.
            guard text.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "<") }) else { return [] }
            // `[text](target)`, `[text]: target` and HTML's `src="target"`; code in a line shows brackets, and means none.
            let prose = text.replacing(/`[^`]*`/, with: "code")
            let inline = prose.matches(of: /\]\(\s*([^)\s]+)[^)]*\)/).map(\.1)
            let references = prose.matches(of: /^ {0,3}\[[^\]]+\]:\s+(\S+)/).map(\.1)
            let markup = prose.matches(of: /(?:src|href)="([^"]*)"/).map(\.1)
            return (inline + references + markup)
                .filter { $0.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.-]*:|\/\/)/) == nil }
                .map { PageLink(page: name, line: line, target: String($0)) }
        }
    }

    /// What is wrong with it; nil when it leads somewhere.
    func problem(in root: URL) -> DocumentationProblem? {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = parts[0].removingPercentEncoding ?? parts[0]
        let folder = root.appending(path: page).deletingLastPathComponent()
        let file = (path.isEmpty ? root.appending(path: page) : folder.appending(path: path)).standardizedFileURL
        guard file.path == root.standardizedFileURL.path || file.path.hasPrefix(root.standardizedFileURL.path + "/"), !path.hasPrefix("/")
        else {
            return DocumentationProblem(place, "the link '\(target)' leads out of the project")
        }
        guard FileManager.default.fileExists(atPath: file.path) else {
            return DocumentationProblem(place, "the link '\(target)' leads nowhere: there is no \(file.path)")
        }
        guard parts.count == 2, file.pathExtension == "md" else { return nil }
        let headings = (try? String(contentsOf: file, encoding: .utf8)).map(Self.anchors) ?? []
        return headings.contains(parts[1])
            ? nil : DocumentationProblem(place, "the link '\(target)' leads to no heading; those are \(headings.sorted())")
    }

    /// What the headings of a page are called behind a `#`: in lower case, spaces being hyphens, without punctuation.
    static func anchors(of page: String) -> Set<String> {
        let headings = proseLines(of: page).compactMap { $0.text.wholeMatch(of: /#{1,6}\s+(.+?)\s*/)?.1 }
        return Set(
            headings.map { heading in
                String(
                    heading.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil }
                )
            }
        )
    }

    /// Lines outside of blocks, with their numbers.
    private static func proseLines(of page: String) -> [(line: Int, text: Substring)] {
        var fence: String?
        var lines: [(line: Int, text: Substring)] = []
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.drop { $0 == " " }
            if let open = fence {
                if words.hasPrefix(open), words.allSatisfy({ $0 == "`" || $0 == " " }) { fence = nil }
            } else if words.hasPrefix("```") {
                fence = String(words.prefix { $0 == "`" })
            } else {
                lines.append((index + 1, line))
            }
        }
        return lines
    }
}
