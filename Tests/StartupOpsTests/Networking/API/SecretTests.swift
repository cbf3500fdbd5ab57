import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("Secrets of the client", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SecretTests {
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
