import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("How much of an answer is decoded", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AnswerLimitsTests {
    private static let request = HTTPRequest(.get, URL(string: "https://example.com/a") ?? URL(fileURLWithPath: "/"))

    private static func response(_ body: Data, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// `head`, then `unit` until there are that many bytes, then `tail`.
    private static func body(_ head: String, _ unit: String, _ tail: String, size: Int) -> Data {
        // In blocks, so that making it takes no more memory than it has.
        let block = Data(String(repeating: unit, count: 1000).utf8)
        var data = Data(capacity: size + 16)
        data.append(contentsOf: head.utf8)
        while data.count + block.count + tail.utf8.count <= size { data.append(block) }
        data.append(contentsOf: tail.utf8)
        return data
    }

    private func excess(_ text: String, _ limits: AnswerLimits) -> String? { limits.excess(in: Data(text.utf8)) }

    @Test("fault N49: bytes, levels and values are counted exactly", arguments: [1, 10, 100, 1000])
    func counts(_ size: Int) {
        let many = AnswerLimits(maximumSize: .max, maximumDepth: .max, maximumCount: .max)
        func limits(size: Int = .max, depth: Int = .max, count: Int = .max) -> AnswerLimits {
            AnswerLimits(maximumSize: size, maximumDepth: depth, maximumCount: count)
        }
        let texts = "[" + Array(repeating: #""a""#, count: size).joined(separator: ",") + "]"
        #expect(excess(texts, limits(size: texts.utf8.count, depth: 1, count: size + 1)) == nil)
        #expect(
            excess(texts, limits(size: texts.utf8.count - 1))
                == "it has \(texts.utf8.count) bytes, and at most \(texts.utf8.count - 1) are decoded"
        )
        #expect(excess(texts, limits(count: size)) == "it has more than the \(size) values that are decoded")
        // An object, and a key and a number for each member.
        let members = "{" + (0..<size).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
        #expect(excess(members, limits(count: 2 * size + 1)) == nil)
        #expect(excess(members, limits(count: 2 * size)) != nil)
        let nested = String(repeating: "[", count: size) + String(repeating: "]", count: size)
        #expect(excess(nested, limits(depth: size)) == nil)
        #expect(excess(nested, limits(depth: size - 1)) == "it has more than the \(size - 1) levels of arrays and objects that are decoded")
        #expect(excess(nested + texts, many) == nil)
    }

    @Test("what stands in a text is not counted, whatever is escaped in it; what is deep counts more")
    func texts() {
        let limits = AnswerLimits(maximumSize: 1000, maximumDepth: 1, maximumCount: 2)
        #expect(excess(#"["[{,:\"[{,:\\"]"#, limits) == nil)
        #expect(excess(#"["\\",1]"#, limits) != nil)
        let deep = String(repeating: "[", count: 24) + "1,1,1" + String(repeating: "]", count: 24)
        #expect(excess(deep, AnswerLimits(maximumSize: 1000, maximumDepth: 24, maximumCount: 100)) == nil)
        #expect(excess(deep, AnswerLimits(maximumSize: 1000, maximumDepth: 24, maximumCount: 40)) != nil)
    }

    @Test("fault N49: an app that needs more says so, for one request")
    func raised() async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        let body = "[" + String(repeating: "0,", count: 100_000) + "0]"
        for _ in 1...2 { service.next("GET /v1/numbers", body) }
        let error = await failure { () throws(NetworkError) in
            _ = try await harness.client.get("v1/numbers", as: [Int].self, deadline: .never)
        }
        #expect(error?.code == .invalidData)
        #expect(error?.reason == "it has more than the 100000 values that are decoded")
        let options = RequestOptions(limits: AnswerLimits(maximumSize: 1 << 20, maximumDepth: 1, maximumCount: 200_000))
        #expect(try await harness.client.get("v1/numbers", as: [Int].self, options: options, deadline: .never).count == 100_001)
        service.next("POST /graphql", #"{"data":{"speakers":[\#(String(repeating: "{},", count: 100_000)){}]}}"#)
        let graphQL = await failure { () throws(NetworkError) in
            _ = try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never)
        }
        #expect(graphQL?.code == .invalidData)
    }

    @Test("fault N49: an answer is not decoded once its request's deadline is over", arguments: [true, false])
    func deadline(_ graphQL: Bool) async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        let error = await failure { () throws(NetworkError) in
            if graphQL {
                _ = try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .after(.zero))
            } else {
                _ = try await harness.client.get("v1/profile", as: UserProfile.self, deadline: .after(.zero))
            }
        }
        #expect(error?.code == .timedOut)
        #expect(error?.reason == "the deadline was over before its answer was decoded")
    }

    #if os(Linux)
        private static func peak() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        }

        @Test("fault N49: no answer of 16 MB, whatever its shape and whatever asked for it, takes 64 MB", .nightly)
        func memory() async {
            await #expect(processExitsWith: .success) {
                let size = 16 << 20
                let shapes = [
                    AnswerLimitsTests.body("[{\"a\":0}", ",{\"a\":0}", "]", size: size),
                    AnswerLimitsTests.body("[0", ",0", "]", size: size),
                    AnswerLimitsTests.body("[", "[", "]", size: size),
                    AnswerLimitsTests.body("[\"", "x", "\"]", size: size),
                    AnswerLimitsTests.body("{\"a\":0", ",\"a\":0", "}", size: size),
                    AnswerLimitsTests.body("{\"data\":{\"speakers\":[0", ",[]", "]}}", size: size),
                    AnswerLimitsTests.body("{\"errors\":[0", ",0", "]}", size: size),
                ]
                // And what is just small enough to be decoded.
                let smaller = [
                    AnswerLimitsTests.body("[{\"a\":0}", ",{\"a\":0}", "]", size: 250_000),
                    AnswerLimitsTests.body("{\"errors\":[0", ",0", "]}", size: 199_000),
                    AnswerLimitsTests.body("[\"", "x", "\"]", size: 4 << 20),
                ]
                let request = AnswerLimitsTests.request
                let call = APICall(transport: .graphQL, operation: "x", request: request, options: RequestOptions(), isCacheable: false)
                // The peak begins anew (proc(5), "clear_refs").
                try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
                let before = try AnswerLimitsTests.peak()
                for body in shapes + smaller {
                    let response = AnswerLimitsTests.response(body)
                    _ = try? response.decoded([Country].self, for: request)
                    _ = try? response.decoded(JSONValue.self, for: request)
                    _ = try? GraphQLResponse.decode(JSONValue.self, field: "speakers", response, to: call)
                    for status in [200, 400] {
                        let http = FixedAnswer(response: AnswerLimitsTests.response(body, status: status))
                        let endpoint = TokenEndpoint(url: request.url, http: http)
                        _ = try? await endpoint.session(username: "a", password: "b", deadline: .never)
                    }
                }
                // In kilobytes.
                let growth = try AnswerLimitsTests.peak() - before
                #expect(growth < 64 << 10, "\(growth) kB more than \(before)")
            }
        }
    #endif
}

/// Answers everything with one answer.
private struct FixedAnswer: HTTPSending {
    let response: HTTPResponse

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse { response }
}
