import Foundation
import TestSupport
import Testing

@Suite("Code in the documentation", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DocumentationCodeTests {
    @Test("Every Swift program and part of one compiles, as every tutorial step does")
    func compiles() async throws {
        let pages = try DocumentationPages.all()
        print(pages.summary)
        for problem in pages.problems { Issue.record("\(problem)") }
        for kind in DocumentedCode.Kind.allCases { #expect(pages.code.contains { $0.kind == kind }, "there are no \(kind.rawValue)") }

        let compiler = try DocumentationCompiler()
        let statements = pages.code.filter { $0.kind == .statements }
        let others = pages.code.filter { $0.kind != .statements }
        try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await compiler.errors(inStatements: statements) }
            for (index, code) in others.enumerated() {
                // Two at a time, beside the first.
                if index >= 2 { try await Self.record(group.next()) }
                group.addTask { try await compiler.errors(in: code) }
            }
            while let errors = try await group.next() { Self.record(errors) }
        }
    }

    private static func record(_ errors: String?) {
        if let errors, !errors.isEmpty { Issue.record("\(errors)") }
    }

    @Test("Code in the doc comments of public declarations names nothing that an app cannot reach")
    func comments() async throws {
        var pages = DocumentationPages(root: DocumentationPages.projectRoot)
        for name in pages.files(in: "Sources").sorted() where name.hasSuffix(".swift") && !name.contains(".docc/") {
            let source = try String(contentsOf: pages.root.appending(path: name), encoding: .utf8)
            try pages.add(page: DocumentationPages.comments(of: source), named: name)
        }
        #expect(pages.problems.isEmpty, "\(pages.problems)")
        let statements = pages.code.filter { $0.kind == .statements }
        #expect(statements.count > 100)
        // Such code has values of an app that are declared nowhere: of the compiler's errors only these are mistakes.
        let errors = try await DocumentationCompiler().errors(inStatements: statements)
        #expect(errors.split(separator: "\n").filter { $0.contains("is inaccessible due to") } == [])
    }

    @Test("Every file of a tutorial is shown in one of its steps")
    func resources() throws {
        let shown = Set(try DocumentationPages.all().code.map(\.place))
        let folder = "Sources/Sequencer/Sequencer.docc/Resources"
        let files = try FileManager.default.contentsOfDirectory(atPath: DocumentationPages.projectRoot.appending(path: folder).path)
        let swift = files.filter { $0.hasSuffix(".swift") }
        #expect(swift.count > 5)
        for file in swift { #expect(shown.contains("\(folder)/\(file)")) }
    }

    @Test("Figures of speed in guides are those of the comparison")
    func figures() throws {
        let root = DocumentationPages.projectRoot
        let page = try String(contentsOf: root.appending(path: "Documentation/Comparison.md"), encoding: .utf8).split(separator: "\n")
        let guide = root.appending(path: "Sources/Sequencer/Sequencer.docc/Guides/WhyOperationQueue.md")
        let table = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(table.count > 4)
        for row in table { #expect(page.contains(row)) }
    }

    @Test("A mistake is found where it is: in a part, in a file, in a program, in a manifest")
    func mistakes() async throws {
        let page = """
            Text.

            ```swift
            let graph = OperationGraph("one")
            try graph.validate()
            ```

            <!-- context: report -->
            ```swift
            @Suite struct LaunchTests {
                @Test func fast() { #expect(report.isFast) }
            }
            ```

            ```swift
            import Sequencer

            @main struct App {
                static func main() { Scenario.all.forEach { print($0) } }
            }
            ```

            ```swift
            .package(path: 3),
            ```
            """
        var pages = DocumentationPages(root: DocumentationPages.projectRoot)
        try pages.add(page: page, named: "page.md")
        #expect(pages.problems.isEmpty)
        #expect(pages.code.map(\.kind) == [.statements, .declarations, .program, .manifest])
        let compiler = try DocumentationCompiler()
        let places = ["page.md:5:", "page.md:11:", "page.md:19:", "page.md:24:"]
        for (code, place) in zip(pages.code, places) {
            let errors = code.kind == .statements ? try await compiler.errors(inStatements: [code]) : try await compiler.errors(in: code)
            #expect(errors.contains(place), "\(errors)")
        }
    }

    @Test("What cannot be read is said with its line, and nothing is passed over in silence")
    func unreadable() throws {
        let page = """
            ```swift3
            let a = 1
            ```
            <!-- context: nowhere -->
            ```swift
            let b = 1
            ```
            <!-- context: report -->
            Words between a context and a block: it is not the block's.
              ```swift
              let c = 1
              ```
            <!-- not compiled: it is pseudocode -->
            ```swift
            launch the app
            ```
            ```json
            { "a": 1, }}
            ```
            ```swift
            .package(path: ".."),
            dependencies: []
            ```
            ```swift
            never closed
            """
        var pages = DocumentationPages(root: DocumentationPages.projectRoot)
        try pages.add(page: page, named: "page.md")
        let places = pages.problems.map { $0.description.split(separator: " ")[0] }
        #expect(places == ["page.md:24:", "page.md:2:", "page.md:6:", "page.md:18:", "page.md:22:"])
        #expect(pages.code.map(\.place) == ["page.md:11"])
        #expect(pages.code.first?.sources.first?.contains("given") == false)
        #expect(pages.excused == ["page.md:15: it is pseudocode"])
    }
}
