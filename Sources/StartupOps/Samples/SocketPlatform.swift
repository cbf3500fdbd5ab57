import Foundation

/// Where sockets differ between platforms.
enum SocketPlatform {
    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
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
}
