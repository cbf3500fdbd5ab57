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
