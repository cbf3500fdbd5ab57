import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// The logs of two services, of which an SDK is moved from one to the other.
@Suite("SDK: from one service to another", .serialized, .timeLimit(.minutes(30)), .real)
struct RealSDKServersTests {
    /// Sends the token that is stored, as a client does.
    private struct Session: SDKSession {
        let url: URL
        let store: MemoryStore
        let http: HTTPClient

        func invalidate() {}
        func fetchEntitlements(by deadline: Deadline) async throws -> Set<String> {
            try await send("v1/entitlements", by: deadline)
            return []
        }
        var restoreSteps: [SDKRestoreStep] { [SDKRestoreStep("sync") { deadline in try await send("v1/sync", by: deadline) }] }

        func send(_ path: String, by deadline: Deadline) async throws {
            var headers = HTTPHeaders()
            if let token = store.read(.sdkAccessToken).value {
                headers["Authorization"] = "Bearer \(String(decoding: token, as: UTF8.self))"
            }
            _ = try await http.send(HTTPRequest(.get, url.appending(path: path), headers: headers), deadline: deadline)
        }
    }

    private struct Services: SDKServices {
        let store = MemoryStore()
        let http = quickClient()
        let dataStore: any DataStore = MemoryStore()

        var secureStore: any SecureStore { store }
        func makeSession(_ configuration: SDKConfiguration, log: SDKLog) -> any SDKSession {
            Session(url: configuration.baseURL, store: store, http: http)
        }
        func logIn(_ token: String) { store.write(Data(token.utf8), for: .sdkAccessToken) }
    }

    private func configuration(_ server: LoopbackServer) -> SDKConfiguration.Builder {
        sdkBuilder.baseUrl(server.url("").absoluteString).allowInsecureLoopback()
    }

    @Test("D28, D37: reconfigured during a restore, the second service hears nothing of the old token, and the first nothing more")
    func tokens() async throws {
        let (here, there) = (try LoopbackServer(), try LoopbackServer())
        let isAnswered = LoopbackGate()
        here.on("/v1/entitlements", .json("{}").after(isAnswered))
        for path in ["/v1/entitlements", "/v1/sync"] { there.on(path, .json("{}")) }
        let services = Services()
        services.logIn("token-1")
        let sdk = SDKLifecycle.patient(services)
        #expect(sdk.initialize(configuration(here)))
        await here.waitForRequests(1)
        let oldRestore = sdk.state.withLock { $0.current?.restore }
        #expect(sdk.reconfigure(configuration(there)) && sdk.isReadyNow)
        isAnswered.open()
        #expect(oldRestore != nil)
        await oldRestore?.task.value
        // A guest first; then somebody logs in, and the next process restores that session.
        try await sdk.perform { _ = try await $0.fetchEntitlements(by: httpPatience) }
        services.logIn("token-2")
        try await sdk.perform { _ = try await $0.fetchEntitlements(by: httpPatience) }
        let next = SDKLifecycle.patient(services)
        #expect(next.initialize(configuration(there)))
        await next.untilReady()
        #expect(here.requests.map { $0.headers["authorization"] } == ["Bearer token-1"])
        #expect(there.requests.map { $0.headers["authorization"] } == [nil, "Bearer token-2", "Bearer token-2", "Bearer token-2"])
        #expect(there.requests.map(\.path).suffix(2) == ["/v1/entitlements", "/v1/sync"])
        #expect(there.requests.allSatisfy { !"\($0)".contains("token-1") })
    }
}
