import Foundation

/// What the sample service wants sent in answer to a request: an answer, or a fault that only a transport can perform.
///
/// The service decides, transports perform: the embedded backend what can be done without a socket, the server in `Examples/Backend` all of it.
public enum SampleAnswer: Sendable, Hashable {
    /// An answer, once this time has passed.
    case response(HTTPResponse, after: Duration)
    /// Nothing, for ever.
    case hang
    /// The head of an answer, then this byte again and again, with a pause before each, for ever.
    case drip(byte: UInt8, every: Duration)
    /// An answer whose head announces more bytes than follow, then the end of the connection.
    case truncated(HTTPResponse, announcing: Int)
    /// The head of the answer and half of its body, then a reset of the connection. The service has done what it was asked to.
    case reset(HTTPResponse)
    /// An answer of that many zero bytes; compressed, it is small on the wire and grows to that size at the receiver.
    case zeros(count: Int, compressed: Bool)
    /// These bytes, which are no HTTP, then the end of the connection.
    case plaintext(Data)

    /// The answer, when it is a plain one.
    public var response: HTTPResponse? {
        if case .response(let response, _) = self { response } else { nil }
    }
}
