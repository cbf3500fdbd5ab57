import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("JSON Web Tokens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct JSONWebTokenTests {
    private func jwt(_ claims: String) -> String { WireService.jwt(claims) }

    @Test("C12: the payload is base64url without padding, and exp is a date")
    func expiry() throws {
        // These claims need "-" and "_" in base64url, and each length of the subject another padding.
        for subject in ["ü?>ÿ", "a?>~ÿ", "bc?>~~", "", "def???"] {
            let token = try #require(JSONWebToken(jwt(#"{"sub":"\#(subject)","exp":1000}"#)))
            #expect(token.subject == (subject.isEmpty ? nil : subject))
            #expect(token.expiry == Date(timeIntervalSince1970: 1000))
        }
    }

    @Test("C13: what says no time has no expiry, whatever it is")
    func withoutExpiry() throws {
        for claims in ["{}", #"{"exp":null}"#, #"{"exp":"1000"}"#, #"{"exp":true}"#, #"{"exp":[1]}"#, #"{"exp":{}}"#] {
            #expect(try #require(JSONWebToken(jwt(claims))).expiry == nil, "\(claims)")
        }
    }

    @Test(
        "fault T12: any exp is safe",
        arguments: [
            ("-1", -1.0), ("0", 0), ("1000.75", 1000.75), ("1800000000", 1_800_000_000), ("1800000000000", 1_800_000_000),
            ("1800000000500", 1_800_000_000.5),
        ]
    )
    func numbers(_ text: String, _ seconds: Double) {
        #expect(JSONWebToken(jwt(#"{"exp":\#(text)}"#))?.expiry == Date(timeIntervalSince1970: seconds))
    }

    @Test("fault T12: absurd numbers are the distant future or past")
    func absurd() {
        for text in ["9223372036854775808", "1e300", "1e18"] {
            #expect(JSONWebToken(jwt(#"{"exp":\#(text)}"#))?.expiry == .distantFuture, "\(text)")
        }
        #expect(JSONWebToken(jwt(#"{"exp":-1e300}"#))?.expiry == .distantPast)
        #expect(JSONWebToken.date(numericDate: .nan) == .distantPast)
        #expect(JSONWebToken.date(numericDate: .infinity) == .distantFuture)
    }

    @Test("C13, fault T13: what is no token is none")
    func malformed() {
        let header = WireService.base64URL(#"{"alg":"HS256"}"#)
        let claims = WireService.base64URL(#"{"exp":4000000000}"#)
        #expect(JSONWebToken("\(header).\(claims).c2ln") != nil)
        let texts = [
            "", ".", "..", "...", "token", "\(header).\(claims)", "\(header).\(claims).c2ln.c2ln", ".\(claims).c2ln", "\(header)..c2ln",
            "\(header).\(claims).", "\(header).\(claims)=.c2ln", "\(header).\(claims).c2+n", "\(header).\(claims).c2ln\n",
            "\(header).a.c2ln",
            "\(header).\(WireService.base64URL("[1]")).c2ln", "\(header).\(WireService.base64URL("7")).c2ln",
            "\(header).\(WireService.base64URL("{")).c2ln", "\(WireService.base64URL("null")).\(claims).c2ln", "\(header).ÿÿÿÿ.c2ln",
            "\(header).\(WireService.base64URL(String(repeating: "[", count: 9000))).c2ln",
            "\(header).\(WireService.base64URL(String(repeating: #"{"a":"#, count: 2000))).c2ln",
        ]
        for text in texts { #expect(JSONWebToken(text) == nil, "\(text.prefix(60))") }
    }

    @Test("fault T13: a token of a megabyte is not looked at")
    func tooLong() {
        #expect(JSONWebToken(jwt(#"{"exp":1,"x":"\#(String(repeating: "x", count: 1_000_000))"}"#)) == nil)
        #expect(JSONWebToken(jwt(#"{"exp":1,"x":"\#(String(repeating: "x", count: 10_000))"}"#)) != nil)
    }

    @Test("fault T16: a token without a signature is read like any other where its header says so")
    func unsecured() {
        let claims = #"{"exp":1000}"#
        #expect(JSONWebToken(WireService.jwt(claims, header: #"{"alg":"none"}"#, signature: ""))?.expiry != nil)
        #expect(JSONWebToken(WireService.jwt(claims, signature: "")) == nil)
        #expect(JSONWebToken(WireService.jwt(claims, header: #"{"alg":7}"#, signature: "")) == nil)
    }
}
