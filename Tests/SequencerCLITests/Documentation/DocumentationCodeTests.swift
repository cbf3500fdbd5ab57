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
}
