import Foundation
import StartupOps
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("What run is told about the app", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AppOptionsTests {
    private static let unencrypted = "plain http goes to this machine only; use https for"
    private static let region = "is not of the form LANG-COUNTRY, two letters each, such as 'de-DE'"

    @Test(
        "Each mistake is answered in one sentence",
        arguments: [
            (["--state"], "option '--state' lacks its value DIR"),
            (["--backend", "http://example.com"], "option '--backend': \(unencrypted) example.com"),
            (["--backend", "http://localhost.example.com"], "option '--backend': \(unencrypted) localhost.example.com"),
            (["--backend", "localhost:8080"], "option '--backend': the address has to begin with https, not with \"localhost\""),
            (
                ["--backend", "https://example.com/?key=secret"],
                "option '--backend': the address of services ends with its path; expected no '?' and no '#'"
            ),
            (
                ["--backend", "https://example.com/#a"],
                "option '--backend': the address of services ends with its path; expected no '?' and no '#'"
            ),
            (["--push"], "option '--push' lacks its value FILE|TEXT"),
            (["--link", "--json"], "option '--link' lacks its value URL"),
            (["--region", "german"], "option '--region': 'german' \(region)"),
            (["--region", "de-"], "option '--region': 'de-' \(region)"),
            (["--region", "de-D1"], "option '--region': 'de-D1' \(region)"),
            (["--region", "de-DE-x"], "option '--region': 'de-DE-x' \(region)"),
            (["--region", "dé-DE"], "option '--region': 'dé-DE' \(region)"),
            (["--app-version"], "option '--app-version' lacks its value V"),
        ] as [([String], String)]
    )
    func refuses(_ options: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try parseArguments(["run"] + options) }
        #expect(error?.description == message)
    }

    @Test(
        "The region is what is asked for, in any case, or what the locale says",
        arguments: [
            ([:], "en-US"), (["LANG": "de_DE.UTF-8"], "de-DE"), (["LANG": "pt_BR"], "pt-BR"), (["LANG": "ca_ES@valencia"], "ca-ES"),
            (["LANG": "C.UTF-8"], "en-US"), (["LANG": "POSIX"], "en-US"), (["LANG": ""], "en-US"), (["LANG": "de"], "en-US"),
            (["LC_ALL": "C.UTF-8", "LANG": "fr_CH.UTF-8"], "fr-CH"), (["LC_ALL": "it_IT", "LANG": "fr_CH.UTF-8"], "it-IT"),
        ] as [([String: String], String)]
    )
    func regions(_ environment: [String: String], _ expected: String) throws {
        let region = Region.current(environment)
        #expect("\(region.language)-\(region.country)" == expected)
        #expect(try Region.parse(expected.uppercased().replacing("-", with: "_")) == region)
    }

    @Test("Nobody can be asked without a terminal")
    func interactive() async throws {
        let result = try await Tool.run("run", "regular", "--interactive", "--clock", "virtual")
        #expect(result.code == 64)
        #expect(result.output.isEmpty)
        #expect(result.messages.hasPrefix("sequencer-cli: --interactive needs a terminal to ask on\n"))
        #expect(try await Tool.shell(#""$TOOL" run regular --interactive <&-"#).code == 64)
    }

    @Test("On a terminal, somebody can")
    func onTerminal() async throws {
        let terminal = try PseudoTerminal()
        let result = try await Tool.shell(#""$TOOL" run regular --interactive --clock virtual < \#(terminal.path)"#)
        #expect(result.code == 0, "\(result.messages)")
        #expect(result.output.contains("main-app"))
    }
}
