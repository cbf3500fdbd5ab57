import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("Secrets of the client", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SecretTests {
    @Test("fault T23: no error, event or description shows a token: plain, percent-encoded or in base64")
    func canary() async throws {
        let canary = "canary+tok/en=="
        let forms = [
            canary, PercentEncoding.encode(canary), Data(canary.utf8).base64EncodedString(), WireService.base64URL(canary), "canary",
        ]
        let service = WireService()
        let claims = WireService.jwt(#"{"sub":"u1","exp":4000000000}"#, signature: "canary")
        let shown = Locked<[String]>([])
        func show(_ value: some Sendable) {
            var dumped = ""
            dump(value, to: &dumped)
            shown.withLock { $0 += ["\(value)", String(reflecting: value), dumped] }
        }
        for access in [canary, claims] {
            let session = Session(accessToken: Secret(access), refreshToken: Secret(canary), userID: "u1")
            let harness = try ClientHarness(service: service)
            let events = harness.tokens.events
            harness.tokens.begin(session)
            show(harness.tokens)
            show(harness.client)
            show(harness.tokens.session)
            show(RequestOptions(token: Secret(canary)))
            // The service quotes what it was sent, in each way it can.
            for quoted in [
                access, PercentEncoding.encode(access), Data(access.utf8).base64EncodedString(), WireService.base64URL(access),
            ] {
                let body = #"{"errors":[{"message":"bad \#(quoted) here","extensions":{"code":"\#(quoted)"}}]}"#
                service.next("POST /graphql", body)
                show(await failure { () throws(NetworkError) in try await harness.client.mutate(.register, deadline: .never) })
                service.next("GET /v1/profile", #"{"id":7,"name":"\#(quoted)"}"#)
                show(
                    await failure { () throws(NetworkError) in
                        _ = try await harness.client.get("v1/profile", query: ["token": canary], as: UserProfile.self, deadline: .never)
                    }
                )
                for status in [403, 500] {
                    service.next("GET /v1/profile", status: status, quoted)
                    show(await failure { () throws(NetworkError) in try await harness.client.get("v1/profile", deadline: .never) })
                }
            }
            service.next("POST /oauth/token", status: 500, canary)
            service.next("POST /oauth/token", status: 200, #"{"access_token":["\#(canary)"]}"#)
            for _ in 1...3 {
                // Turned down, then a refresh that fails in its own way; the last ends the session.
                service.next("GET /v1/profile", status: 401, canary)
                show(await failure { () throws(NetworkError) in try await harness.client.get("v1/profile", deadline: .never) })
            }
            for await event in events {
                show(event)
                if case .loggedOut = event { break }
            }
        }
        let texts = shown.withLock { $0 }
        #expect(texts.count > 100)
        for text in texts {
            for form in forms { #expect(!text.contains(form), "\(text)") }
        }
    }

    @Test("fault T23: an error of the app's own refresh is named by its type only")
    func foreignErrors() async throws {
        struct Leaky: Error, CustomStringConvertible { let description = "canary" }
        let tokens = TokenManager(store: SessionStore(MemoryStore())) { _, _ in throw Leaky() }
        tokens.begin(Session(accessToken: "x", expiresAt: .distantFuture))
        let token = try #require(try await tokens.token(for: .required, deadline: .never))
        let error = await failure { () throws(NetworkError) in
            _ = try await tokens.token(for: .required, replacing: token, deadline: .never)
        }
        #expect(error?.description.contains("Leaky") == true)
        #expect(!String(reflecting: error).contains("canary"))
    }

    @Test("messages of a service are shown short, on one line, and without what is no word")
    func foreignText() {
        #expect(ForeignText.shown("a\n\tb\u{1B}[31m").contains("\u{1B}") == false)
        #expect(ForeignText.shown("key \(String(repeating: "x", count: 41))!") == "key <42 characters>")
        #expect(ForeignText.shown(String(repeating: "long ", count: 1000)).count <= 201)
    }
}
