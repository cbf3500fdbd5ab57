import Foundation
import Sequencer
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// Links, pushes, and ways in of the app's own, as an app takes them.
@Suite("Public API: links, pushes and other ways in", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct WaysInTests {
    private struct SentTab: Codable, Equatable {
        var page: Int
    }

    @Test("F12: an entry point of the app's own kind carries any content, and a silent push what the app asked for")
    func content() throws {
        let tab = try AppEntryPoint("sent-tab", SentTab(page: 3), needsLogin: true)
        #expect(try tab.content(as: SentTab.self) == SentTab(page: 3))
        #expect(throws: DecodingError.self) { try tab.content(as: [Int].self) }
        #expect("\(EntryPoint.app(tab))" == "sent-tab")

        let parser = PushPayloadParser(categories: [], contentKeys: ["since"])
        let push = try parser.payload(from: Data(#"{"aps":{"content-available":1},"since":7}"#.utf8))
        #expect(push.isSilent && push.content == ["since": 7])
    }

    private func mailbox() throws -> EntryPointMailbox {
        let plan = try BootstrapPlan.complete()
        let app = AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de"))
        return try Bootstrap(plan, app: app, directory: .inMemory(), http: JSONService())
            .environment(presenters: StartupPresenters()).mailbox
    }

    @Test("parts of a push that are absent, null, empty or blank are one thing, and so are identifiers")
    func blanks() throws {
        let router = try DeepLinkRouter(origins: [DeepLinkOrigin("https", "music.example")], routes: [])
        let parser = PushPayloadParser(categories: ["sale"], links: router)
        let plain = try parser.payload(from: Data(#"{"aps":{"alert":{"body":"b"}}}"#.utf8))
        for value in ["null", #""""#, #"" \t""#] {
            let aps = #"{"alert":{"title":\#(value),"body":"b"},"category":\#(value),"sound":\#(value)}"#
            let json = #"{"aps":\#(aps),"url":\#(value),"account":\#(value)}"#
            #expect(try parser.payload(from: Data(json.utf8)) == plain, "\(value)")
        }
        let mailbox = try mailbox()
        let shortcut = EntryPoint.shortcut(ShortcutItem("play"))
        for id in [nil, "", " "] {
            #expect(mailbox.receive(shortcut, id: id) == .stored)
            #expect(mailbox.receive(shortcut, id: id, for: " ") == .stored)
        }
    }

    @Test("names from outside are compared to the byte: of pushes, categories, parameters of links, shortcuts, secrets")
    func bytes() throws {
        let mailbox = try mailbox()
        // The sign for kelvin is canonically equivalent to K; the last one stands for the second in the store.
        for id in ["K1", "\u{212a}1", "\u{e9}", "e\u{301}", "=4oSqMQ"] {
            #expect(mailbox.receive(.shortcut(ShortcutItem("play")), id: id) == .stored, "\(id)")
            #expect(mailbox.receive(.shortcut(ShortcutItem("play")), id: id) == .duplicate, "\(id)")
        }
        let route = DeepLinkRoute("play", path: "/play", parameters: [.string("K", isRequired: false)])
        let router = try DeepLinkRouter(origins: [DeepLinkOrigin("https", "music.example")], routes: [route])
        #expect(try router.link("https://music.example/play?K=1").string("K") == "1")
        #expect(throws: DeepLinkError.self) { try router.link("https://music.example/play?%E2%84%AA=1") }
        let parser = PushPayloadParser(categories: ["K"], contentKeys: ["K"])
        let push = try parser.payload(from: Data(#"{"aps":{"category":"\u212a"},"\u212a":1}"#.utf8))
        #expect("\(push)" == "push" && push.content == [:])
        let items = ShortcutItems([ShortcutItem("K"), ShortcutItem("\u{212a}")])
        #expect(try items.item(ofType: "\u{212a}").type.utf8.count == 3)
        #expect(Secret("K") != Secret("\u{212a}"))
    }

    @Test(
        "names of users, keys, speakers and conditions are compared to the byte",
        arguments: [("K", "\u{212a}"), ("\u{e9}", "e\u{301}")]
    )
    func identifiers(_ name: String, _ other: String) throws {
        #expect(Account(id: name, name: "n") != Account(id: other, name: "n"))
        #expect(StoredSession(userID: name, isAnonymous: false) != StoredSession(userID: other, isAnonymous: false))
        #expect(Session(accessToken: "t", userID: name) != Session(accessToken: "t", userID: other))
        #expect(Speaker(id: name, name: "n", host: "h", port: 1) != Speaker(id: other, name: "n", host: "h", port: 1))
        #expect(ShortcutItem(name) != ShortcutItem(other) && LogoutReason(name) != LogoutReason(other))
        #expect(TokenEvent.sessionChanged(userID: name) != .sessionChanged(userID: other))
        #expect(TokenEvent.sessionChanged(userID: name) == .sessionChanged(userID: name))
        let condition = GateCondition(ConditionName(stringLiteral: name), setBy: "test", because: "it is asked for")
        let gate = ReadinessGate("screen", [condition])
        gate.meet(ConditionName(stringLiteral: other))
        #expect(!gate.isOpen)
        gate.meet(ConditionName(stringLiteral: name))
        #expect(gate.isOpen)
        let store = StateDirectory.inMemory().state
        for key in [name, other] { try store.write(Data(key.utf8), for: StoreKey(key)) }
        for key in [name, other] { #expect(store.read(StoreKey(key)).value == Data(key.utf8)) }
    }

    @Test("a route is refused whose parameter nothing can meet")
    func parameters() {
        for parameter in [
            DeepLinkParameter.oneOf("t", []), .oneOf("t", [""]), .string("t", maximumLength: 0),
            .string("t", maximumLength: -1),
        ] {
            let route = DeepLinkRoute("play", path: "/play", parameters: [parameter])
            let error = #expect(throws: (any Error).self) { try DeepLinkRouter(origins: [], routes: [route]) }
            let text = "route play: its parameter t can have no value; give it choices, or a length"
            #expect(error.map { "\($0)" } == text)
        }
    }
}
