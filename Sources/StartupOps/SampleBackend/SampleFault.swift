import Foundation

/// A way in which the sample service can misbehave on one of its paths.
///
/// A fault has a text, for command lines and for `PUT /_admin/faults`; ``init(parsing:)`` reads it, ``description`` writes it.
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
/// | `plaintext` | bytes that are no HTTP |
///
/// `slow`, `wrong-type`, `header`, `truncated` and `reset` happen to a request that the service has carried out; with every other one it has not.
public enum SampleFault: Sendable, Hashable {
    /// No answer, ever.
    case hang
    /// One byte each half second, for ever.
    case drip
    /// The real answer, that much later.
    case slow(Duration)
    /// This status, with these header fields and no body.
    case status(Int, headers: HTTPHeaders = [:])
    /// 200 with a body that is not what was asked for.
    case body(SampleBody)
    /// The real answer, each of its values replaced by one of another type.
    case wrongType
    /// The real answer, with one more header field.
    case header(name: String, value: String)
    /// Three bytes of the real answer where 1000 are announced.
    case truncated
    /// The connection is reset in the middle of the real answer.
    case reset
    /// A redirection.
    case redirect(to: String, status: Int = 302)
    /// A redirection to the same address.
    case redirectLoop
    /// 200 with that many zero bytes.
    case big(Int)
    /// 200 with that many zero bytes, compressed.
    case gzipBomb(Int)
    /// 401 that asks for HTTP Basic credentials.
    case basicChallenge
    /// Bytes that are no HTTP.
    case plaintext
}

/// A body that is not what was asked for.
public enum SampleBody: Sendable, Hashable {
    /// Bytes that are no JSON and no text.
    case garbage
    /// A page of HTML, as a captive portal sends it.
    case html
    /// No bytes.
    case empty
    /// NUL bytes.
    case nulBytes
    /// A JSON text with a byte that no UTF-8 text has.
    case invalidUTF8
    /// A JSON text after a byte order mark.
    case byteOrderMark
    /// This text, as JSON.
    case text(String)

    static let named: [(name: String, body: SampleBody)] = [
        ("garbage", .garbage), ("html", .html), ("empty", .empty), ("null", .text("null")), ("nul-bytes", .nulBytes),
        ("invalid-utf8", .invalidUTF8), ("bom", .byteOrderMark),
    ]

    var response: HTTPResponse {
        var response = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"])
        switch self {
        case .garbage: response.body = Data([0x9f, 0x8b, 0x00, 0xff, 0x7b, 0x5d, 0x22, 0xfe])
        case .html:
            response.headers["Content-Type"] = "text/html; charset=utf-8"
            response.body = Data("<!doctype html><title>Welcome</title><p>Sign in to use this network.".utf8)
        case .empty: break
        case .nulBytes: response.body = Data(repeating: 0, count: 16)
        case .invalidUTF8: response.body = Data("{\"version\":\"".utf8) + Data([0xff]) + Data("\"}".utf8)
        case .byteOrderMark: response.body = Data([0xef, 0xbb, 0xbf]) + Data("{}".utf8)
        case .text(let text): response.body = Data(text.utf8)
        }
        return response
    }
}
