import Foundation
import TestSupport
import Testing

/// The tool, given secrets in every way it takes them: what it prints shows none.
@Suite("Secrets and the tool's output", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CanaryOutputTests {
    private static let pushed = "cAnaryPush9Kd-3vB_xQ"
    private static let code = "cAnaryLink5Tn~8mR.yP"
    private static let password = "cAnaryPw7Zq4xWm2Rt9"
    private static let link = "app://open/speakers/\(code)"
    private static let push = #"{"aps":{"alert":{"title":"\#(pushed)","body":"\#(pushed)"},"category":"message"},"url":"\#(link)"}"#

    /// What the sample person answers, and what is known before any token.
    private static let known = [pushed, code, password, "correct horse"]

    private func expectNothingShown(_ results: [Tool.Result], _ secrets: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) {
        let search = SecretSearch(secrets.union(Self.known))
        for result in results {
            let leaks = search.found(in: result.output + "\n" + result.messages)
            #expect(leaks.isEmpty, "\(leaks)\n\(result.output)\n\(result.messages)", sourceLocation: sourceLocation)
        }
    }

    /// The tokens that are stored in a state folder: of the app, and of the service in the same process.
    private func tokens(in folder: URL) throws -> Set<String> {
        var tokens: Set<String> = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        for file in files {
            guard let data = try? Data(contentsOf: file) else { continue }
            let text = String(decoding: data, as: UTF8.self)
            for match in text.matches(of: #/"(?:accessToken|refreshToken)":"([^"]+)"/#) { tokens.insert(String(match.1)) }
        }
        return tokens
    }

    @Test("fault T23, D7: launches with tokens, a push and a link show none of it, to whatever end they come; by day in text or JSON")
    func launches() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let entry = ["--push", Self.push, "--link", Self.link]
        var (state, results, secrets) = ("", [Tool.Result](), Set<String>())
        // A busy machine may take longer to log in than a launch waits: then once more, on a new device.
        for number in 0..<50 where secrets.count != 2 {
            state = folder.file("device-\(number)").path
            results.append(try await Tool.run(["run", "--state", state, "--budget", "60s"] + entry))
            secrets = try tokens(in: folder.file("device-\(number)"))
        }
        #expect(secrets.count == 2, "the launch has stored an access token and a refresh token")
        let ends: [[String]] = [
            [], ["--inject", "fetch-config=fail"], ["--inject", "login=fail"], ["--inject", "login=hang"], ["--deadline", "1ms"],
            ["--inject", "connect-speaker=fail"], ["--backend", "http://127.0.0.1:1"], ["--inject", "force-update=required"],
        ]
        let formats: [[String]] = [[], ["--json"]]
        // By day each end in one of the formats, in turn.
        for (number, end) in ends.enumerated() {
            for (place, format) in formats.enumerated() where Nightly.includes(number + place, of: 2) {
                results.append(try await Tool.run(["run", "--state", state] + entry + end + format))
                secrets.formUnion(try tokens(in: folder.url))
            }
        }
        #expect(results.contains { $0.code != 0 })
        expectNothingShown(results, secrets)
    }

    @Test("fault T23, D7: nor do the complaints about a push, a link or an address that is refused")
    func complaints() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        let refused: [[String]] = [
            ["--link", "app://open/nowhere/\(Self.code)"], ["--link", "app://\(Self.code)/speakers/1"],
            ["--link", "\(Self.link)?\(Self.code)=\(Self.code)"], ["--link", "https://person:\(Self.code)@app.example.com/speakers/1"],
            ["--push", Self.push + Self.pushed], ["--push", #"{"aps":"\#(Self.pushed)"}"#],
            ["--push", #"{"aps":{},"url":"app://open/nowhere/\#(Self.code)"}"#],
            ["--backend", "https://person:\(Self.password)@api.example.com"],
            ["--backend", "https://api.example.com?token=\(Self.password)"],
        ]
        var results: [Tool.Result] = []
        for arguments in refused { results.append(try await Tool.run(["run", "--state", state] + arguments)) }
        #expect(results.filter { $0.code == 64 }.count >= 7)
        expectNothingShown(results, [])
    }
}
