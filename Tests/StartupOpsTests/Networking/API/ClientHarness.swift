import Foundation
import Sequencer
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Needs a token for all but a few operations.
final class HarnessSource: APIDataSource {
    let userInfoHeaders: HTTPHeaders

    init(_ userInfoHeaders: HTTPHeaders) { self.userInfoHeaders = userInfoHeaders }

    func requiresToken(operation: String) -> Bool { !ClientHarness.guestOperations.contains(operation) }
}

/// A client and all it stands on.
struct ClientHarness: Sendable {
    let service: WireService
    let tokens: TokenManager
    let source: HarnessSource
    let cacheStore: MemoryStore
    let cache: ResponseCache
    let client: APIClient
    let secureStore: MemoryStore

    static let info = ClientInfo(deviceID: "d1", platform: "linux", appVersion: "1.4.0")
    static let guestOperations: Set<String> = ["Greeting", "GET v1/countries", "GET v1/configuration"]

    init(
        _ session: Session? = nil,
        service: WireService = WireService(),
        host: String = "service",
        rest: Bool = true,
        tokens: TokenManager? = nil,
        secureStore: MemoryStore = MemoryStore(),
        cacheStore: MemoryStore = MemoryStore(),
        policy: CachePolicy = .fetchIgnoringCache,
        language: String = "",
        userInfo: HTTPHeaders = [:]
    ) throws {
        self.service = service
        self.cacheStore = cacheStore
        let cache = ResponseCache(store: cacheStore)
        self.cache = cache
        self.secureStore = secureStore
        let store = SessionStore(secureStore, alsoClear: { cache.removeAll() })
        if let session { try store.save(session) }
        let endpoint = TokenEndpoint(url: try #require(URL(string: "https://\(host)/oauth/token")), http: service, now: { service.now })
        self.tokens =
            tokens ?? TokenManager(store: store, now: { service.now }, refresh: { try await endpoint.refresh($0, deadline: $1) })
        source = HarnessSource(userInfo)
        client = APIClient(
            try APIEnvironment(graphQL: "https://\(host)/graphql", rest: rest ? "https://\(host)/" : nil),
            client: ClientInfo(deviceID: "d1", platform: "linux", appVersion: "1.4.0", language: language),
            http: service,
            cache: cache,
            tokens: self.tokens,
            dataSource: source,
            cachePolicy: policy,
            now: { service.now }
        )
    }

    /// How many answers are cached.
    var cachedCount: Int { cacheStore.values.withLock { $0.keys.count(where: { $0.description.hasPrefix("response-") }) } }

    /// Changes the answer that is cached for a guest's request.
    func changeCached(_ path: String, _ change: (inout HTTPResponse) -> Void) throws {
        let key = CacheKey(HTTPRequest(.get, try #require(URL(string: "https://service/\(path)"))), scope: APIClient.guestScope)
        var response = try #require(cache.response(for: key))
        change(&response)
        cache.store(response, for: key)
    }

    var refreshes: Int { service.count("POST /oauth/token") }
    /// The requests but those for tokens.
    var requests: [HTTPRequest] { service.requests.filter { $0.url.path() != "/oauth/token" } }
}

struct NamedSpeaker: Codable, Sendable, Hashable {
    let id: String
    let name: String
}

struct Greeting: Codable, Sendable, Hashable {
    let text: String
}

extension GraphQLOperation {
    static let speakers = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id name host port } }", field: "speakers")
    static let viewer = GraphQLOperation(.query, "Viewer", "query Viewer { viewer { id name } }", field: "viewer")
    static let greeting = GraphQLOperation(
        .query,
        "Greeting",
        "query Greeting($lang: String) { greeting(lang: $lang) { text } }",
        field: "greeting",
        languageVariable: "lang"
    )
    static let register = GraphQLOperation(
        .mutation,
        "RegisterSpeaker",
        "mutation RegisterSpeaker($id: ID!) { registerSpeaker(id: $id) { id name host port } }",
        field: "registerSpeaker"
    )
}

/// The code of the error that `body` throws; nil when it throws none.
func failure(_ body: () async throws(NetworkError) -> Void) async -> NetworkError? {
    do {
        try await body()
        return nil
    } catch {
        return error
    }
}

extension APIClient {
    /// Asks for something, and ignores the body of the answer.
    func get(
        _ path: String,
        query: QueryParameters = [:],
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) {
        try await send(.get, path, query: query, options: options, deadline: deadline)
    }
}
