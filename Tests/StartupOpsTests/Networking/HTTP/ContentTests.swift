import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("What is in an answer", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ContentTests {
    private struct Answer: Decodable, Equatable, Sendable {
        struct Speaker: Decodable, Equatable, Sendable {
            var name: String
            var port: Int
        }
        var speakers: [Speaker]
        var features: [String: Bool]?
    }

    private let request = HTTPRequest(.get, URL(string: "https://example.com/v1/a?token=secret") ?? URL(fileURLWithPath: "/"))

    private func response(_ body: String, status: Int = 200, type: String? = "application/json") -> HTTPResponse {
        var headers = HTTPHeaders()
        headers["Content-Type"] = type
        return HTTPResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    private func failure<Value: Decodable>(_ type: Value.Type, _ response: HTTPResponse) -> NetworkError? {
        do {
            _ = try response.decoded(type, for: request)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "C34: a status outside 200 to 299 is invalidResponse, with the status",
        arguments: [100, 199, 300, 304, 400, 401, 404, 429, 500, 503, 999]
    )
    func status(_ status: Int) {
        let error = failure(Answer.self, response(#"{"speakers":[]}"#, status: status))
        #expect(error?.code == .invalidResponse)
        #expect(error?.status == status)
        #expect(error?.description == "GET example.com/v1/a: the server answered with status \(status)")
    }

    @Test("C34: every status from 200 to 299 is fine")
    func fine() throws {
        for status in 200...299 {
            #expect(try response(#"{"speakers":[]}"#, status: status).decoded(Answer.self, for: request).speakers.isEmpty)
        }
        let error = failure(Answer.self, HTTPResponse(status: 503, headers: ["Retry-After": "7"]))
        #expect(error?.retryAfter == .seconds(7))
    }

    @Test(
        "C35, fault N12: what was expected, and where",
        arguments: [
            (#"{"speakers":[{"name":1,"port":2}]}"#, "speakers[0].name: a string was expected"),
            (#"{"speakers":[{"name":"a","port":2},{"name":"b"}]}"#, "speakers[1].port: it is missing"),
            (#"{"speakers":[{"name":null,"port":2}]}"#, "speakers[0].name: a string was expected"),
            (#"{"speakers":[{"name":"a","port":"2"}]}"#, "speakers[0].port: a whole number was expected"),
            (#"{"speakers":{}}"#, "speakers: an array was expected"),
            (#"{"speakers":[],"features":true}"#, "features: an object was expected"),
            (#"{"speakers":[],"features":{"paywall":{}}}"#, "features.paywall: true or false was expected"),
            (#"{}"#, "speakers: it is missing"),
            (#"[]"#, "the top level: an object was expected"),
            (#""""#, "the top level: an object was expected"),
            (#"{"speakers":"#, "it is no JSON"),
            (#"secret"#, "it is no JSON"),
        ] as [(String, String)]
    )
    func path(_ body: String, _ reason: String) {
        let error = failure(Answer.self, response(body))
        #expect(error?.code == .invalidData)
        #expect(error?.reason == reason)
        #expect(error?.underlying is DecodingError)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("C35, fault N12: a number that does not fit is refused, wherever the platform says it is")
    func number() {
        let error = failure(Answer.self, response(#"{"speakers":[{"name":"a","port":1e300}]}"#))
        #expect(error?.code == .invalidData)
        #expect(error?.reason.hasSuffix("not one of those that are allowed") == true)
    }

    @Test("fault N11: null, no bytes, zero bytes, what is not UTF-8, and a byte order mark")
    func bytes() throws {
        let null = failure(Answer.self, response("null"))
        #expect(null?.code == .invalidData)
        #expect(null?.reason.hasPrefix("the top level: ") == true, "\(null?.reason ?? "")")
        #expect(failure(Answer.self, response(""))?.code == .emptyResponse)
        #expect(failure(Answer?.self, response(""))?.code == .emptyResponse)
        #expect(failure(Answer.self, response("\u{0}\u{0}"))?.reason == "the byte at 0 is zero, where JSON in UTF-8 was expected")
        let utf16 = HTTPResponse(status: 200, body: Data([0x7B, 0, 0x7D, 0]))
        #expect(failure(Answer.self, utf16)?.reason == "the byte at 1 is zero, where JSON in UTF-8 was expected")
        let broken = HTTPResponse(status: 200, body: Data(#"{"speakers":[{"name":""#.utf8) + [0xC3, 0x28] + Data(#"","port":1}]}"#.utf8))
        #expect(failure(Answer.self, broken)?.reason == "it is not UTF-8, where JSON was expected")
        let marked = HTTPResponse(status: 200, body: Data([0xEF, 0xBB, 0xBF]) + Data(#"{"speakers":[]}"#.utf8))
        #expect(try marked.decoded(Answer.self, for: request) == Answer(speakers: []))
    }

    @Test("fault N11: 10,000 levels of brackets are refused, not followed")
    func depth() {
        let body = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(failure(Answer.self, response(body))?.code == .invalidData)
    }

    @Test(
        "fault N10: a page where JSON was expected is said to be one",
        arguments: ["text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml", "image/png"]
    )
    func page(_ type: String) {
        let page = response("<html>Welcome to our wireless network</html>", type: type)
        let media = type.prefix { $0 != ";" }.lowercased()
        #expect(failure(Answer.self, page)?.code == .invalidData)
        #expect(failure(Answer.self, page)?.reason == "\(media) where JSON was expected")
        #expect(failure(EmptyResponse.self, page)?.code == (media == "image/png" ? nil : .invalidData))
    }

    @Test("JSON may come as other kinds of JSON, as plain text, as bytes, and as nothing in particular")
    func types() throws {
        for type in [
            "application/json;charset=utf-8", "application/problem+json", "application/graphql-response+json", "text/plain",
            "application/octet-stream", "", nil,
        ] {
            #expect(try response(#"{"speakers":[]}"#, type: type).decoded(Answer.self, for: request).speakers.isEmpty)
        }
    }

    @Test("C36: an EmptyResponse is what 204 and no bytes are; more does not hurt")
    func empty() throws {
        let answers = [
            response("", status: 204), response("", status: 205), response(""), response("{}"), response("OK", type: "text/plain"),
            response("<a/>", type: "application/xml"), response("", type: "text/html"),
        ]
        for answer in answers { #expect(try answer.decoded(EmptyResponse.self, for: request) == EmptyResponse()) }
        #expect(failure(EmptyResponse.self, response("", status: 500))?.code == .invalidResponse)
    }

    @Test(
        "fault N15: 204, 205 and 304 where a value was expected",
        arguments: [(204, NetworkError.Code.emptyResponse), (205, .emptyResponse), (304, .invalidResponse)]
    )
    func noContent(_ status: Int, _ code: NetworkError.Code) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(status))
        let request = HTTPRequest(.get, server.url())
        let response = try await HTTPClient().send(request, deadline: httpPatience)
        #expect(failure(Answer.self, response)?.code == code)
        #expect(failure(Answer.self, response)?.status == status)
    }
}
