import Foundation
import Sequencer
import StartupNetworking
import StartupOps
import TestSupport
import Testing

/// Links, pushes, and ways in of the app's own, as an app takes them.
@Suite("Public API: links, pushes and other ways in", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct WaysInTests {
    private struct SentTab: Codable, Equatable {
        var page: Int
    }

    @Test("a browser takes the link of any page as it is, and leaves others to nobody")
    func browser() throws {
        let router = try DeepLinkRouter(
            origins: [DeepLinkOrigin("https", "*")],
            routes: [DeepLinkRoute("page", path: "/**", keepsAddress: true)]
        )
        let link = try router.link("https://wiki.example/a//b?z=1&a=2&z=3#part")
        let address = try #require(link.address)
        #expect(link.route == "page" && address.host == "wiki.example" && address.path == "/a//b" && address.fragment == "part")
        #expect(address.fields.map(\.name) == ["z", "a", "z"] && address.fields.map(\.value) == ["1", "2", "3"])
        #expect(address.scheme == "https" && address.port == nil)
        #expect(throws: DeepLinkError.self) { try router.link("ftp://wiki.example/") }
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
}
