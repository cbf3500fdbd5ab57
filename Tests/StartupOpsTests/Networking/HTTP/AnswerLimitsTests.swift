import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("How much of an answer is decoded", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AnswerLimitsTests {
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
}
