import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

/// What a server, or whoever stands in between, can send. Where it could end or fill the process, that is one of its own.
@Suite("Answers that are meant to hurt", .serialized, .timeLimit(.minutes(30)), .real)
struct RealHostileAnswerTests {
    @Test("fault N42: an answer that is cut anywhere, has a trailer, or declares more than there can be, does not end the process")
    func framing() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let transport = SystemTransport(TransportOptions())
            let whole = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
            for length in 0..<whole.utf8.count {
                server.on("/", .raw(String(decoding: whole.utf8.prefix(length), as: UTF8.self)))
                let code = await transport.failure(HTTPRequest(.get, server.url()))?.code
                // Without a whole line, there is no answer yet.
                #expect(code == (length < 17 ? .unreachable : .invalidResponse), "cut after \(length) bytes")
            }
            server.on("/trailer", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n"))
            let answer = try await transport.send(HTTPRequest(.get, server.url("/trailer")), deadline: httpPatience)
            #expect(String(decoding: answer.body, as: UTF8.self) == "{}")
            let most = "\(Int.max)"
            for length in [most, "9223372036854775808", "-1", "5, 6"] {
                server.on("/length", .raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n{}"))
                do throws(NetworkError) {
                    let answer = try await transport.send(HTTPRequest(.get, server.url("/length")), deadline: httpPatience)
                    // What is no length may be passed over: the answer ends with its connection.
                    #expect(length != most && String(decoding: answer.body, as: UTF8.self) == "{}", "\(length)")
                } catch {
                    #expect(error.code == .invalidResponse, "\(length): \(error)")
                    #expect(length != most || error.reason.hasPrefix("the answer declares \(most) bytes, more than"), "\(error)")
                }
            }
        }
    }

    @Test(
        "fault N43: a connection that closes as a POST comes has it once, and whole; a PUT may come again",
        arguments: [HTTPMethod.post, .patch, .put]
    )
    func closingConnection(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        server.on("/get", .json("{}"))
        server.on("/send", .close)
        let transport = SystemTransport(TransportOptions())
        // Leaves a connection open, that could be used again.
        _ = try await transport.send(HTTPRequest(.get, server.url("/get")), deadline: httpPatience)
        let body = Data("grant_type=refresh_token".utf8)
        let error = await transport.failure(HTTPRequest(method, server.url("/send"), body: body))
        #expect(error?.code == .unreachable)
        let bodies = server.requests(for: "/send").map(\.body)
        #expect(Set(bodies) == [body])
        #expect(method.isIdempotent || bodies.count == 1)
    }

    @Test("fault N43: many requests that must not be repeated are all sent, each once, over as many connections as are allowed")
    func manyPosts() async throws {
        let server = try LoopbackServer()
        server.on("/", .json("{}"))
        let transport = SystemTransport(TransportOptions())
        let url = server.url()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                let request = HTTPRequest(.post, url, body: Data(String(number).utf8))
                group.addTask { try await transport.send(request, deadline: httpPatience).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) }.sorted() == (0..<40).map { String($0) }.sorted())
    }

    #if os(Linux)
        @Test("fault N44: three million bytes in chunks of one take no more memory than in one", .nightly)
        func smallChunks() async {
            await #expect(processExitsWith: .success) {
                let transport = SystemTransport(TransportOptions())
                let server = try LoopbackServer()
                let chunks = Data(String(repeating: "1\r\nx\r\n", count: 10_000).utf8)
                let head = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                server.on(
                    "/",
                    .json("{}"),
                    LoopbackServer.Answer(steps: [.send(head), .sendRepeatedly(chunks, 300), .send(Data("0\r\n\r\n".utf8))])
                )
                let request = HTTPRequest(.get, server.url())
                _ = try await transport.send(request, deadline: httpPatience)
                let before = try peakMemory()
                #expect(try await transport.send(request, deadline: httpPatience).body.count == 3_000_000)
                let growth = try peakMemory() - before
                #expect(growth < 48 << 10, "\(growth) kB more than \(before)")
            }
        }

        @Test(
            "fault N51: what never becomes a body is not received without end: extensions of chunks, names in packed files, empty blocks",
            arguments: ["chunked", "gzip", "deflate"]
        )
        func noBody(_ coding: String) async throws {
            var options = TransportOptions()
            options.maximumBodySize = 100_000
            let transport = SystemTransport(options)
            let server = try LoopbackServer()
            let field = coding == "chunked" ? "Transfer-Encoding: chunked" : "Content-Encoding: \(coding)"
            let start: [UInt8] =
                switch coding {
                case "chunked": Array("1;".utf8)
                // A header that says that a name follows; and one of zlib's.
                case "gzip": [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3]
                default: [0x78, 1]
                }
            let part = coding == "deflate" ? [0, 0, 0, 0xFF, 0xFF] : Array("x".utf8)
            let filler = Data(Array(repeating: part, count: 20_000).joined())
            let head = Data("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8) + Data(start)
            // More than is taken of it, and it does not end with that.
            server.on("/", LoopbackServer.Answer(steps: [.send(head), .sendRepeatedly(filler, 2_000_000 / filler.count + 1), .hang]))
            let error = await transport.failure(HTTPRequest(.get, server.url()))
            #expect(error?.code == .invalidResponse)
            #expect(error?.reason.hasPrefix("it takes more bytes to send than") == true, "\(error?.description ?? "")")
        }

        @Test("fault N45: servers that take a request and hang, before, in or after their headers, cost no processor time", .nightly)
        func hanging() async {
            await #expect(processExitsWith: .success) {
                let transport = SystemTransport(TransportOptions())
                let server = try LoopbackServer()
                let starts = ["", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"]
                for (index, start) in starts.enumerated() {
                    server.on("/\(index)", LoopbackServer.Answer(steps: [.send(Data(start.utf8)), .hang]))
                }
                // What is only done once is done.
                server.on("/", .json("{}"))
                _ = try await transport.send(HTTPRequest(.get, server.url()), deadline: httpPatience)
                let (time, used) = (ContinuousClock.now, processorTime())
                await withTaskGroup(of: NetworkError.Code?.self) { group in
                    for index in starts.indices {
                        let request = HTTPRequest(.get, server.url("/\(index)"))
                        group.addTask { await transport.failure(request, deadline: .after(.seconds(3)))?.code }
                    }
                    for await code in group { #expect(code == .timedOut) }
                }
                // A thread that never sleeps uses all of the time that passes, or what a busy machine leaves to it.
                let (passed, spent) = (ContinuousClock.now - time, processorTime() - used)
                #expect(spent < passed / 4, "\(spent) of \(passed)")
            }
        }

        @Test("without a free descriptor a request fails, and the next one does not")
        func noDescriptors() async {
            await #expect(processExitsWith: .success) {
                let (server, other) = (try LoopbackServer(), try LoopbackServer())
                for server in [server, other] { server.on("/", .json("{}")) }
                let transport = SystemTransport(TransportOptions())
                // Dispatch ends the process when it finds none for itself: what it needs, it has after a request.
                _ = try await transport.send(HTTPRequest(.get, other.url()), deadline: httpPatience)
                var limit = rlimit(rlim_cur: 256, rlim_max: 256)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var taken: [Int32] = []
                while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 { taken.append(descriptor) }
                let error = await transport.failure(HTTPRequest(.get, server.url()))
                for descriptor in taken { close(descriptor) }
                #expect(error?.code == .unreachable, "\(error?.description ?? "")")
                #expect(try await transport.send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
            }
        }
    #endif

    @Test(
        "fault N46: headers without end are refused: many, long, folded, provisional, or in a trailer",
        arguments: [
            "HTTP/1.1 200 OK\r\n\(String(repeating: "X-Many: y\r\n", count: 600))\r\n{}",
            "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "y", count: 5_000_000))\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\n\(String(repeating: "X-\(String(repeating: "y", count: 5000)): z\r\n", count: 60))\r\n{}",
            "HTTP/1.1 200 OK\r\nX-Fold: y\r\n\(String(repeating: " y\r\n", count: 600))\r\n{}",
            LongText(String(repeating: "HTTP/1.1 103 Early Hints\r\nX-Hint: y\r\n\r\n", count: 10_000)),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(String(repeating: "X-Trailer: y\r\n", count: 50_000))\r\n",
        ] as [LongText]
    )
    func endlessHeaders(_ answer: LongText) async throws {
        #if os(Linux)
            let server = try LoopbackServer()
            server.on("/", .raw(answer.value))
            let error = await SystemTransport(TransportOptions()).failure(HTTPRequest(.get, server.url()))
            #expect(error?.code == .invalidResponse, "\(error?.description ?? "")")
        #endif
    }
}

#if os(Linux)
    /// The most memory that this process has had, in kilobytes.
    private func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    /// Of all threads of this process.
    private func processorTime() -> Duration {
        var usage = rusage()
        // 0 is RUSAGE_SELF, whose type differs from system to system.
        getrusage(0, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec) }
    }
#endif
