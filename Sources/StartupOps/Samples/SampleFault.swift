import Foundation

/// A way in which the sample service can misbehave on one of its paths.
///
/// A fault has a text, for command lines and for `PUT /_admin/faults`; ``init(parsing:)`` reads it.
///
/// | text | what happens |
/// |---|---|
/// | `hang` | no answer, ever |
/// | `drip` | one byte each half second, for ever |
/// | `slow:2s` | the real answer, two seconds later |
/// | `status:503;retry-after=2` | this status, with these header fields and no body |
/// | `garbage`, `html`, `empty`, `null`, `nul-bytes`, `invalid-utf8`, `bom` | 200 with such a body |
/// | `body:TEXT` | 200 with TEXT as JSON |
/// | `wrong-type` | the real answer, each of its values replaced by one of another type |
/// | `header:NAME=VALUE` | the real answer, with one more header field |
/// | `truncated` | three bytes of the real answer where 1000 are announced |
/// | `reset` | the connection is reset in the middle of the real answer |
/// | `redirect:URL`, `redirect:URL;status=307` | a redirection there |
/// | `redirect-loop` | a redirection to the same address |
/// | `big:200MB` | 200 with that many zero bytes |
/// | `gzip-bomb:200MB` | the same, compressed |
/// | `401-basic` | 401 that asks for HTTP Basic credentials |
/// | `plaintext` | bytes that are not HTTP |
///
/// `slow`, `wrong-type`, `header`, `truncated` and `reset` happen to a request that the service has carried out; with
/// every other one it has not.
public enum SampleFault: Sendable, Hashable {
    /// No answer, ever.
    case hang
    /// Sends a byte each half second, for ever.
    case drip
    /// The real answer, that much later.
    case slow(Duration)
    /// This answer in place of the real one.
    case answer(HTTPResponse)
    /// The real answer, each of its values replaced by one of another type.
    case wrongType
    /// The real answer, with one more header field.
    case header(name: String, value: String)
    /// Three bytes of the real answer where 1000 are announced.
    case truncated
    /// The connection is reset in the middle of the real answer.
    case reset
    /// A redirection to the same address.
    case redirectLoop
    /// 200 with that many zero bytes, perhaps compressed.
    case zeros(Int, compressed: Bool = false)
    /// Bytes that are not HTTP.
    case plaintext

    /// This status, with these header fields and no body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> SampleFault {
        .answer(HTTPResponse(status: status, headers: headers))
    }
    /// 200 with a body that is said to be JSON.
    public static func body(_ data: Data) -> SampleFault { .answer(.json(data: data)) }
    /// A redirection.
    public static func redirect(to url: String, status: Int = 302) -> SampleFault { .status(status, headers: ["Location": url]) }
    /// 401 that asks for HTTP Basic credentials.
    package static let basicChallenge = status(401, headers: ["WWW-Authenticate": "Basic realm=\"sample\""])
    /// 200 with bytes that are neither JSON nor text.
    static let garbage = body(Data([0x9f, 0x8b, 0x00, 0xff, 0x7b, 0x5d, 0x22, 0xfe]))
    /// 200 with a page of HTML, as a captive portal sends it.
    public static let html = answer(
        HTTPResponse(
            status: 200,
            headers: ["Content-Type": "text/html; charset=utf-8"],
            body: Data("<!doctype html><title>Welcome</title><p>Sign in to use this network.".utf8)
        )
    )

    /// The answer in place of the real one, or made from it. `real` carries the request out; it is called once or not
    /// at all.
    func answer(to request: HTTPRequest, real: () -> HTTPResponse) -> SampleAnswer {
        func changed(_ change: (inout HTTPResponse) -> Void) -> HTTPResponse {
            var response = real()
            change(&response)
            return response
        }
        switch self {
        case .hang: return .hang
        case .drip: return .drip(byte: UInt8(ascii: " "), every: .milliseconds(500))
        case .slow(let delay): return .response(real(), after: delay)
        case .answer(let response): return .response(response, after: .zero)
        case .wrongType:
            let response = changed { real in
                real.body = Self.replacingTypes(in: real.body)
                // The tag belongs to the body that was replaced.
                real.headers["ETag"] = nil
            }
            return .response(response, after: .zero)
        case .header(let name, let value): return .response(changed { $0.headers[name] = value }, after: .zero)
        case .truncated: return .truncated(changed { $0.body = $0.body.prefix(3) }, announcing: 1000)
        case .reset: return .reset(real())
        case .redirectLoop:
            let query = request.url.query().map { "?\($0)" } ?? ""
            return .response(HTTPResponse(status: 302, headers: ["Location": request.url.path() + query]), after: .zero)
        case .zeros(let count, let compressed): return .zeros(count: count, compressed: compressed)
        case .plaintext: return .plaintext(Data("220 sample.invalid ESMTP ready\r\n".utf8))
        }
    }

    /// The same document with each member of its object, or each element of its array, of another type.
    private static func replacingTypes(in body: Data) -> Data {
        func other(_ value: JSONValue) -> JSONValue {
            switch value {
            case .string: ["unexpected": true]
            case .object: true
            default: "unexpected"
            }
        }
        let replaced: JSONValue =
            switch try? JSONDecoder().decode(JSONValue.self, from: body) {
            case .object(let members): .object(members.mapValues(other))
            case .array(let values): .array(values.map(other))
            default: ["unexpected"]
            }
        return HTTPResponse.json(replaced).body
    }
}

/// The sample service's reaction to a request: an answer, or a fault that only a transport can perform.
///
/// The service decides, transports perform: the server in `Examples/Backend` all faults, the embedded backend those
/// that need no socket.
public enum SampleAnswer: Sendable, Hashable {
    /// An answer, once this time has passed.
    case response(HTTPResponse, after: Duration)
    /// Nothing, for ever.
    case hang
    /// The head of an answer, then this byte again and again, with a pause before each, for ever.
    case drip(byte: UInt8, every: Duration)
    /// An answer whose head announces more bytes than follow, then the end of the connection.
    case truncated(HTTPResponse, announcing: Int)
    /// The head of the answer and half of its body, then a reset of the connection. The service has carried the request
    /// out.
    case reset(HTTPResponse)
    /// An answer of that many zero bytes; compressed, it is small on the wire and grows to that size at the receiver.
    case zeros(count: Int, compressed: Bool)
    /// These bytes, which are not HTTP, then the end of the connection.
    case plaintext(Data)

    /// The answer, when it is a plain one.
    package var response: HTTPResponse? {
        if case .response(let response, _) = self { response } else { nil }
    }
}
