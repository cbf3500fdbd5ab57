import Foundation
import Sequencer
import StartupOps
import StartupStorage

/// A real speaker, as far as its protocol goes, on this machine: for tests, samples and demonstrations.
///
/// It listens on 127.0.0.1, serves any number of clients on one thread of its own, and can be told to misbehave. It stops when it is released.
///
/// ```swift
/// let speaker = try LoopbackSpeaker(name: "Kitchen")
/// let connection = try await TCPSpeakerConnector().connect(to: speaker.speaker, by: .after(.seconds(1)))
/// ```
public final class LoopbackSpeaker: Sendable {
    /// How a speaker can misbehave.
    package enum Fault: Sendable, Hashable {
        /// It takes connections and never answers.
        case silent
        /// It answers after so long.
        case slow(Duration)
        /// It greets as another kind of server.
        case wrongGreeting
        /// It answers with a line that never ends.
        case endless
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
    private let shared: LoopbackSpeakerState

    /// Starts a speaker that behaves.
    ///
    /// - Parameter port: where to listen; with 0 the system chooses.
    /// - Throws: `DeviceError` when it cannot listen there, or the system starts no thread.
    public convenience init(id: String = "loopback", name: String = "Loopback", port: UInt16 = 0) throws(DeviceError) {
        try self.init(id: id, name: name, port: port, fault: nil)
    }

    /// - Parameters:
    ///   - startThread: runs the speaker; gives the number of the error where the system has no thread.
    ///   - onEvent: told what happens, on the speaker's thread, which it holds up.
    package init(
        id: String = "loopback",
        name: String = "Loopback",
        port: UInt16 = 0,
        fault: Fault?,
        startThread: (@escaping @Sendable () -> Void) -> Int32 = { SystemThread.start($0) },
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(DeviceError) {
        let device = "loopback speaker 127.0.0.1:\(port)"
        guard let wake = WakeSignal() else { throw DeviceError(system: EMFILE, device, "opening a pipe") }
        let (listener, boundPort) = try Self.listen(on: port, device)
        let name = plainText(name, limit: 64)
        speaker = Speaker(id: id, name: name, host: "127.0.0.1", port: boundPort)
        let shared = LoopbackSpeakerState(fault: fault, wake: wake, onEvent: onEvent)
        // Not Foundation's Thread: its code never runs where the system starts none, and `stop()` would wait for it.
        let code = startThread {
            shared.thread.withLock { $0 = currentThreadIdentity() }
            LoopbackSpeakerLoop(listener, name, shared).run()
        }
        guard code == 0 else {
            close(listener)
            throw DeviceError(system: code, device, "starting a thread")
        }
        // Assigned last: once every property has a value, an error that is thrown runs `deinit`, and `stop()` would wait for a thread that never
        // started.
        self.shared = shared
    }

    deinit { stop() }

    /// Changes how it misbehaves from the next line it receives on; nil makes it behave.
    package func setFault(_ fault: Fault?) { shared.fault.withLock { $0 = fault } }

    /// Closes every connection and stops listening. When it returns, connections are refused, unless it was called from `onEvent`.
    public func stop() {
        shared.stop()
        // From `onEvent` it would wait for itself.
        if shared.thread.withLock({ $0 }) != currentThreadIdentity() { shared.waitUntilStopped() }
    }

    private static func listen(on port: UInt16, _ device: String) throws(DeviceError) -> (listener: Int32, port: Int) {
        guard let address = SocketPlatform.addresses(of: "127.0.0.1", port: Int(port), isNumeric: true).first,
            let listener = SocketPlatform.socket(address.family)
        else { throw DeviceError(system: errno, device, "opening a socket") }
        var on: Int32 = 1
        // A port that was just in use can be bound again at once.
        _ = setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var bound = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening =
            address.withPointer { bind(listener, $0, $1) } == 0 && Foundation.listen(listener, 64) == 0
            && withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
            } == 0
        guard isListening else {
            // Before closing, which sets errno as well.
            let number = errno
            close(listener)
            throw DeviceError(system: number, device, "listening")
        }
        return (listener, Int(UInt16(bigEndian: bound.sin_port)))
    }
}

/// The state that a loopback speaker and its thread share.
final class LoopbackSpeakerState: Sendable {
    let fault: Locked<LoopbackSpeaker.Fault?>
    /// The thread that serves, once it runs, by its identity.
    let thread = Locked<UInt?>(nil)
    let wake: WakeSignal
    let onEvent: @Sendable (LoopbackSpeaker.Event) -> Void
    private let isStopping = Locked(false)
    private let stopped = NSCondition()
    private let hasStopped = Locked(false)

    init(fault: LoopbackSpeaker.Fault?, wake: WakeSignal, onEvent: @escaping @Sendable (LoopbackSpeaker.Event) -> Void) {
        self.fault = Locked(fault)
        self.wake = wake
        self.onEvent = onEvent
    }

    var mustStop: Bool { isStopping.withLock { $0 } }

    func stop() {
        isStopping.withLock { $0 = true }
        wake.signal()
    }

    func didStop() {
        stopped.lock()
        hasStopped.withLock { $0 = true }
        // Under the condition's lock, so that nobody begins to wait in between.
        stopped.broadcast()
        stopped.unlock()
    }

    func waitUntilStopped() {
        stopped.lock()
        // In a loop: a wait may end without a cause (POSIX, pthread_cond_wait).
        while !hasStopped.withLock({ $0 }) { stopped.wait() }
        stopped.unlock()
    }
}

/// Serves the clients of a loopback speaker, on the thread that runs it.
final class LoopbackSpeakerLoop {
    private struct Client {
        var input: [UInt8] = []
        var output: [UInt8] = []
        /// Answers for later, in order.
        var delayed: [(due: Deadline, bytes: [UInt8])] = []
    }

    private static let maximumClients = 64
    /// In bytes, as on the other side.
    private static let maximumLine = 256

    private let listener: Int32
    private let name: String
    private let shared: LoopbackSpeakerState
    private var clients: [Int32: Client] = [:]

    init(_ listener: Int32, _ name: String, _ shared: LoopbackSpeakerState) {
        self.listener = listener
        self.name = name
        self.shared = shared
    }

    func run() {
        while !shared.mustStop {
            moveWhatIsDue()
            var polled = [pollfd(fd: shared.wake.descriptor, events: Int16(POLLIN), revents: 0)]
            // With all clients served, new ones wait in the system's queue.
            polled.append(pollfd(fd: listener, events: Int16(clients.count < Self.maximumClients ? POLLIN : 0), revents: 0))
            for (socket, client) in clients {
                polled.append(pollfd(fd: socket, events: Int16(client.output.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), timeout()) >= 0 || errno == EINTR else { break }
            // Clients before new connections: those may get a number that has just been closed.
            for entry in polled.dropFirst(2) where entry.revents != 0 { serve(entry.fd) }
            if polled[1].revents != 0 { accept() }
        }
        close(listener)
        // Over a copy: `disconnect(_:)` changes the dictionary.
        for socket in Array(clients.keys) { disconnect(socket) }
        // Last: `stop()` promises that nothing is open when it returns.
        shared.didStop()
    }

    /// Until the next answer is due.
    private func timeout() -> Int32 {
        clients.values.compactMap { $0.delayed.first?.due.pollTimeout }.filter { $0 >= 0 }.min() ?? -1
    }

    private func moveWhatIsDue() {
        // In their order: an answer that is due must not overtake an earlier one.
        for socket in clients.keys {
            while let first = clients[socket]?.delayed.first, first.due.isOver {
                clients[socket]?.output += first.bytes
                clients[socket]?.delayed.removeFirst()
            }
        }
    }

    private func accept() {
        let socket = Foundation.accept(listener, nil, nil)
        guard socket >= 0 else { return }
        // On Linux an accepted socket does not inherit O_NONBLOCK of the one that listens.
        SocketPlatform.configure(socket)
        clients[socket] = Client()
        shared.onEvent(.connected)
    }

    private func disconnect(_ socket: Int32) {
        guard clients.removeValue(forKey: socket) != nil else { return }
        close(socket)
        shared.onEvent(.disconnected)
    }

    private func serve(_ socket: Int32) {
        var chunk = [UInt8](repeating: 0, count: 512)
        let count = recv(socket, &chunk, chunk.count, 0)
        if count > 0 {
            clients[socket]?.input += chunk.prefix(count)
            answerLines(of: socket)
        } else if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            return disconnect(socket)
        }
        // The client may have been disconnected by its own line.
        guard let client = clients[socket] else { return }
        if !client.output.isEmpty {
            let sent = client.output.withUnsafeBytes { SocketPlatform.send(socket, $0) }
            if sent > 0 { clients[socket]?.output.removeFirst(sent) }
            if sent < 0, errno != EAGAIN, errno != EWOULDBLOCK, errno != EINTR { return disconnect(socket) }
        }
    }

    private func answerLines(of socket: Int32) {
        while let input = clients[socket]?.input, let end = input.firstIndex(of: UInt8(ascii: "\n")) {
            clients[socket]?.input.removeSubrange(...end)
            let line = String(decoding: input[..<end], as: UTF8.self)
            shared.onEvent(.received(line))
            answer(line, of: socket)
        }
        // A line without an end must not fill the memory.
        if let input = clients[socket]?.input, input.count > Self.maximumLine { disconnect(socket) }
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
        switch shared.fault.withLock({ $0 }) {
        case nil: clients[socket]?.output += Array(answer.utf8)
        case .silent: break
        case .slow(let duration): clients[socket]?.delayed.append((.after(duration), Array(answer.utf8)))
        case .wrongGreeting: clients[socket]?.output += Array("220 mail.example ESMTP\r\n".utf8)
        case .endless: clients[socket]?.output += [UInt8](repeating: UInt8(ascii: "A"), count: 65_536)
        case .closes: disconnect(socket)
        }
    }
}
