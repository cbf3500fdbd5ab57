import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Queries", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct QueryParametersTests {
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
