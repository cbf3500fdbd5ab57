import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Dates in headers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("the preferred form of RFC 9110")
    func form() {
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT")?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(
        "what is none",
        arguments: [
            "", "GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "1994-11-06T08:49:37Z", "Sun, 6x Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, -6 Nov 1994 -8:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            ", , , , , ,", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ]
    )
    func none(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(
        "fault N39, C2: how far the server's clock is off changes nothing",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 2994 08:49:37 GMT", "now"]
    )
    func skew(_ date: String) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(503, headers: ["Date": date, "Retry-After": "2"]), .json("{}", headers: ["Date": date]))
        let pauses = Locked<[Duration]>([])
        #expect(try await quickClient(pauses).send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 } == [.seconds(2)])
    }

    @Test("fault N24: Retry-After, from 0 to more digits than numbers have")
    func retryAfter() {
        func seconds(_ text: String) -> Duration? { HTTPResponse(status: 429, headers: ["Retry-After": text]).retryAfter(now: now) }
        #expect(seconds("0") == .zero)
        #expect(seconds(" 120 ") == .seconds(120))
        #expect(seconds("86400") == .seconds(86_400))
        #expect(seconds(String(repeating: "9", count: 1000)) == .seconds(86_400))
        #expect(seconds("Sun, 06 Nov 2994 08:49:37 GMT") == .seconds(86_400))
        for text in ["-1", "", "1e3", "Inf", "nan", "１", "Sun, 06 Nov 1994 08:49:37 GMT"] { #expect(seconds(text) == nil, "\(text)") }
    }
}
