import Foundation

/// A server on 127.0.0.1 that has one answer: the version policy, after a while. Everything else is 404.
final class SlowPolicyServer: Sendable {
    struct Failure: Error {}

    let port: Int
    private let listener: Int32

    /// - Parameters:
    ///   - policy: as JSON.
    ///   - delay: in seconds.
    init(_ policy: String, after delay: TimeInterval) throws {
        #if canImport(Darwin)
            let type = SOCK_STREAM
        #else
            let type = Int32(SOCK_STREAM.rawValue)
        #endif
        listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Failure() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [listener] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { Self.answer(on: connection, policy, after: delay) }
            }
            close(listener)
        }
    }

    /// Refuses further connections.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func answer(on connection: Int32, _ policy: String, after delay: TimeInterval) {
        defer { close(connection) }
        var request = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while request.suffix(4) != [13, 10, 13, 10] {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return }
            request += buffer.prefix(count)
            // What has a body is not answered.
            if !request.starts(with: Array("GET ".utf8)) { break }
        }
        guard String(decoding: request, as: UTF8.self).contains("/v1/version-policy") else {
            return send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: connection)
        }
        Thread.sleep(forTimeInterval: delay)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(policy.utf8.count)\r\nConnection: close\r\n\r\n"
        send(head + policy, to: connection)
    }

    private static func send(_ text: String, to connection: Int32) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        _ = Array(text.utf8).withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, flags) }
    }
}
