import Foundation

/// A request's method.
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
    /// Fetches; changes nothing.
    case get = "GET"
    /// As ``get``, without the body of the answer.
    case head = "HEAD"
    /// Sends something to be worked on; never repeated.
    case post = "POST"
    /// Puts something in a place, in place of an earlier one.
    case put = "PUT"
    /// Changes a part; never repeated.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
    /// Asks for the allowed methods.
    case options = "OPTIONS"

    /// Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2).
    var isIdempotent: Bool { self != .post && self != .patch }
}

// Messages of HTTP hold secrets in places that cannot be told from others: header fields, queries, bodies.

/// Header fields: names compare without regard to case, and keep the order and the spelling they were set in.
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence, SecretHolding {
    private var fields: [(name: String, value: String)] = []

    /// No fields.
    package init() {}

    /// These fields; of two with the same name, the later one.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// A field's value; setting nil removes the field.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The fields, in the order they were set.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> { fields.makeIterator() }

    private func index(of name: String) -> Int? { fields.firstIndex { $0.name.lowercased() == name.lowercased() } }

    /// Whether both have the same fields with the same values, in any order; names are compared without case.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        // Names are unique, so equal counts leave none over.
        left.fields.count == right.fields.count && left.fields.allSatisfy { right[$0.name] == $0.value }
    }

    /// By the number of fields: names differ in case where headers are equal.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields.count)
    }

    /// The names of the fields, never their values.
    public var description: String { "[\(map(\.name).joined(separator: ", "))]" }
}

/// A request, before it has met a transport.
public struct HTTPRequest: Sendable, Hashable, SecretHolding {
    /// The method.
    public var method: HTTPMethod
    /// Where it is sent.
    public var url: URL
    /// The header fields; the client adds its own.
    public var headers: HTTPHeaders
    /// The body; nil sends nothing.
    public var body: Data?
    /// Whether a server has chosen where it is sent: then its host and its path are somebody else's text.
    var isAddressForeign = false
    var ticket = LineTicket()

    /// A request.
    public init(_ method: HTTPMethod = .get, _ url: URL, headers: HTTPHeaders = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Method, host, port where it is written out, and path; never the query, which may hold secrets.
    public var description: String {
        let place = "\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")\(url.path())"
        return "\(method.rawValue) \(placeShown(place))"
    }
}

/// An answer, whole.
public struct HTTPResponse: Sendable, Hashable, SecretHolding {
    /// The status code, such as 200.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The content; empty without a body.
    public var body: Data

    /// An answer.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The status and the length of the body.
    public var description: String { "\(status), \(body.count) bytes" }
}

/// Sends requests.
///
/// Any status of the server is an answer: an error is thrown only for a request that has no answer. An implementation
/// returns or throws by the deadline, and as soon as the calling task is cancelled.
public protocol HTTPSending: Sendable {
    /// Sends `request`, and waits for the answer until `deadline`.
    ///
    /// - Throws: ``NetworkError`` for a request without an answer.
    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse
}
