import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("REST", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RESTTests {
    private struct Device: Codable, Sendable, Hashable { let id: String }
    private struct Registration: Codable, Sendable { let platform: String, appVersion: String }
    private struct Country: Decodable, Sendable { let code: String }

    @Test("C31: each verb gives a typed result, or none, and sends its body")
    func verbs() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        let client = harness.client
        let body = Registration(platform: "linux", appVersion: "1.4.0")
        let device = Device(id: "d1")
        #expect(try await client.get("v1/countries", as: [Country].self, deadline: .never).map(\.code) == ["DE"])
        try await client.get("v1/countries", deadline: .never)
        #expect(try await client.send(.post, "v1/accounts", body: body, as: Device.self, deadline: .never).id == "u9")
        try await client.send(.post, "v1/accounts", body: body, deadline: .never)
        #expect(try await client.send(.patch, "v1/devices/d1", body: body, as: Device.self, deadline: .never) == device)
        try await client.send(.patch, "v1/devices/d1", body: body, deadline: .never)
        #expect(try await client.send(.put, "v1/devices/d1", body: body, as: EmptyResponse.self, deadline: .never) == EmptyResponse())
        #expect(try await client.send(.delete, "v1/devices/d1", as: EmptyResponse.self, deadline: .never) == EmptyResponse())
        try await client.send(.delete, "v1/devices/d1", deadline: .never)
        #expect(
            harness.requests.map { "\($0.method.rawValue) \($0.url.path())" } == [
                "GET /v1/countries", "GET /v1/countries", "POST /v1/accounts", "POST /v1/accounts", "PATCH /v1/devices/d1",
                "PATCH /v1/devices/d1", "PUT /v1/devices/d1", "DELETE /v1/devices/d1", "DELETE /v1/devices/d1",
            ]
        )
        for request in harness.requests {
            let text = request.body.map { String(decoding: $0, as: UTF8.self) }
            let hasBody = [.post, .patch, .put].contains(request.method)
            #expect(text == (hasBody ? #"{"appVersion":"1.4.0","platform":"linux"}"# : nil))
        }
    }

    @Test("C36: a verb without a result takes any success, but for a web page: a captive portal has not created an account")
    func ignored() async throws {
        let harness = try ClientHarness()
        let options = RequestOptions(requirement: .optional)
        let answers =
            [
                (204, "text/html", "", nil), (200, "application/json", "", nil), (201, "application/xml", "<a/>", nil),
                (200, "text/html; charset=utf-8", "<html>Welcome</html>", .invalidData), (500, "application/json", "", .invalidResponse),
            ] as [(Int, String, String, NetworkError.Code?)]
        for (status, type, body, code) in answers {
            for _ in 1...2 { harness.service.next("POST /v1/accounts", status: status, type: type, body) }
            let json = await failure { () throws(NetworkError) in
                try await harness.client.send(.post, "v1/accounts", body: ["a": 1], options: options, deadline: .never)
            }
            let bytes = await failure { () throws(NetworkError) in
                try await harness.client.send(
                    .post,
                    "v1/accounts",
                    body: Data("a".utf8),
                    contentType: "text/plain",
                    options: options,
                    deadline: .never
                )
            }
            #expect(json?.code == code && bytes?.code == code, "\(status) \(type)")
        }
    }

    @Test("C33: an explicit token is sent in place of the session's, asks nobody, and must not have expired")
    func explicitToken() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue("u1", lifetime: -1), service: service)
        let other = service.issue("u2").accessToken
        let profile = try await harness.client.get(
            "v1/profile",
            as: UserProfile.self,
            options: RequestOptions(token: other),
            deadline: .never
        )
        #expect(profile.id == "u2")
        try await harness.client.send(.post, "v1/accounts", options: RequestOptions(token: other), deadline: .never)
        #expect(harness.requests.allSatisfy { $0.bearer == other.value })
        #expect(harness.cachedCount == 0)

        let sent = service.requests.count
        let expired = service.issue("u2", lifetime: -1).accessToken
        let error = await failure { () throws(NetworkError) in
            try await harness.client.send(.post, "v1/accounts", options: RequestOptions(token: expired), deadline: .never)
        }
        #expect(error?.code == .refreshTokenFailed)
        #expect(service.requests.count == sent)

        service.expireTokens()
        let rejected = await failure { () throws(NetworkError) in
            try await harness.client.get("v1/profile", options: RequestOptions(token: other), deadline: .never)
        }
        #expect(rejected?.code == .unauthorized)
        #expect(harness.refreshes == 0)
    }

    @Test(
        "C37: a network that fails is the same error for both transports",
        arguments: [NetworkError.Code.unreachable, .untrusted, .timedOut, .cancelled]
    )
    func sameError(code: NetworkError.Code) async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        service.next("POST /graphql", fails: code)
        service.next("GET /v1/countries", fails: code)
        let viaGraphQL = await failure { () throws(NetworkError) in
            _ = try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never)
        }
        let viaREST = await failure { () throws(NetworkError) in
            _ = try await harness.client.get("v1/countries", as: [Country].self, deadline: .never)
        }
        #expect(viaGraphQL?.code == code && viaREST?.code == code)
        #expect(viaGraphQL?.reason == viaREST?.reason)
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
