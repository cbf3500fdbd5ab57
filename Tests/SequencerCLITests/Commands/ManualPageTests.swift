import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("The manual page", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ManualPageTests {
    @Test("It has every command with its arguments, options, examples and exit codes")
    func isComplete() {
        let page = ManualPage.text.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\(ti", with: "~")
        for command in CommandDeclaration.all {
            #expect(page.contains("\n.SS \"\(command.name)") && page.contains("\n\(command.summary)\n"), "\(command.name)")
            for option in command.allOptions {
                #expect(page.contains("--\(option.name)") && page.contains("\n\(option.help)\n"), "\(command.name) --\(option.name)")
            }
            for text in command.examples.map(\.value) + command.exitCodes.map(\.value) + command.positionals.map(\.help) {
                #expect(page.contains("\n\(text)\n"), "\(command.name): \(text)")
            }
        }
    }

    @Test("Every line that begins like a request is one, no hyphen can be broken, and groff, where it is, has nothing to say")
    func language() async throws {
        let page = try await Tool.run("help", "--man")
        #expect(page.code == 0 && page.messages.isEmpty && page.output == ManualPage.text)
        for line in page.output.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(["TH", "SH", "SS", "PP", "TP", "B"].contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
        }
        #expect(!page.output.replacing("\\-", with: "").contains("-"))
        #expect(page.output.utf8.allSatisfy { $0 < 0x80 })
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(page.output, to: "sequencer-cli.1")
        let check = try await Tool.shell("if command -v groff > /dev/null; then groff -man -Tascii -ww -z \(path); fi")
        #expect(check.code == 0 && check.messages.isEmpty, "\(check.messages)")
    }

    @Test("A dot at the start of a line, a backslash and quotes are text")
    func escapes() {
        var text = Roff()
        text.line(".x 'a' \\n - ~")
        text.request("B", "say \"a\"")
        #expect(text.text == "\\&.x \\(aqa\\(aq \\en \\- \\(ti\n.B \"say \\(dqa\\(dq\"\n")
    }
}
