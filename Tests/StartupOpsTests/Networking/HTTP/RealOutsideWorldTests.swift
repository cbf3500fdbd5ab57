import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

/// Faults that need something from outside: a machine without a network, a server that speaks TLS.
@Suite("Requests and the world outside", .serialized, .timeLimit(.minutes(30)), .real)
struct RealOutsideWorldTests {
    /// Set in a process that was started without a network.
    private static let offlineVariable = "SEQUENCER_TESTS_OFFLINE"
    private static let isOffline = ProcessInfo.processInfo.environment[offlineVariable] == "1"

    @Test(
        "fault N3: without a network, every request fails at once, with its reason",
        .enabled(if: canLeaveTheNetwork, "needs unshare -n, so root on Linux")
    )
    func offline() async throws {
        // The same test program again, in a network namespace of its own, in which there is nothing; not even this machine.
        let arguments = ["-n", CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "insideWithoutNetwork"]
        let child = try await run("/usr/bin/unshare", arguments, environment: [Self.offlineVariable: "1"])
        #expect(child.status == 0, "\(child.output)")
        #expect(child.output.contains("Test run with 1 test"), "\(child.output)")
    }

    @Test("inside, without a network", .enabled(if: isOffline, "runs in the process that the test above starts"))
    func insideWithoutNetwork() async throws {
        let client = HTTPClient()
        for place in ["https://example.com/", "https://192.0.2.1/", "http://127.0.0.1:81/"] {
            let error = await client.failure(HTTPRequest(.get, try webAddress(place)), deadline: .after(patience))
            #expect(error?.code == .unreachable, "\(place): \(error?.description ?? "")")
            #expect(error?.isTransient == true)
        }
    }

    @Test("fault N31: a server whose certificate nobody vouches for is not talked to", .enabled(if: hasOpenSSL, "needs openssl"))
    func selfSigned() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key.pem").path(), folder.appending(path: "certificate.pem").path())
        let made = try await run(
            Self.openSSL,
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "1", "-subj",
                "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ]
        )
        try #require(made.status == 0, "\(made.output)")
        let server = try TLSServer(openSSL: Self.openSSL, key: key, certificate: certificate)
        defer { server.stop() }
        let request = HTTPRequest(.get, try webAddress("https://127.0.0.1:\(server.port)/"), headers: ["Authorization": "Bearer secret"])
        var error: NetworkError?
        // Until it has started to listen.
        repeat { error = await HTTPClient().failure(request) } while error?.code == .unreachable
        #expect(error?.code == .untrusted)
        #expect(error?.isTransient == false)
        #expect(error?.reason == "127.0.0.1:\(server.port) could not prove who it is, or spoke no TLS")
        // And plain text is nothing it understands.
        let plain = await HTTPClient().failure(
            HTTPRequest(.get, try webAddress("http://127.0.0.1:\(server.port)/")),
            deadline: .after(patience)
        )
        #expect(plain.map { [.invalidResponse, .unreachable, .timedOut].contains($0.code) } == true, "\(plain?.description ?? "")")
    }

    private static let openSSL = "/usr/bin/openssl"
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: openSSL)
    private static let canLeaveTheNetwork = ProcessInfo.processInfo.environment[offlineVariable] == nil && canUnshare()

    private static func canUnshare() -> Bool {
        #if os(Linux)
            FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") && geteuid() == 0
        #else
            false
        #endif
    }

    private func run(_ tool: String, _ arguments: [String], environment: [String: String] = [:]) async throws -> (
        status: Int32, output: String
    ) {
        #if os(macOS) || os(Linux)
            let output = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)")
            try Data().write(to: output)
            defer { try? FileManager.default.removeItem(at: output) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: tool)
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
            process.standardInput = FileHandle.nullDevice
            let file = try FileHandle(forWritingTo: output)
            process.standardOutput = file
            process.standardError = file
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in continuation.resume() }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
        #else
            return (-1, "")
        #endif
    }
}

#if os(macOS) || os(Linux)
    /// `openssl s_server`, on a free port.
    private struct TLSServer {
        let port: Int
        private let process = Process()
        private let ended = DispatchSemaphore(value: 0)

        init(openSSL: String, key: String, certificate: String) throws {
            // A port that was free a moment ago: openssl takes none that is open already.
            let (socket, free) = try LoopbackSocket.bound()
            close(socket)
            port = free
            process.executableURL = URL(fileURLWithPath: openSSL)
            process.arguments = ["s_server", "-accept", "127.0.0.1:\(free)", "-key", key, "-cert", certificate, "-www", "-quiet"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.terminationHandler = { [ended] _ in ended.signal() }
            try process.run()
        }

        /// By SIGKILL: it has this process's signal mask, in which SIGTERM may be blocked.
        func stop() {
            kill(process.processIdentifier, SIGKILL)
            ended.waitPatiently()
        }
    }
#endif
