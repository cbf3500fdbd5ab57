import Foundation
import TestSupport
import Testing

@Suite("Links and programs that pages share", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DocumentationLinkTests {
    private static let root = DocumentationPages.projectRoot

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test("Every relative link of a page leads to a file, and to a heading where it names one")
    func links() throws {
        let links = try DocumentationPages.all().links
        #expect(links.count > 40)
        for page in ["README.md", "CONTRIBUTING.md", "Examples/README.md"] { #expect(links.contains { $0.page == page }) }
        for problem in links.compactMap({ $0.problem(in: Self.root) }) { Issue.record("\(problem)") }
    }

    @Test("A link that leads nowhere is found, in whatever form it is written")
    func brokenLinks() {
        let page = """
            # The page stands for CONTRIBUTING.md, so its headings are those
            [this page](#where-things-are) [no heading](#nowhere) [`code`](README.md) `[shown](nowhere.md)`
            ![a picture](nowhere.png "title") <img src="Documentation/nowhere.png"> [web](https://example.org/a) <mailto:a@example.org>
            ```
            [in a block](nowhere.md)
            ```
            [reference]: ../nowhere.md
            [out](../../../../etc/hosts) [rooted](/README.md) [folder](Examples) [both](README.md#nowhere)
            """
        let links = PageLink.links(of: page, named: "CONTRIBUTING.md")
        let broken = links.filter { $0.problem(in: Self.root) != nil }.map { "\($0.line) \($0.target)" }
        #expect(links.count == 10)
        #expect(
            broken == [
                "2 #nowhere", "3 nowhere.png", "3 Documentation/nowhere.png", "7 ../nowhere.md", "8 ../../../../etc/hosts", "8 /README.md",
                "8 README.md#nowhere",
            ]
        )
    }

    @Test("Every guide is one step away from the README, and from the first page of the documentation")
    func guides() throws {
        let catalog = "Sources/Sequencer/Sequencer.docc"
        let guides = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "\(catalog)/Guides").path)
        let (readme, landing) = (try Self.text("README.md"), try Self.text("\(catalog)/Sequencer.md"))
        #expect(guides.count > 15)
        for guide in guides {
            #expect(readme.contains("(\(catalog)/Guides/\(guide))"))
            #expect(landing.contains("<doc:\(guide.dropLast(".md".count))>"))
        }
    }

    @Test("The account that publishes the package is named in one place: the README")
    func address() throws {
        let pages = DocumentationPages(root: Self.root)
        let top = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
        let inside = [".github", "Documentation", "Examples", "Benchmarks", "Sources"].flatMap { pages.files(in: $0) }
        let texts = (top + inside).filter { file in [".md", ".yml", ".swift", ".tutorial"].contains { file.hasSuffix($0) } }
        let naming = try texts.flatMap { file in
            try Self.text(file).split(separator: "\n").filter { $0.contains("OWNER/") }.map { _ in file }
        }
        #expect(texts.contains("Sources/Sequencer/Sequencer.docc/Resources/Package.swift"))
        #expect(naming == ["README.md"])
    }

    @Test("The README's first program is the example QuickStart")
    func firstProgram() throws {
        let program = try #require(CodeBlock.blocks(of: Self.text("README.md"), named: "README.md").blocks.first)
        let example = try Self.text("Examples/QuickStart/QuickStart.swift")
        let begin = try #require(example.range(of: "import Sequencer"))
        #expect(program.text == example[begin.lowerBound...])
    }

    /// `Scripts/check-outputs` types what the README says; this holds it to the tutorial.
    @Test("The README's first launch is the tutorial's: the same source, and a test of it")
    func firstLaunch() throws {
        let readme = try Self.text("README.md")
        let resources = "Sources/Sequencer/Sequencer.docc/Resources"
        func typed(_ path: String) throws -> String {
            let begin = try #require(readme.range(of: "cat > \(path) <<'END'\n"), "README.md does not write \(path)")
            let end = try #require(readme[begin.upperBound...].range(of: "\nEND\n"))
            return readme[begin.upperBound..<end.lowerBound] + "\n"
        }
        #expect(try typed("Sources/FirstLaunch/FirstLaunch.swift") == Self.text("\(resources)/FirstLaunch-3.swift"))
        // Its parts are what empty lines part.
        let parts = try typed("Tests/FirstLaunchTests/FirstLaunchTests.swift").trimmingCharacters(in: .newlines).components(
            separatedBy: "\n\n"
        )
        let tutorial = try Self.text("\(resources)/FirstLaunchTests-3.swift")
        #expect(parts.contains { $0.hasPrefix("@Test(.launchBudget(.milliseconds(500))) func launchIsWithinItsBudget()") })
        for part in parts { #expect(tutorial.contains(part)) }
        let manifest = try typed("Package.swift")
        let targets = try #require(manifest.range(of: "    targets: ["))
        #expect(try Self.text("\(resources)/Package.swift").hasSuffix(manifest[targets.lowerBound...]))
    }
}
