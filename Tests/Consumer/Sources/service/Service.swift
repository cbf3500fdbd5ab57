import Foundation
import StartupSamples

/// The sample service on a free port of this machine; its first line says where. It runs until it is ended.
///
/// Of the faults that need a socket it performs those that `networking` orders: no answer, and one that is cut short.
@main
enum Service {
    static func main() {
        // Whoever hangs up while it is answered is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        guard let (listener, port) = Socket.listen() else {
            try? FileHandle.standardError.write(contentsOf: Data("service: no port can be had: error \(errno)\n".utf8))
            exit(1)
        }
        // At once, also to a pipe: a script waits for it.
        try? FileHandle.standardOutput.write(contentsOf: Data("listening on http://127.0.0.1:\(port)\n".utf8))
        let service = SampleService()
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else { continue }
            let thread = Thread {
                var connection = Connection(socket: socket, port: port)
                while let request = connection.next(), connection.perform(service.answer(request)) {}
                close(socket)
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }
}

/// One client's connection, on a thread of its own.
private struct Connection {
    let socket: Int32
    let port: Int
    private var received = Data()

    init(socket: Int32, port: Int) {
        self.socket = socket
        self.port = port
    }

    /// The next request; nil when there is none, or none that makes sense.
    mutating func next() -> HTTPRequest? {
        var end = received.range(of: Data("\r\n\r\n".utf8))
        while end == nil {
            guard let more = Socket.receive(from: socket), received.count < 1 << 20 else { return nil }
            received += more
            end = received.range(of: Data("\r\n\r\n".utf8))
        }
        guard let end else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        received = Data(received[end.upperBound...])
        let words = lines[0].split(separator: " ")
        guard words.count == 3, let method = HTTPMethod(rawValue: String(words[0])),
            let url = URL(string: "http://127.0.0.1:\(port)\(words[1])")
        else { return nil }
        var request = HTTPRequest(method, url)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            request.headers[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = request.headers["Content-Length"].flatMap { Int($0) } ?? 0
        guard (0...1 << 20).contains(length) else { return nil }
        while received.count < length {
            guard let more = Socket.receive(from: socket) else { return nil }
            received += more
        }
        if length > 0 { request.body = Data(received.prefix(length)) }
        received = Data(received.dropFirst(length))
        return request
    }

    /// Answers; false when the connection is over.
    func perform(_ answer: SampleAnswer) -> Bool {
        switch answer {
        case .response(let response, let delay):
            if delay > .zero { Thread.sleep(forTimeInterval: delay / .seconds(1)) }
            return send(response, announcing: response.body.count)
        case .hang:
            // Until the client has gone.
            while Socket.receive(from: socket) != nil {}
            return false
        case .truncated(let response, let length):
            _ = send(response, announcing: length)
            return false
        case .plaintext(let bytes):
            _ = Socket.send(bytes, to: socket)
            return false
        case .drip, .reset, .zeros:
            return false
        }
    }

    private func send(_ response: HTTPResponse, announcing length: Int) -> Bool {
        var head = "HTTP/1.1 \(response.status) Sample\r\n"
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        if response.status != 204, response.status != 304 { head += "Content-Length: \(length)\r\n" }
        return Socket.send(Data("\(head)\r\n".utf8) + response.body, to: socket)
    }
}

/// The few calls of the sockets interface that this needs.
private enum Socket {
    #if canImport(Darwin)
        private static let streamType = SOCK_STREAM
    #else
        private static let streamType = Int32(SOCK_STREAM.rawValue)
    #endif

    /// A socket that listens on a free port of 127.0.0.1; nil where there is none, and `errno` says why.
    static func listen() -> (socket: Int32, port: Int)? {
        let listener = socket(AF_INET, streamType, 0)
        guard listener >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Foundation.listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        return isBound ? (listener, Int(UInt16(bigEndian: address.sin_port))) : nil
    }

    /// What has arrived; nil when the client has gone.
    static func receive(from socket: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { return Data(buffer.prefix(count)) }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Sends all of it; false when the client has gone.
    static func send(_ data: Data, to socket: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = Foundation.send(socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset, 0)
                if count > 0 { offset += count } else if errno != EINTR { return false }
            }
            return true
        }
    }
}
