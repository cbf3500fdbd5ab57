import Foundation

/// Where sockets differ between platforms.
enum SocketPlatform {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    /// A TCP socket that never blocks, is not inherited by children, and raises no signal when the other end is gone.
    ///
    /// - Returns: nil when the system gives none; `errno` says why.
    static func socket(_ family: Int32) -> Int32? {
        // SOCK_NONBLOCK and SOCK_CLOEXEC are not on every platform: both are set afterwards.
        let descriptor = Foundation.socket(family, stream, 0)
        guard descriptor >= 0 else { return nil }
        configure(descriptor)
        return descriptor
    }

    /// Makes a descriptor one that never blocks and is not inherited, and a socket one that raises no signal.
    static func configure(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            var on: Int32 = 1
            _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Foundation.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #else
            // SIGPIPE would end the process; on Darwin the socket has an option for that.
            Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// What the text of an address stands for; nil for any other text.
    static func address(of host: String, port: Int) -> SocketAddress? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = stream
        hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        guard let info = list?.pointee, let address = info.ai_addr else { return nil }
        return SocketAddress(family: info.ai_family, bytes: Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))))
    }
}

/// An address as the system's calls want it.
struct SocketAddress: Sendable {
    let family: Int32
    let bytes: [UInt8]

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // The system's structures want more alignment than bytes have.
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(min(bytes.count, MemoryLayout<sockaddr_storage>.size)))
            }
        }
    }
}
