import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

@Suite("Caching answers", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CachingTests {
    private struct Version: Codable, Sendable, Hashable { let version: String }

    private func answer(_ harness: ClientHarness, _ version: String, tag: String? = nil) {
        harness.service.next("GET /v1/countries") { _, _ in
            HTTPResponse(status: 200, headers: tag.map { ["ETag": $0] } ?? [:], body: Data(#"{"version":"\#(version)"}"#.utf8))
        }
    }

    private func get(_ harness: ClientHarness, _ policy: CachePolicy? = nil) async throws(NetworkError) -> String {
        try await harness.client.get("v1/countries", as: Version.self, options: RequestOptions(cachePolicy: policy), deadline: .never)
            .version
    }

    private func all(_ harness: ClientHarness, _ policy: CachePolicy) async throws -> [String] {
        var versions: [String] = []
        let updates = harness.client.updates(
            "v1/countries",
            as: Version.self,
            options: RequestOptions(cachePolicy: policy),
            deadline: .never
        )
        for try await version in updates { versions.append(version.version) }
        return versions
    }

    @Test("fault T35: an answer that quotes a secret is used, and not kept: in its body, in a header, in base64", arguments: 0..<3)
    func quotedSecret(_ place: Int) async throws {
        let secret = "quoted-by-the-service-\(place)"
        KnownSecrets.add(Secret(secret), from: .service)
        let harness = try ClientHarness()
        answer(harness, "old")
        _ = try await get(harness)
        let version = [secret, "new", Data("Bearer \(secret)".utf8).base64EncodedString()][place]
        harness.service.next("GET /v1/countries") { _, _ in
            HTTPResponse(
                status: 200,
                headers: place == 1 ? ["X-Debug": "token=\(secret)"] : [:],
                body: Data(#"{"version":"\#(version)"}"#.utf8)
            )
        }
        #expect(try await get(harness) == version)
        #expect(try await get(harness, .returnCacheDataDontFetch) == "old")
        answer(harness, "newer")
        _ = try await get(harness)
        #expect(try await get(harness, .returnCacheDataDontFetch) == "newer")
    }

    @Test("C41, C43: each policy gives these answers, one by one, and the last is what the call returns", arguments: [false, true])
    func policies(_ isCached: Bool) async throws {
        let expected: [CachePolicy: (answers: [String]?, requests: Int)] = [
            .fetchIgnoringCache: (["new"], 1), .returnCacheDataAndFetch: (isCached ? ["old", "new"] : ["new"], 1),
            .returnCacheDataElseFetch: (isCached ? ["old"] : ["new"], isCached ? 0 : 1),
            .returnCacheDataDontFetch: (isCached ? ["old"] : nil, 0),
        ]
        for policy in CachePolicy.allCases {
            for isStream in [true, false] {
                let harness = try ClientHarness()
                if isCached {
                    answer(harness, "old")
                    _ = try await get(harness)
                }
                answer(harness, "new")
                let before = harness.requests.count
                let (answers, requests) = try #require(expected[policy])
                do {
                    let given = isStream ? try await all(harness, policy) : [try await get(harness, policy)]
                    #expect(given == (isStream ? answers : answers.map { [$0.last ?? ""] }), "\(policy)")
                } catch {
                    #expect(answers == nil && (error as? NetworkError)?.code == .notCached, "\(policy)")
                }
                #expect(harness.requests.count - before == requests, "\(policy)")
            }
        }
    }

    @Test("C41: when the service fails, call and stream fail alike; what was cached has been given")
    func failing() async throws {
        let harness = try ClientHarness()
        answer(harness, "old")
        _ = try await get(harness)
        var given: [String] = []
        harness.service.next("GET /v1/countries", status: 500, "")
        do {
            let options = RequestOptions(cachePolicy: .returnCacheDataAndFetch)
            for try await version in harness.client.updates("v1/countries", as: Version.self, options: options, deadline: .never) {
                given.append(version.version)
            }
            Issue.record("it did not fail")
        } catch {
            #expect((error as? NetworkError)?.status == 500)
        }
        #expect(given == ["old"])
        harness.service.next("GET /v1/countries", status: 500, "")
        #expect(await failure { () throws(NetworkError) in _ = try await get(harness, .returnCacheDataAndFetch) }?.status == 500)
        // What failed has not replaced what was kept.
        #expect(try await get(harness, .returnCacheDataDontFetch) == "old")
    }

    @Test("C44: a request's own policy counts before the client's, over both transports")
    func override() async throws {
        let harness = try ClientHarness(policy: .returnCacheDataElseFetch)
        for _ in 1...2 { _ = try await harness.client.query(.greeting, as: Greeting.self, deadline: .never) }
        #expect(harness.requests.count == 1)
        let options = RequestOptions(cachePolicy: .fetchIgnoringCache)
        _ = try await harness.client.query(.greeting, as: Greeting.self, options: options, deadline: .never)
        #expect(harness.requests.count == 2)
        var count = 0
        let both = RequestOptions(cachePolicy: .returnCacheDataAndFetch)
        for try await _ in harness.client.updates(.greeting, as: Greeting.self, options: both, deadline: .never) { count += 1 }
        #expect(count == 2 && harness.requests.count == 3)
        // Other variables are another question.
        _ = try await harness.client.query(.greeting, ["lang": "de"], as: Greeting.self, deadline: .never)
        #expect(harness.requests.count == 4)

        for version in ["1", "2"] { answer(harness, version) }
        for _ in 1...2 { #expect(try await get(harness) == "1") }
        #expect(try await get(harness, .fetchIgnoringCache) == "2")
        #expect(try await get(harness) == "2" && harness.requests.count == 6)
    }

    @Test("C43: an answer with errors, and one that cannot be decoded, are not kept; nor is a mutation's")
    func notKept() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        service.next("POST /graphql", #"{"errors":[{"message":"x"}]}"#)
        service.next("POST /graphql", #"{"data":{"speakers":7}}"#)
        for _ in 1...2 { _ = try? await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never) }
        _ = try await harness.client.mutate(.register, ["id": "s1"], as: [NamedSpeaker].self, deadline: .never)
        #expect(harness.cachedCount == 0)
    }

    @Test("C43: nothing is sent under returnCacheDataDontFetch, not even to refresh a token")
    func noTraffic() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(lifetime: 100), service: service)
        _ = try await harness.client.get("v1/profile", as: UserProfile.self, deadline: .never)
        service.advance(1000)
        let count = service.requests.count
        let options = RequestOptions(cachePolicy: .returnCacheDataDontFetch)
        let profile = try await harness.client.get("v1/profile", as: UserProfile.self, options: options, deadline: .never)
        #expect(profile.id == "u1" && service.requests.count == count)
    }

    @Test("answers never cross from one user to another; what a guest was told anybody may see")
    func scopes() async throws {
        let service = WireService()
        let harness = try ClientHarness(service: service)
        let options = RequestOptions(cachePolicy: .returnCacheDataDontFetch)
        _ = try await harness.client.query(.greeting, as: Greeting.self, deadline: .never)
        harness.tokens.begin(service.issue("u1"))
        _ = try await harness.client.get("v1/profile", as: UserProfile.self, deadline: .never)
        harness.tokens.begin(service.issue("u2"))
        let error = await failure { () throws(NetworkError) in
            _ = try await harness.client.get("v1/profile", as: UserProfile.self, options: options, deadline: .never)
        }
        #expect(error?.code == .notCached)
        #expect(try await harness.client.query(.greeting, as: Greeting.self, options: options, deadline: .never).text == "hello ")
    }

    @Test("C42, fault N41: an answer that the service says is still good is taken from the cache; one that makes no sense is fetched whole")
    func revalidation() async throws {
        let harness = try ClientHarness()
        for _ in 1...2 {
            #expect(try await harness.client.get("v1/configuration", as: Version.self, deadline: .never).version == "7")
        }
        #expect(harness.requests.map { $0.headers["If-None-Match"] } == [nil, "\"7\""])
        try harness.changeCached("v1/configuration") { $0.body = Data("broken".utf8) }
        #expect(try await harness.client.get("v1/configuration", as: Version.self, deadline: .never).version == "7")
        #expect(harness.requests.map { $0.headers["If-None-Match"] } == [nil, "\"7\"", "\"7\"", nil])
        harness.cache.removeAll()
        #expect(try await harness.client.get("v1/configuration", as: Version.self, deadline: .never).version == "7")
        #expect(harness.requests.last?.headers["If-None-Match"] == nil)
    }

    @Test("fault N41: not modified since something else: asked again in full, once")
    func otherTag() async throws {
        let harness = try ClientHarness()
        answer(harness, "1", tag: "\"a\"")
        #expect(try await get(harness) == "1")
        harness.service.next("GET /v1/countries") { _, _ in HTTPResponse(status: 304, headers: ["ETag": "\"z\""]) }
        answer(harness, "2", tag: "\"z\"")
        #expect(try await get(harness) == "2")
        #expect(harness.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
        #expect(try await get(harness, .returnCacheDataDontFetch) == "2")
    }

    @Test(
        "fault N41: an entity tag that cannot be sent is no condition, and keeps nobody from asking",
        arguments: ["\u{1}", "\u{1B}", "\u{7F}"]
    )
    func strangeTag(_ character: String) async throws {
        let harness = try ClientHarness()
        _ = try await harness.client.get("v1/configuration", as: Version.self, deadline: .never)
        try harness.changeCached("v1/configuration") { $0.headers["ETag"] = "\"a\(character)b\"" }
        #expect(try await harness.client.get("v1/configuration", as: Version.self, deadline: .never).version == "7")
        #expect(harness.requests.map { $0.headers["If-None-Match"] } == [nil, nil])
    }

    @Test(
        "C42: an answer that the service forbids to keep is kept nowhere",
        arguments: [["Cache-Control": "private, No-Store"], ["Vary": "*"]] as [HTTPHeaders]
    )
    func forbidden(_ headers: HTTPHeaders) async throws {
        let harness = try ClientHarness()
        harness.service.next("GET /v1/countries") { _, _ in
            HTTPResponse(status: 200, headers: headers, body: Data(#"{"version":"secret"}"#.utf8))
        }
        #expect(try await get(harness) == "secret")
        #expect(harness.cachedCount == 0)
        let error = await failure { () throws(NetworkError) in _ = try await get(harness, .returnCacheDataDontFetch) }
        #expect(error?.code == .notCached)
    }

    @Test("C47: a logout wipes tokens, cached answers and entity tags")
    func logout() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        _ = try await harness.client.get("v1/profile", as: UserProfile.self, deadline: .never)
        _ = try await harness.client.get("v1/configuration", as: Version.self, deadline: .never)
        #expect(harness.cachedCount == 2)
        harness.client.clearAppCache()
        #expect(harness.cachedCount == 0 && harness.tokens.session == .absent)
        #expect(harness.secureStore.read("session") == .absent && harness.secureStore.read("session.clearing") == .absent)
        _ = try await harness.client.get("v1/configuration", as: Version.self, deadline: .never)
        #expect(harness.requests.last?.headers["If-None-Match"] == nil && harness.requests.last?.bearer == nil)
    }
}
