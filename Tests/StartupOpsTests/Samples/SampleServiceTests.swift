import Foundation
import Sequencer
import StartupNetworking
import StartupSamples
import StartupStorage
import TestSupport
import Testing

/// The sample service's answers, asked without a transport.
@Suite("Sample service", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SampleServiceTests {
    private let service = SampleService()

    private func ask(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        token: String? = nil,
        headers: HTTPHeaders = [:],
        of other: SampleService? = nil
    ) throws -> HTTPResponse {
        let url = try #require(URL(string: "https://sample.invalid\(path)"))
        var request = HTTPRequest(method, url, headers: headers, body: body.map { Data($0.utf8) })
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        return try #require((other ?? service).answer(request).response)
    }

    private func tokens(_ form: String = SampleBodies.password, of other: SampleService? = nil) throws -> (access: String, refresh: String)
    {
        let answer = try ask(.post, "/oauth/token", form, of: other)
        #expect(answer.status == 200)
        return (try #require(answer.object["access_token"] as? String), try #require(answer.object["refresh_token"] as? String))
    }

    @Test("the version policy lets every version run, until an update is demanded")
    func versionPolicy() throws {
        #expect(try ask(.get, "/v1/version-policy?platform=linux&version=1.0.0").text == #"{"minimumVersion":"1.0.0"}"#)
        service.requireUpdate(to: "2.0.0", message: "now")
        #expect(try ask(.get, "/v1/version-policy").text == #"{"message":"now","minimumVersion":"2.0.0"}"#)
        let odd = #"{"minimumVersion":null}"#
        #expect(try ask(.put, "/_admin/version-policy", odd).status == 204)
        #expect(try ask(.get, "/v1/version-policy").text == odd)
        #expect(try ask(.put, "/_admin/version-policy", "[]").status == 400)
        service.reset()
        #expect(try ask(.get, "/v1/version-policy").object["minimumVersion"] as? String == "1.0.0")
    }

    @Test("every country that is listed has a configuration in each of its languages")
    func configurations() throws {
        let list = try ask(.get, "/v1/countries")
        let countries = try #require(JSONSerialization.jsonObject(with: list.body) as? [[String: Any]])
        #expect(countries.compactMap { $0["code"] as? String } == ["DE", "FR", "US", "JP"])
        for country in countries {
            let code = try #require(country["code"] as? String)
            let languages = try #require(country["languages"] as? [String])
            #expect(languages.count >= 2)
            for language in languages {
                let answer = try ask(.get, "/v1/configuration?country=\(code)&language=\(language)")
                #expect(answer.object["country"] as? String == code)
                #expect(answer.object["language"] as? String == language)
                #expect((answer.object["tutorialPages"] as? [[String: String]])?.isEmpty == false)
            }
        }
        #expect(try ask(.get, "/v1/configuration?country=DE&language=tlh").object["language"] as? String == "de")
        #expect(try ask(.get, "/v1/configuration?country=XX").status == 404)
        #expect(try ask(.get, "/v1/configuration").status == 400)
    }

    @Test("an access token opens the profile; none, a made up one and an expired one do not")
    func accessTokens() throws {
        let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
        var options = SampleServiceOptions()
        options.tokenLifetime = .seconds(60)
        let service = SampleService(options) { time.withLock { $0 } }
        let token = try tokens(of: service).access
        let profile = try ask(.get, "/v1/profile", token: token, of: service)
        #expect(profile.text == #"{"email":"person@example.com","emailVerified":true,"id":"user-1","isAnonymous":false,"name":"person"}"#)
        #expect(try ask(.get, "/v1/entitlements", token: token, of: service).text == #"{"entitlements":["premium"]}"#)
        let device = #"{"platform":"linux","appVersion":"1.0.0"}"#
        #expect(try ask(.put, "/v1/devices/abc", device, token: token, of: service).status == 204)

        time.withLock { $0 += 60 }
        for bad in [token, nil, "made.up.token"] {
            for (method, path) in [(HTTPMethod.get, "/v1/profile"), (.get, "/v1/entitlements"), (.put, "/v1/devices/abc")] {
                let answer = try ask(method, path, device, token: bad, of: service)
                #expect(answer.status == 401)
                #expect(answer.headers["WWW-Authenticate"] == "Bearer")
            }
        }
    }

    @Test("what is wrong with a token request is named as RFC 6749 names it")
    func refusedGrants() throws {
        for (form, error) in [
            ("grant_type=password&username=person@example.com&password=wrong", "invalid_grant"),
            ("grant_type=password&username=nobody@example.com&password=correct+horse", "invalid_grant"),
            ("grant_type=password&username=person@example.com", "invalid_request"),
            ("grant_type=refresh_token", "invalid_request"), ("grant_type=anonymous&device_id=", "invalid_request"),
            ("grant_type=magic", "unsupported_grant_type"), ("", "invalid_request"), ("&&=&%zz=%zz", "invalid_request"),
        ] {
            let answer = try ask(.post, "/oauth/token", form)
            #expect(answer.status == 400, "\(form)")
            #expect(answer.object["error"] as? String == error, "\(form)")
        }
    }

    @Test("an account is created once, and verified with the right code")
    func accounts() throws {
        let account = #"{"email":"x@example.com","password":"secret"}"#
        let created = try ask(.post, "/v1/accounts", account)
        #expect(created.status == 201)
        #expect(created.text == #"{"email":"x@example.com","emailVerified":false,"id":"user-3","isAnonymous":false,"name":"x"}"#)
        #expect(try ask(.post, "/v1/accounts", account).status == 409)
        #expect(try ask(.post, "/v1/accounts", #"{"email":"X@Example.com","password":"secret"}"#).status == 409)
        #expect(try ask(.post, "/v1/accounts", #"{"email":"nonsense","password":"secret"}"#).status == 422)
        #expect(try ask(.post, "/v1/accounts", "not JSON").status == 422)

        let token = try tokens("grant_type=password&username=x@example.com&password=secret").access
        #expect(try ask(.get, "/v1/profile", token: token).object["emailVerified"] as? Bool == false)
        #expect(try ask(.post, "/v1/accounts/verify", #"{"email":"x@example.com","code":"123456"}"#).status == 422)
        #expect(try ask(.post, "/v1/accounts/verify", #"{"email":"y@example.com","code":"000000"}"#).status == 422)
        #expect(try ask(.post, "/v1/accounts/verify", #"{"email":"x@example.com","code":"000000"}"#).status == 204)
        #expect(try ask(.get, "/v1/profile", token: token).object["emailVerified"] as? Bool == true)
    }

    @Test("two services over one store have the accounts and the sessions of both")
    func sharedStore() throws {
        let store = MemoryStore()
        let services = [SampleService(store: store), SampleService(store: store)]
        for (service, name) in zip(services, ["a", "b"]) {
            let account = #"{"email":"\#(name)@example.com","password":"secret"}"#
            #expect(try ask(.post, "/v1/accounts", account, of: service).status == 201)
        }
        var refresh: [String] = []
        for service in services + [SampleService(store: store)] {
            for name in ["a", "b"] {
                refresh.append(try tokens("grant_type=password&username=\(name)@example.com&password=secret", of: service).refresh)
            }
        }
        for token in refresh { _ = try tokens(SampleBodies.refresh(token), of: services[0]) }
        for token in refresh { #expect(try ask(.post, "/oauth/token", SampleBodies.refresh(token), of: services[1]).status == 400) }
        let last = try tokens(of: services[1])
        services[0].endSessions()
        #expect(try ask(.post, "/oauth/token", SampleBodies.refresh(last.refresh), of: services[1]).status == 400)
    }

    @Test("GraphQL answers by the operation's name, and names what it refuses")
    func graphQL() throws {
        service.setSpeakers([.init(id: "s1", name: "Kitchen", host: "127.0.0.1", port: 7400)])
        let token = try tokens().access
        let greeting = SampleBodies.graphQL("Greeting", #"{"lang":"fr"}"#)
        let register = SampleBodies.graphQL("RegisterSpeaker", #"{"id":"s1"}"#)
        #expect(try ask(.post, "/graphql", greeting).text == #"{"data":{"greeting":{"text":"Bonjour"}}}"#)
        #expect(
            try ask(.post, "/graphql", SampleBodies.graphQL("Viewer"), token: token).text
                == #"{"data":{"viewer":{"id":"user-1","name":"person"}}}"#
        )
        let kitchen = #"[{"host":"127.0.0.1","id":"s1","name":"Kitchen","port":7400}]"#
        #expect(try ask(.post, "/graphql", SampleBodies.graphQL("Speakers"), token: token).text == #"{"data":{"speakers":\#(kitchen)}}"#)
        #expect(try ask(.post, "/graphql", register, token: token).text == #"{"data":{"registerSpeaker":\#(kitchen)}}"#)

        let missing = SampleBodies.graphQL("RegisterSpeaker", #"{"id":"s9"}"#)
        #expect(try ask(.post, "/graphql", missing, token: token).graphQLCode == "not-found")
        #expect(try ask(.post, "/graphql", SampleBodies.graphQL("Viewer")).graphQLCode == "access-denied")
        #expect(try ask(.post, "/graphql", SampleBodies.graphQL("Unknown"), token: token).graphQLCode == "validation-failed")
        #expect(try ask(.post, "/graphql", "{", token: token).status == 400)
        service.expireTokens()
        for body in [greeting, register] {
            let answer = try ask(.post, "/graphql", body, token: token)
            #expect(answer.status == 200)
            #expect(answer.graphQLCode == "invalid-jwt")
        }
    }
}
