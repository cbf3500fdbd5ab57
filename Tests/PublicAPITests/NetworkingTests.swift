import Foundation
import Sequencer
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// A client over a service of the test's, as an app has it.
@Suite("Public API: requests", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct NetworkingTests {
    private struct Profile: Codable { let id: String }

    private let service = JSONService()
    private let directory = StateDirectory.inMemory()

    private func client(rest: String? = "https://api.example.com", _ session: Session? = nil) throws -> APIClient {
        let tokens = TokenManager(store: SessionStore(directory.secure)) { _, _ in nil }
        if let session { tokens.begin(session) }
        return APIClient(
            try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: rest),
            client: ClientInfo(deviceID: "d", platform: "linux", appVersion: "1.0.0"),
            http: service,
            cache: ResponseCache(store: directory.cache),
            tokens: tokens
        )
    }

    /// Answers one path with 503, and asks to be left alone there for a minute.
    private struct Busy: HTTPSending {
        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            if request.url.path() != "/v1/version-policy" { return HTTPResponse(status: 200) }
            return HTTPResponse(status: 503, headers: ["Retry-After": "60"])
        }
    }

    @Test("a server that asks to be left alone on one path is asked on the others")
    func retryAfter() async throws {
        let client = HTTPClient(over: Busy())
        let base = try #require(URL(string: "https://api.example.com"))
        let policy = HTTPRequest(.get, base.appending(path: "v1/version-policy"))
        #expect(try await client.send(policy, deadline: .after(.seconds(30))).status == 503)
        let asked = await #expect(throws: NetworkError.self) {
            try await client.send(policy, deadline: .after(.seconds(30)))
        }
        #expect(asked?.status == 503 && asked?.retryAfter ?? .zero > .seconds(20))
        let login = HTTPRequest(.post, base.appending(path: "oauth/token"))
        #expect(try await client.send(login, deadline: .after(.seconds(30))).status == 200)
    }

    @Test("a port that no number holds is none, and an address with a space or an umlaut is none, everywhere")
    func addresses() async throws {
        for end in [":99999999999999999999/x", ":18446744073709552059", "/x ", "/\u{E9}", ":65536"] {
            let text = "https://a.example\(end)"
            #expect(throws: NetworkError.self, "\(text)") { try APIEnvironment(graphQL: text) }
            #expect(throws: NetworkError.self, "\(text)") { try APIEnvironment(graphQL: "https://b.example", rest: text) }
            #expect(throws: SDKError.self, "\(text)") {
                try SDKConfiguration.Builder().baseUrl(text).clientId("app").clientSecret("secret").build()
            }
            let json = Data(#"{"minimumVersion":"2.0.0","store":"\#(text)"}"#.utf8)
            #expect(try !hasStore(try JSONDecoder().decode(UpdatePolicy.self, from: json)), "\(text)")
        }
        let client = HTTPClient(over: Busy())
        let url = try #require(URL(string: "https://a.example:18446744073709552059/x"))
        let error = await #expect(throws: NetworkError.self) {
            try await client.send(HTTPRequest(.get, url), deadline: .never)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a refresh token that nobody could see is none", arguments: ["", " ", "\u{200B}", "\u{FEFF}", "\u{0}"])
    func blankRefreshToken(_ text: String) async throws {
        let endpoint = TokenEndpoint(url: try #require(URL(string: "https://api.example.com/oauth/token")), http: service)
        #expect(try await endpoint.refresh(.ada(expiringIn: -60, Secret(text)), deadline: .never) == nil)
        #expect(service.requests.isEmpty)
    }

    private func hasStore(_ policy: UpdatePolicy) throws -> Bool {
        String(decoding: try JSONEncoder().encode(policy), as: UTF8.self).contains("store")
    }

    @Test(
        "the store of an app's own policy is judged as that of an answer",
        arguments: [
            ("https://apps.apple.com/app/id1", true), ("itms-apps://apps.apple.com/app/id1", true),
            ("javascript:alert(1)", false), ("file:///etc/passwd", false), ("http://apps.apple.com/app", false),
            ("https://apps.apple.com@evil.example/app", false), ("https://apps.apple.com:99999999999999999999/app", false),
        ]
    )
    func stores(_ text: String, _ isTaken: Bool) throws {
        let store = try #require(URL(string: text))
        #expect(try hasStore(UpdatePolicy(minimumVersion: SemanticVersion(2), store: store)) == isTaken)
    }

    @Test("a service whose base has a query is refused before anything is sent")
    func query() async throws {
        let service = AppService(
            at: .service(at: try #require(URL(string: "https://api.example.com/?x=1"))),
            http: service,
            directory: directory,
            app: AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de")),
            deviceID: "d"
        )
        let error = await #expect(throws: NetworkError.self) { try await service.countries(by: .never) }
        #expect(error?.code == .invalidRequest)
        #expect(self.service.requests.isEmpty)
    }

    @Test("an app tells a wrong password from an account that exists by the code of the error")
    func accounts() async throws {
        let service = AppService(
            at: try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: "https://api.example.com"),
            http: service,
            directory: directory,
            app: AppInfo(version: SemanticVersion(1), region: Region(country: "DE", language: "de")),
            deviceID: "d"
        )
        self.service.answer("/oauth/token", #"{"error":"invalid_grant"}"#, status: 400)
        self.service.answer("/v1/accounts", "{}", status: 409)
        let wrong = await #expect(throws: AccountError.self) {
            try await service.logIn(email: "ada@example.com", password: "wrong", by: .never)
        }
        let known = await #expect(throws: AccountError.self) {
            try await service.createAccount(email: "ada@example.com", password: "wrong", by: .never)
        }
        #expect(wrong?.code == .invalidCredentials && known?.code == .accountExists)
    }

    @Test("a refresh that is refused names the service's error; one of the moment, or of the app, ends no session")
    func refusedRefresh() async throws {
        let url = try #require(URL(string: "https://api.example.com/oauth/token"))
        let endpoint = TokenEndpoint(url: url, http: service)
        let words = ["invalid_grant", "INVALID_GRANT", "expired_token", "invalid_client", "Slow_Down", "server_error"]
        for (place, word) in words.enumerated() {
            for status in [200, 400] {
                service.answer("/oauth/token", #"{"error":"\#(word)"}"#, status: status)
                do {
                    _ = try await endpoint.refresh(.ada(expiringIn: -60, "refresh"), deadline: .never)
                    Issue.record("\(word) was taken")
                } catch {
                    #expect((error is SessionRejected) == (place < 3), "\(status) \(word)")
                    // A token of another test, such as "token", may be a part of the word.
                    let isNamed = ["answered \(word)", "answered <secret>"].contains { "\(error)".contains($0) }
                    #expect(isNamed == (status == 200 || place < 3), "\(error)")
                }
            }
        }
    }

    @Test("a language that is not in ASCII is told by no header")
    func language() async throws {
        let client = try client()
        for (language, told) in [("fr", "fr"), ("français", nil)] as [(String, String?)] {
            #expect(await code(client, RequestOptions(requirement: .optional, language: language)) == nil)
            #expect(service.requests.last?.headers["Accept-Language"] == told)
        }
    }

    private func isStore(_ address: String) throws -> Bool {
        let answer = try JSONEncoder().encode(["minimumVersion": "2", "store": address])
        let policy = try JSONDecoder().decode(UpdatePolicy.self, from: answer)
        let fields = try JSONDecoder().decode([String: String].self, from: JSONEncoder().encode(policy))
        let isTaken = fields["store"] != nil
        #expect("\(policy)".contains("store was ignored") == !isTaken)
        return isTaken
    }

    private func isLink(_ address: String, to host: String) throws -> Bool {
        let route = DeepLinkRoute("app", path: "/app")
        let router = try DeepLinkRouter(origins: [DeepLinkOrigin("https", host)], routes: [route])
        return (try? router.link(address)) != nil
    }

    @Test(
        "one judge says of all addresses which are none, before any character is left out or becomes another one",
        arguments: [
            ("api.example.com", true), ("a_b.example", true), ("127.0.0.1", true), ("api.example.com.", false),
            ("a..b", false), ("-a.example", false), ("a-.example", false), ("127.1", false), ("0x7f.1", false),
            ("ap\u{200b}i.example", false),
            ("ap\u{ad}i.example", false), ("api\u{2060}.example", false), ("\u{212a}itchen.example", false),
            ("\u{ff41}pi.example", false), ("api\u{3002}example", false), ("faß.example", false),
        ]
    )
    func hosts(host: String, isTaken: Bool) async throws {
        let address = "https://\(host)/app"
        #expect(try isStore(address) == isTaken)
        #expect(try isLink(address, to: host) == isTaken)
        #expect(((try? APIEnvironment(graphQL: address)) != nil) == isTaken)
        let sdk = SDKConfiguration.Builder().baseUrl(address).clientId("app").clientSecret("secret")
        #expect(((try? sdk.build()) != nil) == isTaken)
        // A `URL` of another host is another one already.
        guard host.utf8.allSatisfy({ $0 < 0x80 }), let url = URL(string: address) else { return }
        let response = try? await HTTPClient(over: service).send(HTTPRequest(.get, url), deadline: .never)
        #expect((response != nil) == isTaken)
    }

    @Test(
        "a store whose address holds what cannot be seen is left out",
        arguments: ["\u{202e}", "\u{0}", "\n", "\u{200b}"]
    )
    func stores(hidden: String) throws {
        #expect(try !isStore("https://apps.example.com/\(hidden)app") && isStore("https://apps.example.com/app"))
    }

    private func code(_ client: APIClient, _ options: RequestOptions = RequestOptions(requirement: .optional)) async -> NetworkError.Code? {
        do {
            _ = try await client.get("v1/profile", as: Profile.self, options: options, deadline: .never)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "C4, C11, C15, C29, C34, C35, C38, C43: an app tells errors apart by their codes; without a token or an address nothing is sent"
    )
    func codes() async throws {
        let client = try client()
        #expect(await code(try self.client(rest: nil)) == .invalidRequest)
        #expect(await code(client, RequestOptions(requirement: .required)) == .missingAccessToken)
        #expect(await code(try self.client(.ada(expiringIn: -60)), RequestOptions(requirement: .required)) == .refreshTokenFailed)
        #expect(await code(client, RequestOptions(requirement: .optional, cachePolicy: .returnCacheDataDontFetch)) == .notCached)
        #expect(service.requests.isEmpty)
        service.answer("/v1/profile", #"{"id":7}"#)
        #expect(await code(client) == .invalidData)
        service.answer("/v1/profile", "")
        #expect(await code(client) == .emptyResponse)
        service.answer("/v1/profile", "{}", status: 500)
        #expect(await code(client) == .invalidResponse)
        service.answer("/v1/profile", "{}", status: 401)
        #expect(await code(client, RequestOptions(token: .token(expiringIn: 3600))) == .unauthorized)
        let operation = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id } }", field: "speakers")
        let options = RequestOptions(requirement: .optional)
        for (answer, expected) in [(#"{"errors":[{"message":"no"}]}"#, NetworkError.Code.operationFailed), ("{}", .invalidResponse)] {
            service.answer("/graphql", answer)
            let error = await #expect(throws: NetworkError.self) {
                try await client.query(operation, as: [Profile].self, options: options, deadline: .never)
            }
            #expect(error?.code == expected)
        }
    }

    @Test(
        "C29, C38: a missing body, or one of another kind, has one code over both transports; no data is GraphQL's",
        arguments: [
            ("", 204, .emptyResponse, .emptyResponse), ("", 200, .emptyResponse, .emptyResponse),
            ("junk", 200, .invalidData, .invalidData), ("null", 200, .invalidData, .invalidData),
            ("[]", 200, .invalidData, .invalidData), (#"{"data":null}"#, 200, .invalidData, .invalidResponse),
        ] as [(String, Int, NetworkError.Code, NetworkError.Code)]
    )
    func codesOfBodies(json: String, status: Int, rest: NetworkError.Code, graphQL: NetworkError.Code) async throws {
        let client = try client(.ada(expiringIn: 3600))
        for path in ["/v1/profile", "/graphql"] { service.answer(path, json, status: status) }
        #expect(await code(client) == rest)
        let error = await #expect(throws: NetworkError.self) {
            try await client.mutate(register, as: Profile.self, deadline: .never)
        }
        #expect(error?.code == graphQL)
    }

    private let register = GraphQLOperation(.mutation, "Register", "mutation Register { register { id } }", field: "register")

    @Test("C27: an error of a mutation without a result fails its step; of one that is fired and forgotten the step's report has a note")
    func voidMutations() async throws {
        let (client, register) = (try client(.ada(expiringIn: 3600)), register)
        service.answer("/graphql", #"{"data":{"register":null},"errors":[{"message":"no such speaker"}]}"#)
        var graph = OperationGraph("mutations")
        graph.add("checked", .onFailure(.continue)) { try await client.mutate(register, deadline: .never) }
        graph.add("forgotten") { _ = await client.fireAndForget(register, deadline: .never) }
        graph.add("forgotten-by-a-child") {
            async let error = client.fireAndForget(register, deadline: .never)
            _ = await error
        }
        let report = try await graph.run(options: virtual()).report
        #expect(report.operations.map(\.outcome) == [.failed, .succeeded, .succeeded])
        let note = "an error was ignored: POST api.example.com/graphql (Register): the service answered: no such speaker"
        #expect(report.operations.map(\.notes) == [[], [note], [note]])
        #expect(await client.fireAndForget(register, deadline: .never)?.code == .operationFailed)
    }

    @Test(
        "C27, C36: an EmptyResponse needs no body over both transports; its status counts, and GraphQL's errors",
        arguments: [
            ("", 204, nil, nil), ("", 200, nil, nil), (#"{"data":{"register":null}}"#, 200, nil, nil),
            (#"{"errors":[{"message":"no"}]}"#, 200, nil, .operationFailed), ("", 500, .invalidResponse, .invalidResponse),
        ] as [(String, Int, NetworkError.Code?, NetworkError.Code?)]
    )
    func emptyAnswers(json: String, status: Int, rest: NetworkError.Code?, graphQL: NetworkError.Code?) async throws {
        let client = try client(.ada(expiringIn: 3600))
        for path in ["/v1/profile", "/graphql"] { service.answer(path, json, status: status) }
        func code(_ body: () async throws(NetworkError) -> EmptyResponse) async -> NetworkError.Code? {
            do {
                #expect(try await body() == EmptyResponse())
                return nil
            } catch {
                return error.code
            }
        }
        let gets = await code { () async throws(NetworkError) in try await client.get("v1/profile", deadline: .never) }
        let deletes = await code { () async throws(NetworkError) in try await client.send(.delete, "v1/profile", deadline: .never) }
        let mutates = await code { () async throws(NetworkError) in try await client.mutate(register, deadline: .never) }
        #expect(gets == rest && deletes == rest && mutates == graphQL)
        #expect(await client.fireAndForget(register, deadline: .never)?.code == graphQL)
    }
}
