import Foundation
import Testing

@testable import backend

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Each fault, as a client meets it on the wire.
@Suite("Backend faults", .serialized, .timeLimit(.minutes(10)))
struct FaultTests {
    private let path = "/v1/configuration?country=DE&language=de"

    @Test("hang: nothing comes, and others are served meanwhile")
    func hang() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=hang")
        let connection = try RawConnection(port: backend.port, get: path)
        while try await backend.send("GET", "/_admin/counts").body.range(of: Data("configuration".utf8)) == nil {}
        for _ in 0..<20 { #expect(try await backend.send("GET", "/v1/countries").status == 200) }
        #expect(connection.isSilent)
    }

    @Test("drip: one byte after the other, and no end")
    func drip() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=drip")
        let connection = try RawConnection(port: backend.port, get: path)
        let head = try await onThread { try connection.receive(through: "\r\n\r\n") }
        #expect(head.hasPrefix("HTTP/1.1 200 "))
        for _ in 0..<3 { #expect(try await onThread { try connection.receive(through: "\r\n \r\n") } == "1\r\n \r\n") }
        #expect(connection.isSilent)
    }

    @Test("truncated: 1000 bytes announced, 3 sent, then the end")
    func truncated() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=truncated")
        let connection = try RawConnection(port: backend.port, get: path)
        let (text, error) = try await onThread { connection.receiveAll() }
        #expect(text.contains("Content-Length: 1000\r\n"))
        #expect(text.hasSuffix("\r\n\r\n{\"c"))
        #expect(error == nil)
    }

    @Test("reset: half of the body, then a reset")
    func reset() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=reset")
        let connection = try RawConnection(port: backend.port, get: path)
        let (text, error) = try await onThread { connection.receiveAll() }
        #expect(error == ECONNRESET)
        #expect(!text.hasSuffix("}"))
    }

    @Test("plaintext: bytes that are no HTTP")
    func plaintext() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=plaintext")
        let connection = try RawConnection(port: backend.port, get: path)
        let (text, error) = try await onThread { connection.receiveAll() }
        #expect(text == "220 sample.invalid ESMTP ready\r\n")
        #expect(error == nil)
    }

    @Test(
        "answers that only differ from the real one in what they say",
        arguments: [
            ("status:500", "HTTP/1.1 500 "), ("status:503;retry-after=2", "HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\n"),
            ("status:204", "HTTP/1.1 204 "), ("401-basic", "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"sample\"\r\n"),
            ("redirect:http://127.0.0.1:1/x;status=307", "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/x\r\n"),
            ("redirect-loop", "HTTP/1.1 302 Found\r\nLocation: /v1/configuration?country=DE&language=de\r\n"),
            ("html", "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"), ("slow:300ms", "HTTP/1.1 200 OK\r\n"),
        ]
    )
    func heads(_ fault: String, _ head: String) async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=\(fault)")
        let connection = try RawConnection(port: backend.port)
        try connection.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        #expect(try await onThread { connection.receiveAll().text }.hasPrefix(head))
    }

    @Test("bodies arrive byte for byte; so does a date that is wrong")
    func bodies() async throws {
        let backend = try await RunningBackend()
        for (fault, body) in [("empty", ""), ("null", "null"), (#"body:{"x":[]}"#, #"{"x":[]}"#)] {
            try await backend.setFault(fault)
            let answer = try await backend.send("GET", path)
            #expect(answer.status == 200)
            #expect(answer.body == Data(body.utf8), "\(fault)")
        }
        try await backend.setFault("garbage")
        #expect(try await backend.send("GET", path).body.first == 0x9f)
        try await backend.setFault("header:Date=Thu, 01 Jan 1970 00:00:00 GMT")
        let (body, response) = try await backend.exchange("GET", path)
        #expect(response.value(forHTTPHeaderField: "Date") == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(try JSONSerialization.jsonObject(with: body) is [String: Any])
    }

    @Test("big: as many zero bytes as asked for")
    func big() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=big:5MB")
        #expect(try await backend.send("GET", path).body == Data(count: 5_000_000))
    }

    @Test("gzip bomb: a thousand times as large unpacked as on the wire")
    func gzipBomb() async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=gzip-bomb:20MB")
        #expect(try await backend.send("GET", path).body == Data(count: 20_000_000))
        let packed = CompressedZeros.bytes(count: 200_000_000).count
        #expect((190_000...200_000).contains(packed))
    }

    @Test("gzip bomb: every size unpacks to itself", arguments: [0, 1, 2, 257, 258, 259, 260, 516, 517, 518, 1_033, 65_536, 1_000_003])
    func gzipSizes(_ count: Int) async throws {
        let backend = try await RunningBackend("--fault", "/v1/configuration=gzip-bomb:\(count)B")
        #expect(try await backend.send("GET", path).body == Data(count: count))
    }
}
