import Foundation
import Sequencer
import StartupOps

/// A real speaker, as far as its protocol goes, on this machine: for tests, samples and demonstrations.
///
/// It listens on 127.0.0.1, serves any number of clients on a private queue, and can be told to misbehave. It stops
/// when it is released.
///
/// ```swift
/// let speaker = try LoopbackSpeaker(name: "Kitchen")
/// let connection = try await TCPSpeakerConnector().connect(to: speaker.speaker, by: .after(.seconds(1)))
/// ```
public final class LoopbackSpeaker: @unchecked Sendable {
    // @unchecked: `sources` and `input` are touched on the queue alone, and at the end of the speaker's life.

    /// How a speaker can misbehave.
    enum Fault: Sendable, Hashable {
        /// It says this in place of each answer.
        case says(String)
        /// It closes the connection instead of answering.
        case closes
    }

    /// An event at the speaker.
    package enum Event: Sendable, Hashable {
        /// A client has connected.
        case connected
        /// A client sent this line.
        case received(String)
        /// A client is gone.
        case disconnected
    }

    /// The speaker to connect to.
    public let speaker: Speaker
    private let name: String
    private let fault: Locked<Fault?>
    private let onEvent: @Sendable (Event) -> Void
    // Serial and private: it continues while all threads of the shared pool are blocked.
    private let queue = DispatchQueue(label: "LoopbackSpeaker")
    private let isOnQueue = DispatchSpecificKey<Bool>()
    /// The sockets that are not closed.
    private let open = DispatchGroup()
    /// By the socket that each watches: the one that listens, and those of the clients.
    private var sources: [Int32: any DispatchSourceRead] = [:]
    /// The unfinished line of each client.
    private var input: [Int32: [UInt8]] = [:]
    /// In bytes, as on the other side.
    private static let maximumLine = 256

    /// Starts a speaker that behaves.
    ///
    /// - Parameter port: where to listen; with 0 the system chooses.
    /// - Throws: `DeviceError` when it cannot listen there.
    public convenience init(id: String = "loopback", name: String = "Loopback", port: UInt16 = 0) throws(DeviceError) {
        try self.init(id: id, name: name, port: port, fault: nil)
    }

    /// - Parameter onEvent: told what happens, on the speaker's queue, which it holds up.
    init(
        id: String = "loopback",
        name: String = "Loopback",
        port: UInt16 = 0,
        fault: Fault?,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(DeviceError) {
        let (listener, boundPort) = try Self.listen(on: port, "loopback speaker 127.0.0.1:\(port)")
        self.name = plainText(name, limit: 64)
        speaker = Speaker(id: id, name: self.name, host: "127.0.0.1", port: boundPort)
        self.fault = Locked(fault)
        self.onEvent = onEvent
        queue.setSpecific(key: isOnQueue, value: true)
        queue.sync { watch(listener) { [weak self] in self?.accept(listener) } }
    }

    deinit { stop() }

    /// Changes how it misbehaves from the next line it receives on; nil makes it behave.
    func setFault(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

    /// Closes every connection and stops listening. When it returns, connections are refused, unless it was called from
    /// `onEvent`.
    public func stop() {
        // From `onEvent` it would wait for itself.
        if DispatchQueue.getSpecific(key: isOnQueue) == true { return disconnectAll() }
        queue.sync { disconnectAll() }
        open.wait()
    }

    private static func listen(on port: UInt16, _ device: String) throws(DeviceError) -> (listener: Int32, port: Int) {
        guard let listener = SocketPlatform.socket(AF_INET) else { throw DeviceError(system: errno, device, "opening a socket") }
        var on: Int32 = 1
        // A port that was just in use can be bound again at once.
        _ = setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && Foundation.listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            // Before closing, which sets errno as well.
            let number = errno
            close(listener)
            throw DeviceError(system: number, device, "listening")
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func disconnectAll() { for socket in Array(sources.keys) { disconnect(socket) } }

    private func watch(_ socket: Int32, _ isReady: @escaping () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler(handler: isReady)
        open.enter()
        // Not before: its number may be used again as soon as it is closed.
        source.setCancelHandler { [open] in
            close(socket)
            open.leave()
        }
        sources[socket] = source
        source.activate()
    }

    private func disconnect(_ socket: Int32) {
        sources.removeValue(forKey: socket)?.cancel()
        if input.removeValue(forKey: socket) != nil { onEvent(.disconnected) }
    }

    private func accept(_ listener: Int32) {
        let socket = Foundation.accept(listener, nil, nil)
        guard socket >= 0 else { return }
        // On Linux an accepted socket does not inherit O_NONBLOCK of the one that listens.
        SocketPlatform.configure(socket)
        input[socket] = []
        watch(socket) { [weak self] in self?.receive(socket) }
        onEvent(.connected)
    }

    private func receive(_ socket: Int32) {
        var chunk = [UInt8](repeating: 0, count: 512)
        let count = recv(socket, &chunk, chunk.count, 0)
        if count <= 0 {
            if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { disconnect(socket) }
            return
        }
        input[socket]? += chunk.prefix(count)
        while let received = input[socket], let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            input[socket]?.removeSubrange(...end)
            let line = String(decoding: received[..<end], as: UTF8.self)
            onEvent(.received(line))
            answer(line, of: socket)
        }
        // A line without an end must not fill the memory.
        if let rest = input[socket], rest.count > Self.maximumLine { disconnect(socket) }
    }

    private func answer(_ line: String, of socket: Int32) {
        let verb = line.prefix { $0 != " " && $0 != "\r" }
        if verb == "BYE" { return disconnect(socket) }
        let answer =
            switch verb {
            case "HELLO": "READY \(name)\n"
            case "PING": "PONG\n"
            default: "ERROR unknown command\n"
            }
        switch fault.withLock({ $0 }) {
        case nil: send(answer, to: socket)
        case .says(let text): send(text, to: socket)
        case .closes: disconnect(socket)
        }
    }

    private func send(_ text: String, to socket: Int32) {
        // A client that has gone, or takes nothing, has no need of it.
        _ = Array(text.utf8).withUnsafeBytes { SocketPlatform.send(socket, $0) }
    }
}
