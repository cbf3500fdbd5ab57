import Foundation

/// Swift code of the documentation, in the form in which the compiler takes it.
struct DocumentedCode: Sendable {
    /// How a piece of code is compiled.
    enum Kind: String, Sendable, CaseIterable {
        /// Complete, with `@main` and its own imports.
        case program = "programs"
        /// Declarations that stand in a file: tests, extensions.
        case declarations = "files"
        /// Statements, as they stand in a function.
        case statements = "parts"
        /// A whole `Package.swift`, or lines of one.
        case manifest = "manifests"
        /// What a step of a tutorial shows, with the files that the steps before it have left.
        case tutorial = "tutorial steps"
    }

    let kind: Kind
    /// Where it is, for messages.
    let place: String
    /// What the compiler gets: each becomes a file.
    let sources: [String]

    /// What statements and declarations may use without an import.
    private static let imports =
        [
            "Foundation", "Sequencer", "SequencerAnalysis", "SequencerObservation", "SequencerTesting", "StartupNetworking", "StartupOps",
            "StartupSamples", "StartupStorage", "Testing",
        ]
        .map { "import \($0)\n" }.joined()
    /// What contexts make values with that no code ever runs with.
    static let support = "func given<Value>(_ type: Value.Type) -> Value { preconditionFailure(\"documentation is compiled, not run\") }\n"

    /// The code of a Swift block.
    ///
    /// - Parameter context: the text of a context; nil when there is none of that name.
    /// - Throws: ``DocumentationProblem`` when the block says something that makes no sense.
    init(_ block: CodeBlock, index: Int, context: (String) throws -> String?) throws {
        place = block.place
        let preludes = try block.contexts.map { name in
            guard let text = try context(name) else {
                throw DocumentationProblem(block.place, "there is no context '\(name)': no such file in \(DocumentationPages.contexts)")
            }
            return Self.located(text, at: "\(DocumentationPages.contexts)/\(name).swift", 1)
        }
        let lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)
        // What has an import keeps its line numbers: a line takes the place of each.
        let found = lines.filter { $0.wholeMatch(of: /(@testable )?import \w+/) != nil }
        let rest = lines.map { found.contains($0) ? "" : $0 }.joined(separator: "\n")
        func begins(with words: String...) -> Bool { lines.contains { line in words.contains { line.hasPrefix($0) } } }

        if block.text.contains("swift-tools-version") {
            kind = .manifest
            sources = [Self.located(block.text, at: block.page, block.line)]
        } else if begins(with: ".package(", ".product(") {
            kind = .manifest
            sources = [try Self.manifest(of: lines, block)]
        } else if begins(with: "@main") {
            kind = .program
            sources = [Self.located(block.text, at: block.page, block.line) + preludes.joined()]
        } else if begins(with: "@Suite", "@Test", "extension ") {
            kind = .declarations
            let imports = Self.imports + found.joined(separator: "\n") + "\n"
            sources = [imports + preludes.joined() + Self.located(rest, at: block.page, block.line) + Self.support]
        } else {
            kind = .statements
            let body = Self.located(rest, at: block.page, block.line)
            let imports = Self.imports + found.joined(separator: "\n")
            sources = ["\(imports)\nfunc block\(index)() async throws {\n\(preludes.joined())do {\n\(body)}\n}\n"]
        }
    }

    /// A step of a tutorial.
    init(tutorial place: String, kind: Kind, sources: [String]) {
        self.place = place
        self.kind = kind
        self.sources = sources
    }

    /// `text`, with messages that name where it comes from.
    static func located(_ text: String, at page: String, _ line: Int) -> String {
        "#sourceLocation(file: \"\(page)\", line: \(line))\n\(text)\n#sourceLocation()\n"
    }

    /// Lines of a manifest, each in the array where it belongs.
    private static func manifest(of lines: [Substring], _ block: CodeBlock) throws -> String {
        let types = [".package(": "Package.Dependency", ".product(": "Target.Dependency"]
        var text = "import PackageDescription\n"
        for (offset, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("//") {
            guard let type = types.first(where: { line.hasPrefix($0.key) })?.value else {
                throw DocumentationProblem(
                    "\(block.page):\(block.line + offset)",
                    "a line of a manifest begins with .package( or .product("
                )
            }
            text += located("let line\(offset): [\(type)] = [\(line)\n]", at: block.page, block.line + offset)
        }
        return text
    }
}

/// What is wrong with a page, and where.
struct DocumentationProblem: Error, Sendable, CustomStringConvertible {
    let description: String

    init(_ place: String, _ words: String) {
        description = "\(place): \(words)"
    }
}
