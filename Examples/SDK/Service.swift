import Foundation
import StartupNetworking
import StartupOps
import StartupSamples

/// The vendor's service in one part of the world: in this process, with the latency of a good mobile connection.
nonisolated struct Service {
    let backend = EmbeddedBackend()
    let http: HTTPClient

    init() {
        http = HTTPClient(over: backend)
    }

    /// What an app is set up with for this service.
    func configuration() -> SDKConfiguration.Builder {
        SDKConfiguration.Builder().baseUrl(backend.baseURL.absoluteString).clientId("app").clientSecret("issued by the vendor")
    }

    /// A person logs in, and the token is kept.
    func logIn(keepingTokenIn keychain: Keychain) async throws {
        let endpoint = TokenEndpoint(url: backend.baseURL.appending(path: "oauth/token"), http: http)
        let session = try await endpoint.session(
            username: "person@example.com",
            password: "correct horse",
            deadline: .after(.seconds(5))
        )
        try keychain.write(.init(session.accessToken.value.utf8), for: .sdkAccessToken)
    }
}
