import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("GraphQL", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphQLTests {
    private struct SpeakerResponse: DomainConvertible {
        let id: String
        let host: String
        let port: Int

        func domain() throws -> String {
            if port < 1 { throw CancellationError() }
            return "\(id)@\(host):\(port)"
        }
    }

    private struct Home: Decodable, Sendable {
        let viewer: NamedSpeaker
        let speakers: [NamedSpeaker]
    }

    private let path = "POST /graphql"

    private func harness() throws -> ClientHarness {
        let service = WireService()
        return try ClientHarness(service.issue(), service: service)
    }

    private func speakers(_ harness: ClientHarness) async -> NetworkError? {
        await failure { () throws(NetworkError) in _ = try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never)
        }
    }

    @Test("C23, C25, C26: a query and a mutation give an array, a combined query gives one object")
    func results() async throws {
        let harness = try harness()
        let kitchen = [NamedSpeaker(id: "s1", name: "Kitchen")]
        #expect(try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never) == kitchen)
        let registered = try await harness.client.mutate(.register, ["id": "s1"], as: [NamedSpeaker].self, deadline: .never)
        #expect(registered == kitchen)
        harness.service.next(path, #"{"data":{"viewer":{"id":"u1","name":"n"},"speakers":[{"id":"s1","name":"k"}]}}"#)
        let operation = GraphQLOperation(.query, "Home", "query Home { viewer { id name } speakers { id name } }")
        let home = try await harness.client.query(operation, as: Home.self, deadline: .never)
        #expect(home.viewer.id == "u1" && home.speakers.count == 1)
    }

    @Test("C24: a query goes through response models to domain models; one that makes none is invalidData")
    func domain() async throws {
        let harness = try harness()
        #expect(try await harness.client.query(.speakers, throughEach: SpeakerResponse.self, deadline: .never) == ["s1@127.0.0.1:7400"])
        harness.service.next(path, #"{"data":{"speakers":[{"id":"s2","host":"h","port":1},{"id":"s3","host":"h","port":0}]}}"#)
        let error = await failure { () throws(NetworkError) in
            _ = try await harness.client.query(.speakers, throughEach: SpeakerResponse.self, deadline: .never)
        }
        #expect(error?.code == .invalidData && error?.reason == "SpeakerResponse makes no String")
    }

    @Test("C27, fault N30: a mutation without a result fails with the service's errors; fired and forgotten it goes on, and has them")
    func voidMutation() async throws {
        let harness = try harness()
        try await harness.client.mutate(.register, ["id": "s1"], deadline: .never)
        for _ in 1...2 { harness.service.next(path, #"{"errors":[{"message":"no such speaker","extensions":{"code":"not-found"}}]}"#) }
        let error = await failure { () throws(NetworkError) in try await harness.client.mutate(.register, ["id": "s9"], deadline: .never) }
        #expect(error?.code == .operationFailed)
        let forgotten = await harness.client.fireAndForget(.register, ["id": "s9"], deadline: .never)
        #expect(forgotten?.code == .operationFailed)
        #expect(await harness.client.fireAndForget(.register, ["id": "s1"], deadline: .never) == nil)
    }

    @Test("C28, fault N27: errors count before data, with the first message and code")
    func errorsFirst() async throws {
        let harness = try harness()
        harness.service.next(
            path,
            #"{"data":{"speakers":[{"id":"s1","name":"k"}]},"errors":[{"message":"half\nof it","extensions":{"code":"partial"}},{"message":"x"}]}"#
        )
        let error = await speakers(harness)
        #expect(error?.code == .operationFailed)
        #expect(error?.description == "POST service/graphql (Speakers): the service answered: half of it (partial), and 1 more")
        for errors in [#""none""#, "[7]", "{}", #"[{"message":7}]"#] {
            harness.service.next(path, #"{"data":{"speakers":[]},"errors":\#(errors)}"#)
            #expect(await speakers(harness)?.code == .operationFailed, "\(errors)")
        }
        for errors in ["[]", "null"] {
            harness.service.next(path, #"{"data":{"speakers":[]},"errors":\#(errors)}"#)
            #expect(await speakers(harness) == nil, "\(errors)")
        }
    }

    @Test("C29, fault N29: no data is an invalid response; null, an array on top and what is no JSON are invalid data")
    func noData() async throws {
        let harness = try harness()
        let withoutData = ["{}", #"{"data":null}"#, #"{"data":[]}"#, #"{"data":7}"#]
        for body in withoutData + ["[]", "null", "7", "not JSON", "\0"] {
            let code: NetworkError.Code = withoutData.contains(body) ? .invalidResponse : .invalidData
            harness.service.next(path, body)
            #expect(await speakers(harness)?.code == code, "\(body)")
            harness.service.next(path, body)
            let error = await failure { () throws(NetworkError) in try await harness.client.mutate(.register, deadline: .never) }
            #expect(error?.code == code, "\(body)")
        }
        harness.service.next(path, "")
        #expect(await speakers(harness)?.code == .emptyResponse)
        harness.service.next(path, status: 502, type: "text/html", "<html>")
        #expect(await speakers(harness)?.status == 502)
        harness.service.next(path, type: "text/html", "<html>")
        #expect(await speakers(harness)?.code == .invalidData)
        harness.service.next(path, #"{"data":{"speakers":[{"id":"s1"}]}}"#)
        #expect(await speakers(harness)?.reason == "data.speakers[0].name: it is missing")
        harness.service.next(path, #"{"data":{"speakers":null}}"#)
        #expect(await speakers(harness)?.code == .invalidData)
    }

    @Test("C30: nested data becomes plain values, all the way down")
    func nested() async throws {
        let harness = try harness()
        harness.service.next(path, #"{"data":{"a":{"b":[{"c":1},null,"x",1.5,true,9007199254740993]},"d":{}}}"#)
        let operation = GraphQLOperation(.query, "Any", "query Any { a }")
        let value = try await harness.client.query(operation, as: JSONValue.self, deadline: .never)
        #expect(value == ["a": ["b": [["c": 1], nil, "x", 1.5, true, 9_007_199_254_740_993]], "d": [:]])
        #expect(value["a"]?["b"] != nil && value["x"] == nil)
        let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        #expect(again == value)
    }

    @Test("C52: a request is a POST of query, operation name and variables")
    func body() async throws {
        let harness = try harness()
        harness.service.next(path, #"{"data":{}}"#)
        try await harness.client.mutate(.register, ["id": "s\"1", "deep": ["x": [1, nil]]], deadline: .never)
        let request = try #require(harness.requests.last)
        #expect(request.method == .post && request.url.absoluteString == "https://service/graphql")
        let body = try JSONDecoder().decode([String: JSONValue].self, from: request.body ?? Data())
        #expect(
            body == [
                "query": .string(GraphQLOperation.register.query), "operationName": "RegisterSpeaker",
                "variables": ["id": "s\"1", "deep": ["x": [1, nil]]],
            ]
        )
    }

    @Test("C50: the language goes with each query that takes one: the client's, or the request's; empty is the service's default")
    func language() async throws {
        for (client, request, sent) in [("", nil, ""), ("de", nil, "de"), ("de", "fr", "fr"), ("de", "", "")] as [(String, String?, String)]
        {
            let harness = try ClientHarness(language: client)
            let greeting = try await harness.client.query(
                .greeting,
                as: Greeting.self,
                options: RequestOptions(language: request),
                deadline: .never
            )
            #expect(greeting.text == "hello \(sent)")
        }
        let german = try ClientHarness(language: "de")
        let explicit = try await german.client.query(.greeting, ["lang": "it"], as: Greeting.self, deadline: .never)
        #expect(explicit.text == "hello it")
        let harness = try harness()
        _ = await speakers(harness)
        let body = try JSONDecoder().decode([String: JSONValue].self, from: harness.requests.last?.body ?? Data())
        #expect(body["variables"] == [:])
    }
}
