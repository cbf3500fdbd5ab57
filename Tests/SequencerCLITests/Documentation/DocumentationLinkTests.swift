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

    /// `Scripts/check-apple` compiles the app, which has a stand-in for what the reader's app has.
    @Test("The README's programs are the example QuickStart, and its app")
    func readmePrograms() throws {
        let programs = try CodeBlock.blocks(of: Self.text("README.md"), named: "README.md").blocks.map(\.text)
        func example(_ path: String) throws -> Substring {
            let text = try Self.text("Examples/QuickStart/\(path)")
            return try text[#require(text.range(of: "import Sequencer")).lowerBound...]
        }
        try #require(programs.count > 1)
        #expect(try example("App/QuickStartApp.swift").hasPrefix(programs[0]))
        #expect(try example("QuickStart.swift") == programs[1])
    }

    @Test("The code of the guide to porting an app is in the example PortedApp")
    func portedApp() throws {
        func withoutIndents(_ text: String) -> String {
            text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }
        let sources = try DocumentationPages(root: Self.root).files(in: "Examples/PortedApp").filter { $0.hasSuffix(".swift") }
            .map { try withoutIndents(Self.text($0)) }
        let page = "Sources/Sequencer/Sequencer.docc/Guides/PortYourAppDelegate.md"
        let blocks = try CodeBlock.blocks(of: Self.text(page), named: page).blocks
        #expect(blocks.count > 10)
        for block in blocks { #expect(sources.contains { $0.contains(withoutIndents(block.text)) }, "\(block.place)") }
    }

    /// `Scripts/check-outputs` types what QuickStart's page shows; this holds it to the tutorial.
    @Test("The first launch in five minutes is the tutorial's: the same source, and a test of it")
    func firstLaunch() throws {
        let page = try Self.text("Examples/QuickStart/README.md")
        let resources = "Sources/Sequencer/Sequencer.docc/Resources"
        func typed(_ path: String) throws -> String {
            let begin = try #require(page.range(of: "cat > \(path) <<'END'\n"), "the page does not write \(path)")
            let end = try #require(page[begin.upperBound...].range(of: "\nEND\n"))
            return page[begin.upperBound..<end.lowerBound] + "\n"
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
