import Foundation
import Sequencer
import StartupOps

/// An end of a connection to a speaker, which reads and writes lines.
///
/// It blocks a private serial queue and no thread of any pool: those must not wait for a device. Every wait ends at its
/// deadline, or a moment after the socket was told to end.
final class SpeakerSocket: @unchecked Sendable {
    // @unchecked: `socket` and `buffer` are only touched on `queue`, and in `deinit`; the rest does not change, or has
    // a lock.

    /// The longest line that is read, in bytes.
    static let maximumLine = 256
    /// How long it waits before it looks whether it was told to end.
    private static let slice = Duration.milliseconds(10)

    let device: String
    private let queue: DispatchQueue
    private let ending = Locked<DeviceError.Code?>(nil)
    private var socket: Int32?
    private var buffer: [UInt8] = []

    init(_ device: String) {
        self.device = device
        queue = DispatchQueue(label: "sequencer.\(device)")
    }

    deinit {
        if let socket { Foundation.close(socket) }
    }

    /// Runs `body` on the socket's queue. When the calling task is cancelled, the socket ends.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (SpeakerSocket) throws(DeviceError) -> Result) async throws(DeviceError)
        -> Result
    {
        try await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Swift.Result<Result, DeviceError>, Never>) in
                // The queue, and not the task: a wait for a device blocks its thread.
                queue.async {
                    do throws(DeviceError) {
                        continuation.resume(returning: .success(try body(self)))
                    } catch {
                        // After a failure the next line may answer an earlier question: the connection cannot be used
                        // again.
                        self.hangUp()
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            end(.cancelled)
        }.get()
    }

    /// Ends every wait, now and later; the first reason counts.
    func end(_ code: DeviceError.Code) {
        // Later reasons follow from the first.
        ending.withLock { if $0 == nil { $0 = code } }
    }

    /// Ends every wait, then sends a last line, as far as that goes without waiting, and closes.
    func end(with line: String) {
        end(.closed)
        queue.async { [self] in
            // Once and without waiting: a speaker that takes nothing is not waited for.
            if let socket { _ = Array("\(line)\n".utf8).withUnsafeBytes { SocketPlatform.send(socket, $0) } }
            hangUp()
        }
    }

    private func hangUp() {
        if let socket { Foundation.close(socket) }
        socket = nil
    }

    // MARK: - On the queue only

    /// Connects to a host: an address, or `localhost`. Names are not looked up, which could take half a minute.
    func connect(host: String, port: Int, by deadline: Deadline) throws(DeviceError) {
        // A zero would end the text for the system: another host.
        guard hostViolation(host, port) == nil else {
            throw DeviceError(.invalidAddress, device, "there can be no such host and port; a port is a number from 1 to 65535")
        }
        var hints = addrinfo()
        hints.ai_socktype = SocketPlatform.stream
        hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        let host = host.lowercased() == "localhost" ? "127.0.0.1" : host
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list?.pointee else {
            throw DeviceError(.unknownHost, device, "the host is not known: it has to be an address, or localhost")
        }
        defer { freeaddrinfo(list) }
        guard let socket = SocketPlatform.socket(address.ai_family) else { throw DeviceError(system: errno, device, "opening a socket") }
        hangUp()
        self.socket = socket
        let isMade = Foundation.connect(socket, address.ai_addr, address.ai_addrlen) == 0
        let number = errno
        // EINTR: the connection continues being made, and must not be asked for again (POSIX, connect).
        guard isMade || number == EINPROGRESS || number == EINTR else { throw DeviceError(system: number, device, "connecting") }
        guard try isReady(socket, POLLOUT, by: deadline) else {
            throw DeviceError(.timedOut, device, "it could not be connected to in time")
        }
        // `poll` says only that it is decided.
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0 { error = errno }
        if error != 0 { throw DeviceError(system: error, device, "connecting") }
    }

    /// Sends a line and reads the one that answers it.
    func ask(_ line: String, by deadline: Deadline) throws(DeviceError) -> String {
        guard let socket else { throw DeviceError(ending.withLock { $0 } ?? .closed, device, "the connection is closed") }
        let verb = line.prefix { $0 != " " }
        // Any socket has room for these few bytes, since the line before was answered.
        let count = Array("\(line)\n".utf8).withUnsafeBytes { SocketPlatform.send(socket, $0) }
        if count < 0 { throw DeviceError(system: errno, device, "sending \(verb)") }
        return try readLine(from: socket, answering: verb, by: deadline)
    }

    private func readLine(from socket: Int32, answering verb: Substring, by deadline: Deadline) throws(DeviceError) -> String {
        while true {
            // A line that is too long is refused even with its end.
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")), end <= Self.maximumLine {
                let line = String(validUTF8: buffer[..<end])
                buffer.removeSubrange(...end)
                guard let line else { throw DeviceError(.unexpectedAnswer, device, "its answer to \(verb) is not UTF-8") }
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            guard buffer.count <= Self.maximumLine else {
                throw DeviceError(.unexpectedAnswer, device, "its answer to \(verb) is longer than \(Self.maximumLine) bytes")
            }
            guard try isReady(socket, POLLIN, by: deadline) else {
                throw DeviceError(.timedOut, device, "there was no answer to \(verb) in time")
            }
            // The limit plus one is enough to know that a line is too long.
            var chunk = [UInt8](repeating: 0, count: Self.maximumLine + 1)
            let count = recv(socket, &chunk, chunk.count, 0)
            if count > 0 {
                buffer += chunk.prefix(count)
            } else if count == 0 {
                throw DeviceError(.unreachable, device, "it closed the connection instead of answering \(verb)")
            } else if errno != EAGAIN, errno != EWOULDBLOCK, errno != EINTR {
                throw DeviceError(system: errno, device, "reading the answer to \(verb)")
            }
        }
    }

    /// Waits until something can be done with a descriptor; false when the deadline is over.
    private func isReady(_ descriptor: Int32, _ events: Int32, by deadline: Deadline) throws(DeviceError) -> Bool {
        while true {
            // Before each wait.
            if let code = ending.withLock({ $0 }) {
                throw DeviceError(code, device, code == .cancelled ? "the connection was cancelled" : "the connection was closed")
            }
            if deadline.isOver { return false }
            var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            // Rounded up, so that it never polls without a pause.
            let slice = min(deadline.remaining ?? Self.slice, Self.slice) / .milliseconds(1)
            let count = poll(&polled, 1, Int32(slice.rounded(.up)))
            if count < 0, errno != EINTR { throw DeviceError(system: errno, device, "waiting") }
            if count > 0 { return true }
        }
    }
}

extension DeviceError {
    /// The error for a system's error number.
    init(system number: Int32, _ device: String, _ action: String) {
        let words = (action == "connecting" ? "" : "\(action): ") + String(cString: strerror(number)).lowercased()
        self.init(number == ETIMEDOUT ? .timedOut : .unreachable, device, words)
    }
}
