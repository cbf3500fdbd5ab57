import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Setting up a client", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SetupTests {
    @Test("C3, C51: the GraphQL endpoint is required, REST is not; what is wrong is named by its field, without its value")
    func environment() throws {
        let environment = try APIEnvironment(graphQL: "https://api.example.com/graphql")
        #expect(environment.rest == nil)
        #expect(try APIEnvironment(graphQL: "http://127.0.0.1:8080/graphql", rest: "http://127.0.0.1:8080").rest != nil)
        #expect(throws: NetworkError.self) { try APIEnvironment(graphQL: "http://api.example.com/graphql") }
        let faults: [(String?, String?, String)] = [
            (nil, nil, "graphQL"), ("", "https://x.example", "graphQL"), ("api.example.com", nil, "graphQL"),
            ("file:///canary", nil, "graphQL"),
            ("https:///canary", nil, "graphQL"), ("https://me:canary@x.example", nil, "graphQL"),
            ("https://x.example", "ftp://canary", "rest"),
            ("https://x.example", "https://x.example?key=canary", "rest"), ("https://x.example", "https://x.example#canary", "rest"),
        ]
        for (graphQL, rest, field) in faults {
            let error = #expect(throws: NetworkError.self) { try APIEnvironment(graphQL: graphQL, rest: rest) }
            #expect(error?.request == field && error?.description.hasPrefix("\(field): ") == true)
            #expect(error?.description.contains("canary") == false)
        }
    }

    @Test("C4: a REST request without a REST base fails before anything is sent, a refresh included")
    func noBase() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(lifetime: -1), service: service, rest: false)
        let error = await failure { () throws(NetworkError) in
            try await harness.client.get("v1/profile", as: UserProfile.self, deadline: .never).ignore()
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("APIEnvironment") == true)
        #expect(service.requests.isEmpty)
    }

    @Test("paths are appended segment by segment, and cannot climb out of the base")
    func paths() async throws {
        let harness = try ClientHarness()
        for path in ["../admin", "v1/../../admin", "v1/./x"] {
            let error = await failure { () throws(NetworkError) in try await harness.client.get(path, deadline: .never) }
            #expect(error?.code == .invalidRequest, "\(path)")
        }
        #expect(harness.service.requests.isEmpty)
        let options = RequestOptions(requirement: .optional)
        _ = await failure { () throws(NetworkError) in
            try await harness.client.get("/v1/a b?c#d/ü/", query: ["q": "a&b=c+d ü", "empty": ""], options: options, deadline: .never)
        }
        #expect(harness.requests.first?.url.absoluteString == "https://service/v1/a%20b%3Fc%23d/%C3%BC?q=a%26b%3Dc%2Bd%20%C3%BC&empty=")
    }
}

extension Decodable {
    func ignore() {}
}
