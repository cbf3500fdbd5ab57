import Foundation
import Testing

/// The package's own files, for tests of what may depend on what.
struct SourceFiles {
    struct File {
        /// The path from the package's root.
        let path: String
        /// The text, without comments.
        let text: String

        /// Every identifier and keyword.
        var words: Set<String> {
            Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        }

        /// The types it declares outside of others.
        var declaredTypes: Set<String> {
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
            let lines = text.split(separator: "\n").filter { $0.first?.isWhitespace == false }
            return Set(
                lines.compactMap { line in
                    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
                    guard let index = words.firstIndex(where: kinds.contains), index + 1 < words.count else { return nil }
                    return String(words[index + 1])
                }
            )
        }
    }

    /// The files of the folder and its folders, in order. What documentation shows is no source of ours.
    let all: [File]

    /// - Parameter folder: its path from the package's root.
    init(_ folder: String) throws {
        let root = try Self.packageRoot()
        let names = try #require(FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path))
        all = try names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted()
            .map { try Self.file("\(folder)/\($0)", in: root) }
    }

    static func file(_ path: String) throws -> File { try file(path, in: packageRoot()) }

    private static func file(_ path: String, in root: URL) throws -> File {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
        }
        return File(path: path, text: lines.joined(separator: "\n"))
    }

    private struct NoPackage: Error {}

    /// Where the manifest is: above this file.
    private static func packageRoot() throws -> URL {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) { return folder }
        }
        throw NoPackage()
    }
}
