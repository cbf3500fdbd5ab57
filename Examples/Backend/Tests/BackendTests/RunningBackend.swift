import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The built server, run as a person runs it, on ports that are free.
final class RunningBackend {
    struct StartFailure: Error {
        let line: String
    }

    let line: String
    let port: UInt16
    let speakerPort: UInt16
    private let process = Process()

    /// Beside the test bundle, where the build puts both.
    static let path: URL = {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let candidates = [bundle.deletingLastPathComponent(), Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        let tools = candidates.map { $0.appendingPathComponent("backend") }
        return tools.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? tools[0]
    }()

    /// Starts the server and waits until it says that it listens.
    init(_ arguments: String...) async throws {
        let output = Pipe()
        process.executableURL = Self.path
        process.arguments = ["--port", "0", "--speaker-port", "0"] + arguments
        process.standardOutput = output
        try process.run()
        let reader = output.fileHandleForReading
        line = try await onThread {
            var line = Data()
            while let byte = try reader.read(upToCount: 1), !byte.isEmpty, byte != Data([0x0a]) { line += byte }
            return String(decoding: line, as: UTF8.self)
        }
        let ports = line.matches(of: /:([0-9]+)/).compactMap { UInt16($0.1) }
        guard ports.count == 2 else {
            process.terminate()
            throw StartFailure(line: line)
        }
        (port, speakerPort) = (ports[0], ports[1])
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Asks the server to end, and waits for its exit status.
    func terminate() async throws -> Int32 {
        let process = process
        process.terminate()
        return try await onThread {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// Runs the server with arguments that make it end by itself; gives its exit status and what it wrote on standard error.
    static func fail(_ arguments: String...) async throws -> (status: Int32, message: String) {
        let process = Process()
        let messages = Pipe()
        process.executableURL = path
        process.arguments = arguments
        process.standardError = messages
        try process.run()
        let reader = messages.fileHandleForReading
        let text = try await onThread { String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self) }
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Sets a fault over the administration's route.
    func setFault(_ fault: String, _ path: String = "/v1/configuration") async throws {
        let body = try JSONSerialization.data(withJSONObject: ["path": path, "fault": fault])
        let (_, status) = try await send("PUT", "/_admin/faults", body: body)
        try #require(status == 204, "\(fault)")
    }

    /// Sends a request with `URLSession`.
    func send(_ method: String, _ path: String, headers: [String: String] = [:], body: Data? = nil) async throws -> (
        body: Data, status: Int
    ) {
        let (data, response) = try await exchange(method, path, headers: headers, body: body)
        return (data, response.statusCode)
    }

    func exchange(_ method: String, _ path: String, headers: [String: String] = [:], body: Data? = nil) async throws -> (
        Data, HTTPURLResponse
    ) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        return try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                if let response = response as? HTTPURLResponse, error == nil {
                    continuation.resume(returning: (data ?? Data(), response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
            }.resume()
        }
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
