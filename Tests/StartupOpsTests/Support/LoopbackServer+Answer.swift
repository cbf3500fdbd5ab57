import Foundation
import Sequencer

extension LoopbackServer {
    /// What a server does with a request: steps, one after the other.
    struct Answer: Sendable {
        enum Step: Sendable {
            case send(Data)
            /// Sends `data` as often as that, or until the other side has gone.
            case sendRepeatedly(Data, Int)
            /// Sends `data` again and again, with a pause in between, until the other side has gone.
            case drip(Data, every: Duration)
            /// Waits until the gate opens, or the other side has gone.
            case wait(LoopbackGate)
            /// Waits until the other side has gone.
            case hang
            /// Ends the connection as a crashed machine does: with RST.
            case reset
            /// Ends the connection.
            case close
        }

        var steps: [Step]

        /// A whole answer; a length is declared unless `headers` do it.
        static func response(_ status: Int = 200, headers: [String: String] = [:], body: Data = Data()) -> Answer {
            var headers = headers
            let hasNoBody = status == 204 || status == 304 || status < 200
            if !hasNoBody, headers["Content-Length"] == nil { headers["Content-Length"] = String(body.count) }
            return Answer(steps: [.send(head(status, headers) + body)])
        }

        static func status(_ status: Int, headers: [String: String] = [:]) -> Answer { response(status, headers: headers) }

        static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Answer {
            response(status, headers: headers.merging(["Content-Type": "application/json"]) { first, _ in first }, body: Data(text.utf8))
        }

        /// Exactly these bytes, then the end of the connection.
        static func raw(_ text: String) -> Answer { Answer(steps: [.send(Data(text.utf8)), .close]) }

        static let hang = Answer(steps: [.hang])
        static let reset = Answer(steps: [.reset])
        /// Closes without a word.
        static let close = Answer(steps: [.close])

        /// The head, then one byte after each pause, for ever.
        static func drip(every pause: Duration) -> Answer {
            Answer(steps: [.send(head(200, ["Content-Length": "1000000"])), .drip(Data("x".utf8), every: pause)])
        }

        /// Declares `declared` bytes, sends the body and closes.
        static func truncated(declared: Int, body: String) -> Answer {
            Answer(steps: [
                .send(head(200, ["Content-Length": String(declared), "Content-Type": "application/json"]) + Data(body.utf8)), .close,
            ])
        }

        /// Declares `declared` bytes, sends the body and cuts the connection with RST.
        static func resetAfter(declared: Int, body: String) -> Answer {
            Answer(steps: [.send(head(200, ["Content-Length": String(declared)]) + Data(body.utf8)), .reset])
        }

        static func redirect(_ status: Int, to location: String) -> Answer {
            response(status, headers: ["Location": location], body: Data("moved".utf8))
        }

        static func basicChallenge(_ realm: String = "private") -> Answer {
            response(401, headers: ["WWW-Authenticate": "Basic realm=\"\(realm)\""], body: Data("no".utf8))
        }

        /// A body of this many bytes, declared or in chunks.
        static func big(_ count: Int, isDeclared: Bool) -> Answer {
            let block = Data(repeating: 0x78, count: 65_536)
            let blocks = count / block.count
            if isDeclared {
                return Answer(steps: [.send(head(200, ["Content-Length": String(blocks * block.count)])), .sendRepeatedly(block, blocks)])
            }
            let chunk = Data("10000\r\n".utf8) + block + Data("\r\n".utf8)
            return Answer(steps: [
                .send(head(200, ["Transfer-Encoding": "chunked"])), .sendRepeatedly(chunk, blocks), .send(Data("0\r\n\r\n".utf8)),
            ])
        }

        /// A body of `count` zeros, packed about a thousand to one.
        static func gzipBomb(_ count: Int) -> Answer {
            response(headers: ["Content-Encoding": "gzip", "Content-Type": "application/json"], body: LoopbackGzip.bomb(count))
        }

        static func gzip(_ text: String) -> Answer {
            response(headers: ["Content-Encoding": "gzip", "Content-Type": "application/json"], body: LoopbackGzip.stored(Data(text.utf8)))
        }

        /// The same, not before the gate opens.
        func after(_ gate: LoopbackGate) -> Answer { Answer(steps: [.wait(gate)] + steps) }

        /// The same, then the end of the connection.
        var closing: Answer { Answer(steps: steps + [.close]) }

        private static func head(_ status: Int, _ headers: [String: String]) -> Data {
            let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
            return Data("HTTP/1.1 \(status) Status\r\n\(fields.joined())\r\n".utf8)
        }
    }
}

/// What an answer of a `LoopbackServer` waits for, until a test opens it.
final class LoopbackGate: Sendable {
    private let state = Locked(false)

    var isOpen: Bool { state.withLock { $0 } }

    func open() { state.withLock { $0 = true } }
}
