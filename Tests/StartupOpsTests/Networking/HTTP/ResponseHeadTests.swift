import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The head of an answer, line by line", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ResponseHeadTests {
    /// What the last line leads to; each one before leads on.
    private func read(_ lines: String...) -> ResponseHead.Step {
        var head = ResponseHead()
        for line in lines.dropLast() where head.take((line + "\r\n").utf8) != .goOn { return .refuse("too early") }
        return head.take(((lines.last ?? "") + "\r\n").utf8)
    }

    private func isRefused(_ step: ResponseHead.Step) -> Bool { if case .refuse = step { true } else { false } }

    @Test("status and headers; values without the blanks around them, several of one name as one, lines that go on")
    func whole() {
        let expected = HTTPResponse(status: 200, headers: ["A": "b", "C": "d e", "F": "1, 2", "G": ""])
        #expect(read("HTTP/1.1 200 OK", "A:b", "C: \t d \t", "\t e", "F: 1", "f: 2", "G:", "") == .head(expected))
        #expect(read("HTTP/2 404", "") == .head(HTTPResponse(status: 404)))
    }

    @Test("provisional answers are passed over, and what comes after the head is dropped")
    mutating func around() {
        let step = read("HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "X-Hint: y", "", "HTTP/1.1 200 OK", "A: b", "")
        #expect(step == .head(HTTPResponse(status: 200, headers: ["A": "b"])))
        var head = ResponseHead()
        for line in ["HTTP/1.1 200 OK\n", "\n", "X-Trailer: a\n", "nonsense\n", "\n"] {
            let step = head.take(line.utf8)
            #expect(line == "\n" || step == .goOn)
        }
    }

    @Test(
        "what is no status line and what is no header is refused",
        arguments: [
            ["nonsense"], ["HTTP/1.1"], ["HTTP/1.1 99 x"], ["HTTP/1.1 2000 x"], ["HTTP/1.1 +20 x"], ["HTTP/1.1 -20 x"], ["HTTP/1.1  200"],
            [""],
            ["HTTP/1.1 200 OK", "nonsense"], ["HTTP/1.1 200 OK", ": a"], ["HTTP/1.1 200 OK", " folded"],
        ]
    )
    func refused(_ lines: [String]) {
        var head = ResponseHead()
        for line in lines.dropLast() { #expect(head.take((line + "\r\n").utf8) == .goOn) }
        #expect(isRefused(head.take(((lines.last ?? "") + "\r\n").utf8)))
    }

    @Test("fault N49: an answer that is packed twice, or in a way that was not asked for, is refused before it is unpacked")
    func codings() {
        for coding in ["gzip", "GZIP", "x-gzip", "deflate", "identity"] {
            let expected = HTTPResponse(status: 200, headers: ["Content-Encoding": coding])
            #expect(read("HTTP/1.1 200 OK", "Content-Encoding: \(coding)", "") == .head(expected))
        }
        for coding in ["zstd", "br", "gzip, gzip", "zstd, zstd, zstd", "gzip,", "unknown"] {
            #expect(isRefused(read("HTTP/1.1 200 OK", "Content-Encoding: \(coding)", "")), "\(coding)")
        }
        #expect(isRefused(read("HTTP/1.1 200 OK", "Content-Encoding: gzip", "Content-Encoding: gzip", "")))
    }

    @Test("fault N46: as many headers and bytes as are allowed, and not one more")
    func limits() {
        var head = ResponseHead()
        _ = head.take("HTTP/1.1 200 OK\r\n".utf8)
        for _ in 0..<ResponseHead.maximumFieldCount { #expect(head.take("A: b\r\n".utf8) == .goOn) }
        #expect(isRefused(head.take("A: b\r\n".utf8)))
        var long = ResponseHead()
        let line = "HTTP/1.1 200 \(String(repeating: "x", count: ResponseHead.maximumSize - 15))\r\n"
        #expect(line.utf8.count == ResponseHead.maximumSize)
        #expect(long.take(line.utf8) == .goOn)
        #expect(isRefused(long.take("\n".utf8)))
    }

    @Test(
        "what libcurl says is the same error as URLSession's",
        arguments: [
            (7, ECONNREFUSED, "Failed to connect to a port 1", NetworkError.Code.unreachable),
            (6, 0, "Could not resolve host: a", .unreachable),
            (7, ENETUNREACH, "Failed to connect to tls.example port 443", .unreachable), (28, 0, "", .timedOut), (52, 0, "", .unreachable),
            (5, 0, "Could not resolve proxy: ssl", .unreachable), (56, ECONNRESET, "", .unreachable), (55, EPIPE, "", .unreachable),
            (65, 0, "", .unreachable), (1, 0, "Received HTTP/0.9 when not allowed", .invalidResponse), (8, 0, "", .invalidResponse),
            (27, 0, "", .invalidResponse), (60, 0, "", .untrusted), (77, 0, "", .untrusted),
            (35, 0, "wrong version number (SSL)", .untrusted),
            (35, 0, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL", .unreachable), (3, 0, "", .invalidRequest),
        ] as [(Int32, Int32, String, NetworkError.Code)]
    )
    func errors(_ code: Int32, _ systemError: Int32, _ text: String, _ expected: NetworkError.Code) throws {
        let request = HTTPRequest(.get, try webAddress("http://127.0.0.1/"))
        let error = NetworkError(URLError(curl: code, systemError: systemError, text: text), of: request, progress: nil)
        #expect(error.code == expected, "\(error)")
        // In the middle of an answer, only what says that the connection is gone is no fault of the answer.
        let isLost = [ECONNRESET, EPIPE].contains(systemError) || code == 65
        if code >= 55, code != 77, code != 60 {
            let later = NetworkError(URLError(curl: code, systemError: systemError, text: text), of: request, progress: "3 bytes")
            #expect(later.code == (isLost ? .unreachable : .invalidResponse))
        }
    }
}
