import Foundation

/// The few calls of the sockets interface that a loopback server needs.
enum LoopbackSocket {
    struct Failure: Error {
        let call: String
        let number: Int32
    }

    #if canImport(Darwin)
        static let streamType = SOCK_STREAM
        static let sendFlags: Int32 = 0
    #else
        static let streamType = Int32(SOCK_STREAM.rawValue)
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// A socket that listens on a free port of 127.0.0.1.
    static func listen() throws -> (socket: Int32, port: Int) {
        let listener = try bound()
        guard Foundation.listen(listener.socket, 1024) == 0 else {
            close(listener.socket)
            throw Failure(call: "listen", number: errno)
        }
        return listener
    }

    /// A port of 127.0.0.1 on which nothing listens, and on which nothing else can while the socket is open.
    static func bound() throws -> (socket: Int32, port: Int) {
        let listener = socket(AF_INET, streamType, 0)
        guard listener >= 0 else { throw Failure(call: "socket", number: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else {
            close(listener)
            throw Failure(call: "bind", number: errno)
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The next connection; nil once the listener was shut down.
    static func accept(_ listener: Int32) -> Int32? {
        while true {
            let socket = Foundation.accept(listener, nil, nil)
            if socket >= 0 {
                setUp(socket)
                return socket
            }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }

    /// Sends all of it; false when the other side has gone.
    static func send(_ data: Data, to socket: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = Foundation.send(socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset, sendFlags)
                if count > 0 { offset += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// What has arrived; nil when the other side has gone.
    static func receive(from socket: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { return Data(buffer.prefix(count)) }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Waits until the other side has gone (true), or for so many milliseconds (false); -1 is for ever.
    static func waitForEnd(of socket: Int32, milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
        return receive(from: socket) == nil
    }

    /// Makes closing cut the connection with RST.
    static func resetOnClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func setUp(_ socket: Int32) {
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
