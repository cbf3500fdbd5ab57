import Foundation

extension SampleFault {
    /// What is sent in place of, or made of, the real answer. `real` carries the request out; it is called once or not at all.
    func answer(to request: HTTPRequest, real: () -> HTTPResponse) -> SampleAnswer {
        switch self {
        case .hang: return .hang
        case .drip: return .drip(byte: UInt8(ascii: " "), every: .milliseconds(500))
        case .slow(let delay): return .response(real(), after: delay)
        case .status(let status, let headers): return .response(HTTPResponse(status: status, headers: headers), after: .zero)
        case .body(let body): return .response(body.response, after: .zero)
        case .wrongType:
            var response = real()
            response.body = Self.replacingTypes(in: response.body)
            response.headers["ETag"] = nil
            return .response(response, after: .zero)
        case .header(let name, let value):
            var response = real()
            response.headers[name] = value
            return .response(response, after: .zero)
        case .truncated:
            var response = real()
            response.body = response.body.prefix(3)
            return .truncated(response, announcing: 1000)
        case .reset: return .reset(real())
        case .redirect(let url, let status):
            return .response(HTTPResponse(status: status, headers: ["Location": url]), after: .zero)
        case .redirectLoop:
            let query = request.url.query().map { "?\($0)" } ?? ""
            return .response(HTTPResponse(status: 302, headers: ["Location": request.url.path() + query]), after: .zero)
        case .big(let count): return .zeros(count: count, compressed: false)
        case .gzipBomb(let count): return .zeros(count: count, compressed: true)
        case .basicChallenge:
            return .response(HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"sample\""]), after: .zero)
        case .plaintext: return .plaintext(Data("220 sample.invalid ESMTP ready\r\n".utf8))
        }
    }

    /// The same document with each member of its object, or each element of its array, of another type.
    private static func replacingTypes(in body: Data) -> Data {
        func other(_ value: Any) -> Any { value is String ? ["unexpected": true] : value is [String: Any] ? true : "unexpected" }
        let replaced: Any =
            switch try? JSONSerialization.jsonObject(with: body) {
            case let object as [String: Any]: object.mapValues(other)
            case let array as [Any]: array.map(other)
            default: ["unexpected"]
            }
        return (try? JSONSerialization.data(withJSONObject: replaced, options: .sortedKeys)) ?? Data("[true]".utf8)
    }
}
