import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Names and addresses that others choose.
@Suite("Names and addresses from outside", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AddressTests {
    @MainActor
    private struct Nobody: SpeakerPresenter {
        nonisolated init() {}
        func chooseSpeaker(from speakers: [Speaker], problem: String?) async -> Speaker? { nil }
    }

    @Test("an origin with its scheme's own port is the one without; a name that no link has is no other's")
    func origins() throws {
        for origin in [DeepLinkOrigin("https", "d.example", port: 443), DeepLinkOrigin("https", "D.example")] {
            let router = try DeepLinkRouter(origins: [origin], routes: [DeepLinkRoute("app", path: "/app")])
            #expect(throws: Never.self) { try router.link("https://d.example/app") }
            #expect(throws: Never.self) { try router.link("https://d.example:443/app") }
        }
        let kelvin = try DeepLinkRouter(
            origins: [DeepLinkOrigin("https", "\u{212A}.example")],
            routes: [DeepLinkRoute("app", path: "/app")]
        )
        #expect(throws: DeepLinkError.self) { try kelvin.link("https://k.example/app") }
    }

    @Test("a port that no number holds is of no origin, and of no session")
    func ports() throws {
        let origins = ["https://a.example", "https://a.example:18446744073709552059", "https://a.example:443"]
        let first = HTTPOrigin(try webAddress(origins[0]))
        #expect(try origins.map { HTTPOrigin(try webAddress($0)) == first } == [true, false, true])
    }

    @Test("a speaker is printed in one line")
    func speaker() {
        let speaker = Speaker(id: "s", name: "Kitchen\n2", host: "a.local", port: 1)
        #expect(!speaker.description.contains("\n"))
    }

    @Test(
        "an address that two readers take for two places is none for requests, links, stores and speakers",
        arguments: [
            ("good.example", 443, true), ("good.example@evil.example", 443, false), (":secret@evil.example", 443, false),
            ("", 443, false), ("g%6fod.example", 443, false), ("good.example", 0, false), ("good.example", 99_999, false),
            ("good.example.", 443, false), ("good..example", 443, false), ("-good.example", 443, false),
            ("127.1", 443, false), ("0x7f.1", 443, false), ("[good.example]", 443, false),
        ]
    )
    func addresses(host: String, port: Int, isTaken: Bool) async throws {
        let text = "https://\(host):\(port)/app"
        if let url = URL(string: text) { #expect((url.requestViolation == nil) == isTaken) }

        let router = try DeepLinkRouter(origins: [DeepLinkOrigin("https", "good.example")], routes: [DeepLinkRoute("app", path: "/app")])
        #expect(((try? router.link(text)) != nil) == isTaken)

        let policy = try JSONDecoder().decode(UpdatePolicy.self, from: Data(#"{"minimumVersion":"2","store":"\#(text)"}"#.utf8))
        let store = isTaken ? URL(string: text) : nil
        let required = UpdateDecision.required(minimum: SemanticVersion(2), message: nil, store: store)
        #expect(policy.decision(for: SemanticVersion(1), at: Date()) == required)

        let connector = LookedFor()
        var configuration = AppConfiguration.bundled
        configuration.speakers = AppConfiguration.Endpoint(host: host, port: port)
        let operation = ConnectSpeakerOperation(
            connector: connector,
            state: LaunchState(MemoryStore()),
            presenter: Nobody(),
            devices: ConnectedDevices()
        )
        let (report, _) = try await runAlone("connect-speaker") { [configuration] in try await operation.run(configuration, in: $0) }
        #expect(connector.asked.withLock { $0 } == (isTaken ? [AppConfiguration.Endpoint(host: host, port: port)] : []))
        #expect(report.notes.contains { $0.hasPrefix("a speaker was left out: ") } == !isTaken, "\(report.notes)")
    }

    @Test("a push is for the account that has its name to the byte", arguments: [("K1", "\u{212A}1"), ("\u{E9}", "e\u{301}")])
    func accounts(_ name: String, _ other: String) async throws {
        let mailbox = EntryPointMailbox(MemoryStore())
        let payload = Data(#"{"aps":{"alert":"Hello"},"account":"\#(other)"}"#.utf8)
        // Two identifiers, and so two pushes.
        for id in [name, other] {
            let push = try PushPayloadParser(categories: []).payload(from: payload)
            #expect(mailbox.receive(.push(push), id: id) == .stored)
            #expect(mailbox.receive(.push(push), id: id) == .duplicate)
        }
        #expect(mailbox.origin(for: name) == .icon && mailbox.origin(for: other) == .push)
        mailbox.setSession(.loggedIn(name))
        mailbox.mainScreenDidAppear()
        #expect(mailbox.pushToPresent == nil)
        #expect(await mailbox.deliver { _ in } == 0)
        mailbox.setSession(.loggedIn(other))
        #expect(mailbox.pushToPresent != nil)
        #expect(await mailbox.deliver { _ in } == 2)
    }

    @Test("a refresh that brings the token of a user whose name only looks the same fails", arguments: [("K1", "\u{212A}1")])
    func users(_ name: String, _ other: String) async {
        let tokens = TokenManager(store: SessionStore(MemoryStore())) { _, _ in Session(accessToken: "new", userID: other) }
        tokens.begin(Session(accessToken: "old", userID: name))
        let old = try? await tokens.token(for: .required, deadline: .never)
        await #expect(throws: NetworkError.self) { try await tokens.token(for: .required, replacing: old, deadline: .never) }
        #expect(tokens.session.value?.accessToken == "old")
    }
}
