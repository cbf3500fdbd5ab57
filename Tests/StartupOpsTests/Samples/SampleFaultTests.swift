import Foundation
import StartupNetworking
import StartupSamples
import TestSupport
import Testing

/// Faults: their texts, and what the service decides when they are set.
@Suite("Sample faults", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SampleFaultTests {
    private static let texts = [
        "hang", "drip", "slow:2000ms", "status:500", "status:503;retry-after=2", "garbage", "html", "empty", "null", "nul-bytes",
        "invalid-utf8", "bom", #"body:{"a":[1,2]}"#, "wrong-type", "header:Set-Cookie=a=b", "truncated", "reset",
        "redirect:http://127.0.0.1:1/x?y=1", "redirect:http://127.0.0.1:1/x;status=307", "redirect-loop", "big:200000000B",
        "gzip-bomb:200000000B", "401-basic", "plaintext",
    ]

    private func request(_ path: String = "/v1/configuration?country=DE&language=de") throws -> HTTPRequest {
        HTTPRequest(.get, try #require(URL(string: "https://sample.invalid\(path)")))
    }

    @Test("every fault has a text of its own")
    func texts() throws {
        #expect(Set(try Self.texts.map { try SampleFault(parsing: $0) }).count == Self.texts.count)
    }

    @Test("durations and sizes are read in every unit")
    func units() throws {
        #expect(try SampleFault(parsing: "slow:2s") == .slow(.seconds(2)))
        #expect(try SampleFault(parsing: "slow:3m") == .slow(.seconds(180)))
        #expect(try SampleFault(parsing: "big:200MB") == .zeros(200_000_000))
        #expect(try SampleFault(parsing: "gzip-bomb:1GB") == .zeros(1_000_000_000, compressed: true))
        #expect(try SampleFault(parsing: "body:null") == SampleFault(parsing: "null"))
        #expect(throws: SampleFaultError.self) { try SampleFault(parsing: "big:5GB") }
    }

    @Test(
        "what is no fault is refused",
        arguments: [
            "", "hnag", "slow", "slow:", "slow:2", "slow:-1s", "slow:2h", "slow:99999999999999999999s", "status:", "status:99",
            "status:600",
            "status:500;", "status:500;a b=c", "status:500;a=b\r\nc", "header:", "header:=x", "redirect:", "redirect:http://a b",
            "redirect:http://a;status=200", "big:", "big:1TB", "big:99999999999999999999GB", "big:-1B",
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: SampleFaultError.self) { try SampleFault(parsing: text) }
        #expect(error?.description.contains("expected") == true)
    }

    @Test("faults are set, and removed, over the administration's route")
    func administration() throws {
        let service = SampleService()
        func order(_ method: HTTPMethod, _ body: String) throws -> HTTPResponse {
            var request = try request("/_admin/faults")
            request.method = method
            request.body = Data(body.utf8)
            return try #require(service.answer(request).response)
        }
        #expect(try order(.put, #"{"path":"/v1/configuration","fault":"status:503;retry-after=2","times":1}"#).status == 204)
        let answer = try #require(service.answer(try request()).response)
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] == "2")
        #expect(service.answer(try request()).response?.status == 200)

        let unknown = try order(.put, #"{"path":"/v1/configuration","fault":"explode"}"#)
        #expect(unknown.status == 422)
        #expect(unknown.text.contains("'explode' is no fault"))
        for body in ["", "{}", #"{"path":"x","fault":"hang"}"#, #"{"path":"/x","fault":"hang","times":0}"#] {
            #expect(try order(.put, body).status == 400, "\(body)")
        }
        #expect(try order(.put, #"{"path":"/v1/configuration","fault":"hang"}"#).status == 204)
        #expect(try order(.delete, "").status == 204)
        #expect(service.answer(try request()).response?.status == 200)
    }

    @Test("the bodies are what their names say")
    func bodies() throws {
        let service = SampleService()
        func body(_ text: String) throws -> Data {
            service.setFault(try SampleFault(parsing: text), for: "/v1/configuration")
            return try #require(service.answer(try request()).response).body
        }
        #expect(try body("empty").isEmpty)
        #expect(try body("null") == Data("null".utf8))
        #expect(try body(#"body:{"x":1}"#) == Data(#"{"x":1}"#.utf8))
        #expect(try body("bom").prefix(3) == Data([0xef, 0xbb, 0xbf]))
        #expect(String(data: try body("invalid-utf8"), encoding: .utf8) == nil)
        #expect(try body("nul-bytes").allSatisfy { $0 == 0 })
        #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: try body("garbage"), options: .fragmentsAllowed) }
        service.setFault(.html, for: "/v1/configuration")
        #expect(service.answer(try request()).response?.headers["Content-Type"] == "text/html; charset=utf-8")
    }

    @Test("wrong types: each member of the answer has another type than before")
    func wrongTypes() throws {
        let service = SampleService()
        let right = try #require(service.answer(try request()).response).object
        service.setFault(.wrongType, for: "/v1/configuration")
        let wrong = try #require(service.answer(try request()).response).object
        #expect(wrong.keys.sorted() == right.keys.sorted())
        #expect(right["features"] is [String: Any])
        #expect(wrong["features"] as? Bool == true)
        #expect(wrong["version"] is [String: Any])
        #expect(wrong["tutorialPages"] is String)
    }

    @Test("what only a transport can do is left to it, with what it needs")
    func transportFaults() throws {
        let service = SampleService()
        let real = try #require(service.answer(try request()).response)
        func answer(_ fault: SampleFault) throws -> SampleAnswer {
            service.setFault(fault, for: "/v1/configuration")
            return service.answer(try request())
        }
        var start = real
        start.body = real.body.prefix(3)
        #expect(try answer(.slow(.seconds(2))) == .response(real, after: .seconds(2)))
        #expect(try answer(.truncated) == .truncated(start, announcing: 1000))
        #expect(try answer(.reset) == .reset(real))
        #expect(try answer(.drip) == .drip(byte: 0x20, every: .milliseconds(500)))
        #expect(try answer(.zeros(7)) == .zeros(count: 7, compressed: false))
        #expect(try answer(.zeros(7, compressed: true)) == .zeros(count: 7, compressed: true))
        let loop = try answer(.redirectLoop).response
        #expect(loop?.status == 302)
        #expect(loop?.headers["Location"] == "/v1/configuration?country=DE&language=de")
        #expect(try answer(.redirect(to: "http://127.0.0.1:1/", status: 307)).response?.status == 307)
        #expect(try answer(.basicChallenge).response?.headers["WWW-Authenticate"] == "Basic realm=\"sample\"")
    }

    @Test("a request whose answer is lost has been carried out; one that is refused has not")
    func effects() throws {
        let service = SampleService()
        let url = try #require(URL(string: "https://sample.invalid/v1/accounts"))
        func create(_ email: String) -> SampleAnswer {
            service.answer(HTTPRequest(.post, url, body: Data(#"{"email":"\#(email)","password":"x"}"#.utf8)))
        }
        service.setFault(.status(500), for: "/v1/accounts", times: 1)
        _ = create("a@example.com")
        #expect(create("a@example.com").response?.status == 201)
        service.setFault(.reset, for: "/v1/accounts", times: 1)
        _ = create("b@example.com")
        #expect(create("b@example.com").response?.status == 409)
    }
}
