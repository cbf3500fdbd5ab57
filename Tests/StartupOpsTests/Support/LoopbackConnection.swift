import Foundation
import Sequencer

/// One connection to a `LoopbackServer`: reads requests (RFC 9112) and performs answers, on its own thread.
struct LoopbackConnection {
    enum Message {
        case request(LoopbackServer.Request)
        case garbage(Data)
    }

    let socket: Int32
    let number: Int
    private var buffer = Data()

    init(socket: Int32, number: Int) {
        self.socket = socket
        self.number = number
    }

    /// The next message; nil when the other side has gone.
    mutating func next() -> Message? {
        while true {
            if let first = buffer.first, !(0x41...0x5A).contains(first) { return .garbage(buffer.prefix(64)) }
            if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
                let head = Data(buffer[..<end.lowerBound])
                buffer = Data(buffer[end.upperBound...])
                guard var request = parse(head) else { return .garbage(head.prefix(64)) }
                guard let body = readBody(request.headers) else { return nil }
                request.body = body
                return .request(request)
            }
            guard let data = LoopbackSocket.receive(from: socket) else { return nil }
            buffer += data
        }
    }

    /// Does what the answer says; false when the connection is over.
    func perform(_ answer: LoopbackServer.Answer, count: (Int) -> Void) -> Bool {
        func send(_ data: Data) -> Bool {
            guard LoopbackSocket.send(data, to: socket) else { return false }
            count(data.count)
            return true
        }
        for step in answer.steps {
            switch step {
            case .send(let data):
                if !send(data) { return false }
            case .sendRepeatedly(let data, let times):
                for _ in 0..<times where !send(data) { return false }
            case .drip(let data, let pause):
                let milliseconds = Int32(clamping: Int(pause.milliseconds))
                repeat { if !send(data) { return false } } while !LoopbackSocket.waitForEnd(of: socket, milliseconds: milliseconds)
                return false
            case .wait(let gate):
                while !gate.isOpen { if LoopbackSocket.waitForEnd(of: socket, milliseconds: 5) { return false } }
            case .hang:
                while !LoopbackSocket.waitForEnd(of: socket, milliseconds: -1) {}
                return false
            case .reset:
                LoopbackSocket.resetOnClose(socket)
                return false
            case .close:
                return false
            }
        }
        return true
    }

    private func parse(_ head: Data) -> LoopbackServer.Request? {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased(), default: ""] += headers[line[..<colon].lowercased()] == nil ? value : ", \(value)"
        }
        return LoopbackServer.Request(
            connection: number,
            method: String(words[0]),
            target: String(words[1]),
            headers: headers,
            body: Data()
        )
    }

    private mutating func readBody(_ headers: [String: String]) -> Data? {
        guard let length = headers["content-length"].flatMap(Int.init), length > 0 else { return Data() }
        if headers["expect"]?.lowercased() == "100-continue" {
            guard LoopbackSocket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: socket) else { return nil }
        }
        while buffer.count < length {
            guard let data = LoopbackSocket.receive(from: socket) else { return nil }
            buffer += data
        }
        defer { buffer = Data(buffer.dropFirst(length)) }
        return Data(buffer.prefix(length))
    }
}
