import Foundation
import StartupNetworking
import Synchronization

/// An app's client, put together as the page of the module shows it.
struct App: Sendable {
    struct Profile: Decodable, Sendable, Equatable {
        let id: String
        let name: String
    }

    let directory: StateDirectory
    let sent = Recorder()
    let endpoint: TokenEndpoint
    let tokens: TokenManager
    let client: APIClient

    init(_ service: Service, _ folder: URL) {
        let directory = StateDirectory.open(at: folder)
        let cache = ResponseCache(store: directory.cache)
        let endpoint = TokenEndpoint(url: service.place("oauth/token"), http: sent)
        let sessions = SessionStore(directory.secure, of: service.url, sharedIn: directory.location, alsoClear: { cache.removeAll() })
        tokens = TokenManager(store: sessions) { session, deadline in try await endpoint.refresh(session, deadline: deadline) }
        client = APIClient(
            APIEnvironment(graphQL: service.place("graphql"), rest: service.url),
            client: ClientInfo(deviceID: "installation-1", platform: "linux", appVersion: "1.4.0"),
            http: sent,
            cache: cache,
            tokens: tokens
        )
        self.directory = directory
        self.endpoint = endpoint
    }

    func logIn() async throws {
        tokens.begin(try await endpoint.session(username: "person@example.com", password: "correct horse", deadline: .late))
    }

    func profile() async throws -> Profile { try await client.get("v1/profile", as: Profile.self, deadline: .late) }
}

/// Sends requests, and knows the statuses of the answers.
final class Recorder: HTTPSending {
    private let client = HTTPClient()
    private let seen = Mutex<[Int]>([])

    var statuses: [Int] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let response = try await client.send(request, deadline: deadline)
        seen.withLock { $0.append(response.status) }
        return response
    }
}
