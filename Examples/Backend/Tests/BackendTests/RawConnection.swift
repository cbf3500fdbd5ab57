import Foundation

/// A TCP connection to this machine, byte by byte: what `URLSession` hides can be seen here.
final class RawConnection: @unchecked Sendable {
    // @unchecked: one immutable file descriptor; each test uses it from one thread at a time.
    struct SystemError: Error, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: strerror(code)) }
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // A server that says nothing is a failure in the end, not a hang.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        if result != 0 { throw SystemError(code: errno) }
    }

    deinit { close(descriptor) }

    /// Connects and asks for a path.
    convenience init(port: UInt16, get path: String) throws {
        try self.init(port: port)
        try send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        if write(descriptor, bytes, bytes.count) != bytes.count { throw SystemError(code: errno) }
    }

    /// The next bytes, at most `count`; none at the end of the connection.
    func receive(upTo count: Int = 65_536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &buffer, count, 0)
        if received < 0 { throw SystemError(code: errno) }
        return Array(buffer[..<received])
    }

    /// Everything up to the end of the connection, and the error it ended with.
    func receiveAll() -> (text: String, error: Int32?) {
        var bytes: [UInt8] = []
        do {
            while true {
                let more = try receive()
                if more.isEmpty { return (String(decoding: bytes, as: UTF8.self), nil) }
                bytes += more
            }
        } catch {
            return (String(decoding: bytes, as: UTF8.self), (error as? SystemError)?.code)
        }
    }

    /// What has come up to and including `mark`.
    func receive(through mark: String) throws -> String {
        var text = ""
        while !text.hasSuffix(mark) {
            let byte = try receive(upTo: 1)
            if byte.isEmpty { return text }
            text += String(decoding: byte, as: UTF8.self)
        }
        return text
    }

    /// Whether there is nothing to read now and the connection is open.
    var isSilent: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN
    }
}
