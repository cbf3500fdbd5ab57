import Foundation

/// Serves the clients of a loopback speaker, on the thread that runs it.
final class LoopbackSpeakerLoop {
    private struct Client {
        var input: [UInt8] = []
        var output: [UInt8] = []
        /// Answers for later, in order.
        var delayed: [(due: Deadline, bytes: [UInt8])] = []
    }

    private static let maximumClients = 64

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
            polled.append(pollfd(fd: listener, events: Int16(clients.count < Self.maximumClients ? POLLIN : 0), revents: 0))
            for (socket, client) in clients {
                polled.append(pollfd(fd: socket, events: Int16(client.output.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), timeout()) >= 0 || errno == EINTR else { break }
            for entry in polled.dropFirst(2) where entry.revents != 0 { serve(entry.fd) }
            if polled[1].revents != 0 { accept() }
        }
        close(listener)
        for socket in Array(clients.keys) { disconnect(socket) }
        shared.didStop()
    }

    /// Until the next answer is due.
    private func timeout() -> Int32 {
        clients.values.compactMap { $0.delayed.first?.due.pollTimeout }.filter { $0 >= 0 }.min() ?? -1
    }

    private func moveWhatIsDue() {
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
        if let input = clients[socket]?.input, input.count > SpeakerSocket.maximumLine { disconnect(socket) }
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
