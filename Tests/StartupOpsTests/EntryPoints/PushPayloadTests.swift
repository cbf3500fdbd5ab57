import Foundation
import Sequencer
import StartupStorage
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

@Suite("Push payloads and shortcut items", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PushPayloadTests {
    private func parser() throws -> PushPayloadParser {
        PushPayloadParser(categories: ["now-playing"], links: try EntryPointSamples.router())
    }

    /// The same payload as JSON, and as the dictionary the system makes of it.
    private func both(_ json: String) throws -> [Result<PushPayload, any Error>] {
        let parser = try parser()
        let fromData = Result { try parser.payload(from: Data(json.utf8)) }
        guard let dictionary = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else { return [fromData] }
        return [fromData, Result { try parser.payload(from: dictionary) }]
    }

    @Test("a push is read from JSON and from a dictionary alike")
    func reading() throws {
        let json =
            #"{"aps":{"alert":{"title":"New","body":"Kitchen plays"},"category":"now-playing","badge":3},"url":"https://good.example/speakers/new"}"#
        for result in try both(json) {
            let push = try result.get()
            #expect(push.title == "New")
            #expect(push.body == "Kitchen plays")
            #expect(push.category == "now-playing")
            #expect(push.link?.route == "new-speaker")
            #expect(push.problems == [])
            #expect(push.description == "push of category now-playing with a link to new-speaker")
            #expect(try JSONDecoder().decode(PushPayload.self, from: JSONEncoder().encode(push)) == push)
        }
        #expect(try both(json).count == 2)
        #expect(try both(#"{"aps":{"alert":"Just text"}}"#).map { try $0.get().body } == ["Just text", "Just text"])
    }

    private static let arrays = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    private static let manyBrackets = String(repeating: "[", count: 4_000)
    private static let manyObjects = String(repeating: #"{"aps":"#, count: 500)
    private static let longText = String(repeating: "x", count: 4_097)

    private static let rejections: [(String, String)] = [
        (#"{}"#, "aps"), (#"{"aps":null}"#, "aps"), (#"{"aps":"x"}"#, "aps"), (#"{"aps":[]}"#, "aps"),
        (#"{"aps":1}"#, "aps"), ("", "no JSON object"), ("{", "no JSON object"), ("[]", "no JSON object"), ("null", "no JSON object"),
        ("\"aps\"", "no JSON object"),
        ("{\"aps\":{}}\u{0}", "no JSON object"), ("{\"aps\":{\"x\":\(arrays)}}", "levels deep"), (manyBrackets, "levels deep"),
        (manyObjects, "levels deep"),
        ("{\"aps\":{\"alert\":\"\(longText)\"}}", "is larger"),
    ]

    @Test("fault D8: a payload that is none is rejected with a reason", arguments: rejections)
    func rejected(json: String, reason: String) throws {
        for result in try both(json) {
            let error = #expect(throws: PushPayloadError.self) { try result.get() }
            #expect(error?.reason.contains(reason) == true)
            #expect(error?.description.hasPrefix("push rejected: ") == true)
        }
    }

    @Test("fault D8: 4096 bytes are taken and 4097 are not; other encodings are not taken")
    func bounds() throws {
        let parser = try parser()
        let frame = #"{"aps":{"alert":""}}"#
        func json(_ size: Int) -> Data {
            Data(#"{"aps":{"alert":""#.utf8) + Data(repeating: 0x78, count: size - frame.utf8.count) + Data(#""}}"#.utf8)
        }
        #expect(json(4_096).count == 4_096)
        #expect(try parser.payload(from: json(4_096)).body?.count == 2_048)
        #expect(#expect(throws: PushPayloadError.self) { try parser.payload(from: json(4_097)) } == .tooLarge)
        #expect(
            #expect(throws: PushPayloadError.self) { try parser.payload(from: frame.data(using: .utf16) ?? Data()) } == .malformed
        )
        #expect(#expect(throws: PushPayloadError.self) { try parser.payload(from: Data(frame.utf8) + [0xFF]) } == .malformed)
    }

    @Test("fault D8: a dictionary that no JSON has become, or that is too deep or too large, is rejected")
    func oddDictionaries() throws {
        let parser = try parser()
        let odd: [[AnyHashable: Any]] = [
            ["aps": ["alert": "text", "category": Date()] as [String: Any]], ["aps": ["alert": "text"], 7: "seven"],
            ["aps": ["badge": Double.infinity]], ["aps": ["alert": "text"], "x": Data()],
        ]
        for dictionary in odd {
            #expect(#expect(throws: PushPayloadError.self) { try parser.payload(from: dictionary) } == .malformed)
        }
        var deep: Any = "x"
        for _ in 0..<10_000 { deep = ["x": deep] }
        #expect(#expect(throws: PushPayloadError.self) { try parser.payload(from: ["aps": deep]) } == .tooDeep)
        #expect(
            #expect(throws: PushPayloadError.self) {
                try parser.payload(from: ["aps": [String: Any](), "x": [Int](repeating: 1, count: 100_000)])
            } == .tooLarge
        )
        #expect(#expect(throws: PushPayloadError.self) { try parser.payload(from: [AnyHashable: Any]()) } == .missingAPS(nil))
    }

    @Test(
        "fault D8: what is wrong inside is left out and named, and the rest is shown",
        arguments: [
            (#"{"aps":{"alert":7}}"#, "aps.alert is a number where a text or an object was expected"),
            (#"{"aps":{"alert":["x"]}}"#, "aps.alert is an array where a text or an object was expected"),
            (#"{"aps":{"alert":{"title":{},"body":"b"}}}"#, "aps.alert.title is an object where a text was expected"),
            (#"{"aps":{"category":"now-plaing"}}"#, "aps.category is unknown; the nearest is now-playing"),
            (#"{"aps":{"category":"SECRET"}}"#, "aps.category is unknown"),
            (#"{"aps":{"category":false}}"#, "aps.category is a boolean where a text was expected"),
            (#"{"aps":{},"url":["https://good.example/"]}"#, "url is an array where a link was expected"),
        ]
    )
    func generic(json: String, problem: String) throws {
        for result in try both(json) {
            let push = try result.get()
            #expect(push.problems == [problem])
            #expect(push.category == nil && push.title == nil && push.link == nil)
            #expect(push.description == "push")
        }
    }

    @Test(
        "fault D37: a part that is null counts as one that is not there, in a push to be shown and in a silent one",
        arguments: [
            #"{"alert":null,"category":null,"sound":null,"badge":null,"content-available":null}"#,
            #"{"alert":null,"sound":null,"badge":null,"content-available":1}"#, #"{"alert":{"title":null,"body":null}}"#,
        ]
    )
    func nulls(aps: String) throws {
        for result in try both(#"{"aps":\#(aps),"url":null,"account":null,"expires":null}"#) {
            let push = try result.get()
            #expect(push.problems == [] && push.title == nil && push.body == nil && push.category == nil && push.link == nil)
            #expect(push.isSilent == aps.contains("1"))
        }
    }

    @Test("fault D8: texts hold nothing that a screen would obey, and markup and addresses in them stay text")
    func texts() throws {
        let json =
            #"{"aps":{"alert":{"title":"a\u0000b\u001B[31mc\u202Ed\u2066e\u200Bf","body":"one\ntwo\r\n<b>x</b> https://evil.example/ 👩‍👩‍👧"}}}"#
        for result in try both(json) {
            let push = try result.get()
            #expect(push.title == "ab[31mcdef")
            #expect(push.body == "one two  <b>x</b> https://evil.example/ 👩‍👩‍👧")
            #expect(push.link == nil)
        }
    }

    @Test("fault D9: a link in a push is judged like every other")
    func links() throws {
        for (link, problem) in [
            ("https://good.example@evil.example/", "url: link refused (https://…): a link may not have a user name before its host"),
            ("javascript:alert(1)", "url: link refused (javascript:): the scheme is none of http, https, speakers"),
            ("https://good.example/reset?token=SECRET", "url: link refused (route reset): the route has no parameter token"),
        ] {
            for result in try both(#"{"aps":{"alert":"text"},"url":"\#(link)"}"#) {
                let push = try result.get()
                #expect(push.link == nil)
                #expect(push.body == "text")
                #expect(push.problems == [problem])
            }
        }
        let none = try PushPayloadParser(categories: []).payload(from: Data(#"{"aps":{},"url":"https://good.example/"}"#.utf8))
        #expect(none.problems == ["url was ignored: the app follows no links in pushes"])
        let push = try #require(try both(#"{"aps":{},"url":"https://good.example/reset?code=SECRET"}"#).first).get()
        #expect(EntryPoint.push(push).needsConfirmation)
    }

    @Test("a silent push is one that has nothing to show, and carries what the app asked for")
    func silent() throws {
        let parser = PushPayloadParser(categories: [], contentKeys: ["sync", "count", "list", "none", "aps"])
        let json = #"{"aps":{"content-available":1},"sync":{"since":7.5,"full":"CANARY"},"count":-3,"list":["a",2],"none":null,"other":1}"#
        let dictionary = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let expected: [String: JSONValue] = ["sync": ["since": 7.5, "full": "CANARY"], "count": -3, "list": ["a", 2], "none": .null]
        for push in [try parser.payload(from: Data(json.utf8)), try parser.payload(from: dictionary)] {
            #expect(push.isSilent)
            #expect(push.content == expected)
            #expect(push.description == "silent push")
            #expect(try JSONDecoder().decode(PushPayload.self, from: JSONEncoder().encode(push)) == push)
            var dumped = ""
            dump(EntryPoint.push(push), to: &dumped)
            #expect(!dumped.contains("CANARY"))
            #expect(EntryPoint.push(push).isSilent && !EntryPoint.push(push).needsConfirmation)
        }
        #expect(try parser.payload(from: Data(#"{"aps":{},"sync":true}"#.utf8)).content == ["sync": true])
        for aps in [
            #"{"content-available":1,"alert":"x"}"#, #"{"content-available":1,"badge":0}"#, #"{"content-available":1,"sound":"x"}"#,
            #"{"content-available":0}"#, "{}",
        ] {
            let push = try parser.payload(from: Data("{\"aps\":\(aps)}".utf8))
            #expect(!push.isSilent && push.content.isEmpty && push.description == "push", "\(aps)")
        }
    }

    @Test("fault D36: a silent push hands over no link that changes something, and the report says so; any other link stays")
    func silentLink() throws {
        let parser = try parser()
        let silent = try parser.payload(
            from: Data(#"{"aps":{"content-available":1},"url":"https://good.example/reset?code=CANARY"}"#.utf8)
        )
        #expect(silent.isSilent && silent.link == nil)
        #expect(silent.problems == ["url was ignored: it changes something, and a silent push has nobody who confirms it"])
        let mailbox = EntryPointMailbox(MemoryStore())
        mailbox.receive(.push(silent))
        #expect(mailbox.takeLosses() == silent.problems.map { "a part of a push was left out: \($0)" })
        let other = try parser.payload(from: Data(#"{"aps":{"content-available":1},"url":"https://good.example/speakers/new"}"#.utf8))
        #expect(other.isSilent && other.link?.route == "new-speaker" && other.problems.isEmpty)
        let seen = try parser.payload(from: Data(#"{"aps":{"alert":"Hello"},"url":"https://good.example/reset?code=CANARY"}"#.utf8))
        #expect(seen.link?.route == "reset" && EntryPoint.push(seen).needsConfirmation)
    }

    @Test("fault D7: nothing that prints a push shows its texts")
    func redacted() throws {
        let push = try parser().payload(
            from: Data(
                #"{"aps":{"alert":{"title":"CANARY","body":"CANARY"},"category":"CANARY"},"url":"https://good.example/reset?code=CANARY"}"#
                    .utf8
            )
        )
        var dumped = ""
        dump(EntryPoint.push(push), to: &dumped)
        #expect(!"\(push) \(String(reflecting: push)) \(push.problems) \(dumped)".contains("CANARY"))
    }

    @Test("a shortcut item is one that the app declares, exactly")
    func shortcuts() throws {
        let items = ShortcutItems([ShortcutItem("open-favourites"), ShortcutItem("mute-all", needsLogin: true, changesState: true)])
        #expect(try items.item(ofType: "mute-all") == ShortcutItem("mute-all", needsLogin: true, changesState: true))
        #expect(
            #expect(throws: UnknownShortcutItem.self) { try items.item(ofType: "open-favorites") }?.description
                == "shortcut refused: the app declares none of type \"open-favorites\"; the nearest is open-favourites"
        )
        for type in ["", "MUTE-ALL", "mute-all ", "mute\u{0}", String(repeating: "x", count: 100_000)] {
            #expect(#expect(throws: UnknownShortcutItem.self) { try items.item(ofType: type) }?.description.utf8.count ?? .max < 400)
        }
    }
}
