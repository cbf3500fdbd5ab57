import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Queries", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct QueryParametersTests {
    @Test("C32: everything arrives as it was: &, =, +, spaces, unicode, percent signs, empty values")
    func roundTrip() async throws {
        let server = try LoopbackServer()
        server.on("/q", .json("{}"))
        let values = ["a&b", "a=b", "a+b", "a b", "ä€😀", "100%", "%26", "", "#?/:@;,", "\"<>\\^`{|}", "a\u{301}", "\r\n\u{0}"]
        let queries = values.enumerated().map { (["k\($0)&=+ é": $1, "absent": nil] as QueryParameters).encoded }
        let url = server.url("/q?first=1&\(queries.joined(separator: "&"))")
        _ = try await HTTPClient().send(HTTPRequest(.get, url), deadline: httpPatience)

        let target = try #require(server.requests.first?.target)
        #expect(target.hasPrefix("/q?first=1&"))
        #expect(target.unicodeScalars.allSatisfy { $0.isASCII && $0 != "+" && $0 != " " })
        let pairs = target.dropFirst("/q?first=1&".count).split(separator: "&").map {
            $0.split(separator: "=", omittingEmptySubsequences: false)
        }
        #expect(pairs.allSatisfy { $0.count == 2 })
        #expect(pairs.map { $0[0].removingPercentEncoding } == values.indices.map { "k\($0)&=+ é" })
        let arrived = pairs.map { Array(($0[1].removingPercentEncoding ?? "?").unicodeScalars) }
        #expect(arrived == values.map { Array($0.unicodeScalars) })
    }

    @Test("C32: the encoding, byte by byte, is that of RFC 3986")
    func encoding() throws {
        // In names and in values: each character of ASCII but the unreserved ones is a percent sign and two digits.
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        for byte in UInt8(0)..<128 {
            let character = String(UnicodeScalar(byte))
            let digits = String(byte, radix: 16, uppercase: true)
            let encoded = unreserved.contains(character) ? character : "%" + (digits.count == 1 ? "0" : "") + digits
            #expect(([character: character] as QueryParameters).encoded == "\(encoded)=\(encoded)")
        }
        #expect((["a b": "c&d", "e": "", "f": nil, "a b": "2"] as QueryParameters).encoded == "a%20b=c%26d&e=&a%20b=2")
        #expect((["": "-._~AZaz09"] as QueryParameters).encoded == "=-._~AZaz09")
        #expect((["n": "\n"] as QueryParameters).encoded == "n=%0A")
    }
}
