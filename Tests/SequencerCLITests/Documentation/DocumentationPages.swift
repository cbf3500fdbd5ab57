import Foundation

/// The pages of the project, and the Swift code in them.
struct DocumentationPages {
    /// Where contexts are, from the root of the project.
    static let contexts = "Tests/Data/Documentation"
    /// Languages of blocks that are not Swift; the empty one is output, or a command.
    private static let others: Set<String> = ["", "json", "sh", "text", "yaml", "xml", "dot", "mermaid", "sql"]

    let root: URL
    /// Swift code, in the order of the pages.
    private(set) var code: [DocumentedCode] = []
    /// How many blocks there are of each other kind.
    private(set) var counts: [String: Int] = [:]
    /// Blocks that say of themselves why they are not compiled.
    private(set) var excused: [String] = []
    private(set) var problems: [DocumentationProblem] = []
    /// Links into the project. Catalogs have none: docc checks theirs.
    private(set) var links: [PageLink] = []
    private(set) var pages = 0

    init(root: URL) {
        self.root = root
    }

    /// The project that this test belongs to.
    static var projectRoot: URL {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root = root.deletingLastPathComponent() }
        return root
    }

    /// Every page and every tutorial of the project.
    static func all() throws -> DocumentationPages {
        var all = DocumentationPages(root: projectRoot)
        let top = try FileManager.default.contentsOfDirectory(atPath: projectRoot.path).filter { $0.hasSuffix(".md") }
        let inside = ["Documentation", "Examples", "Benchmarks", "Sources"].flatMap { all.files(in: $0) }
        for name in (top + inside).sorted() {
            let text = { try String(contentsOf: projectRoot.appending(path: name), encoding: .utf8) }
            if name.hasSuffix(".md") { try all.add(page: text(), named: name) }
            if name.hasSuffix(".tutorial") { try all.add(tutorial: text(), named: name) }
        }
        return all
    }

    /// The files of a folder and of the folders in it, hidden ones left out: those are of builds.
    func files(in folder: String) -> [String] {
        let folder = root.appending(path: folder)
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        let start = root.standardizedFileURL.path.count + 1
        return (files?.compactMap { $0 as? URL } ?? []).map { String($0.standardizedFileURL.path.dropFirst(start)) }
    }

    /// Adds the blocks of a page.
    mutating func add(page: String, named name: String) throws {
        pages += 1
        if !name.contains(".docc/") { links += PageLink.links(of: page, named: name) }
        let (blocks, unclosed) = CodeBlock.blocks(of: page, named: name)
        if let unclosed { problems.append(DocumentationProblem("\(name):\(unclosed)", "this block never ends")) }
        for block in blocks {
            if block.info != "swift" {
                counts[block.info, default: 0] += 1
                check(block)
            } else if let excuse = block.excuse {
                excused.append("\(block.place): \(excuse)")
            } else {
                do {
                    code.append(try DocumentedCode(block, index: code.count, context: context))
                } catch let problem as DocumentationProblem {
                    problems.append(problem)
                }
            }
        }
    }

    /// The doc comments of public declarations as a page: each of their lines is in its place, and all others are empty.
    static func comments(of source: String) -> String {
        var page: [String] = []
        var start: Int?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///") {
                start = start ?? page.count
                page.append(String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)))
                continue
            }
            let isPublic = text.contains("public ")
            // An attribute stands between the comment and its declaration.
            if let first = start, isPublic || !text.hasPrefix("@") {
                if !isPublic { for index in first..<page.count { page[index] = "" } }
                start = nil
            }
            page.append("")
        }
        return page.joined(separator: "\n")
    }

    private mutating func check(_ block: CodeBlock) {
        if !Self.others.contains(block.info) {
            problems.append(
                DocumentationProblem(block.place, "'\(block.info)' is no language of a block; those are swift, \(Self.others.sorted())")
            )
        }
        if block.info == "json", (try? JSONSerialization.jsonObject(with: Data(block.text.utf8))) == nil {
            problems.append(DocumentationProblem(block.place, "this is not JSON"))
        }
    }

    /// Adds what the steps of a tutorial show.
    ///
    /// A file of a step takes the place of the one of the same name in the steps before. A test sees the other files as one module with itself:
    /// its `@testable import` of them is left out.
    mutating func add(tutorial: String, named name: String) throws {
        let resources = root.appending(path: name).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources")
        var current: [String: String] = [:]
        for step in tutorial.matches(of: /@Code\(name: "([^"]+)", file: "([^"]+)"\)/) where step.2.hasSuffix(".swift") {
            let place = String(resources.appending(path: String(step.2)).path.dropFirst(root.path.count + 1))
            guard let text = try? String(contentsOf: root.appending(path: place), encoding: .utf8) else {
                problems.append(DocumentationProblem(name, "there is no \(place)"))
                continue
            }
            let source = DocumentedCode.located(text, at: place, 1)
            if text.contains("swift-tools-version") {
                code.append(DocumentedCode(tutorial: place, kind: .manifest, sources: [source]))
            } else if text.contains("@testable import ") {
                let test = source.replacing(/@testable import \w+/, with: "")
                code.append(
                    DocumentedCode(tutorial: place, kind: .tutorial, sources: [test] + current.sorted { $0.key < $1.key }.map(\.value))
                )
            } else {
                current[String(step.1)] = source
                code.append(DocumentedCode(tutorial: place, kind: .tutorial, sources: [source]))
            }
        }
    }

    private func context(_ name: String) throws -> String? {
        let file = root.appending(path: "\(Self.contexts)/\(name).swift")
        return FileManager.default.fileExists(atPath: file.path) ? try String(contentsOf: file, encoding: .utf8) : nil
    }

    /// What was found, in one line.
    var summary: String {
        let kinds = DocumentedCode.Kind.allCases.map { kind in "\(kind.rawValue) \(code.count { $0.kind == kind })" }
        let others = counts.sorted { $0.key < $1.key }.map { "\($0.key.isEmpty ? "output and commands" : $0.key) \($0.value)" }
        return
            "\(pages) pages; Swift: \(kinds.joined(separator: ", ")), not compiled \(excused.count); else: \(others.joined(separator: ", "))"
    }
}
