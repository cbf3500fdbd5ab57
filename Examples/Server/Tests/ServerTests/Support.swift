import Foundation
import Sequencer
import Testing

@testable import server

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer of the server.
struct Answer: Sendable {
    let status: Int
    let body: String
    let retryAfter: String?
}

/// A client of the server on this port.
struct Client: Sendable {
    let port: Int

    /// `line` is what the server says once it listens.
    init(_ line: String) throws {
        let number = try #require(line.wholeMatch(of: /listening on http:\/\/127\.0\.0\.1:([0-9]+)/)?.1, "\(line)")
        port = try #require(Int(number))
    }

    func get(_ path: String) async throws -> Answer {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        return try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                guard let response = response as? HTTPURLResponse, error == nil else {
                    return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
                let body = String(decoding: data ?? Data(), as: UTF8.self)
                let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
                continuation.resume(returning: Answer(status: response.statusCode, body: body, retryAfter: retryAfter))
            }.resume()
        }
    }
}

/// The server in this process, with steps of the test's own.
struct LocalServer {
    let server: Server
    let client: Client
    let lines: Lines
    private let running: Task<Void, any Error>

    /// Starts the server on a port that is free and waits until it listens. `change` replaces steps.
    init(
        _ options: ServerOptions = ServerOptions(),
        settings: StartupSettings = StartupSettings(),
        launch: LaunchOptions = LaunchOptions(),
        change: (inout StartupSteps) -> Void = { _ in }
    ) async throws {
        var options = options
        options.port = 0
        var steps = StartupSteps(options)
        change(&steps)
        let (stream, line) = AsyncStream.makeStream(of: String.self)
        let server = Server(options, settings: settings, steps: steps, launch: launch) { line.yield($0) }
        self.server = server
        running = Task {
            defer { line.finish() }
            try await server.run()
        }
        lines = Lines(stream)
        client = try Client(try #require(await lines.next()))
    }

    /// Waits until the server has ended, and throws what it threw.
    func end() async throws { try await running.value }
}

/// Lines as they come.
actor Lines {
    private var iterator: AsyncStream<String>.AsyncIterator

    init(_ stream: AsyncStream<String>) { iterator = stream.makeAsyncIterator() }

    func next() async -> String? {
        var iterator = iterator
        defer { self.iterator = iterator }
        return await iterator.next(isolation: self)
    }
}

/// Holds an operation until a test lets it go on.
struct Gate: Sendable {
    private let reached = AsyncStream.makeStream(of: Void.self)
    private let opened = AsyncStream.makeStream(of: Void.self)

    /// In the operation. Throws when it is told to cancel.
    func hold() async throws {
        reached.continuation.yield()
        _ = await opened.stream.first { true }
        try Task.checkCancellation()
    }

    /// In the test: until the operation is held.
    func isReached() async { _ = await reached.stream.first { true } }

    func open() { opened.continuation.yield() }
}

/// A folder that is removed with this object.
final class Folder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String, _ text: String? = nil) throws -> String {
        if let text { try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8) }
        return "\(path)/\(name)"
    }
}
