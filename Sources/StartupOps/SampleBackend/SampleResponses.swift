import Foundation

extension HTTPResponse {
    /// An answer in JSON, its members in the order of their names.
    static func json(_ value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else { return HTTPResponse(status: 500) }
        return json(data: body, status: status, headers: headers)
    }

    /// An answer in JSON that is there already.
    static func json(data: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, body: data)
        response.headers["Content-Type"] = "application/json"
        return response
    }

    /// An answer that says what was wrong with the request.
    static func problem(_ status: Int, _ error: String, _ message: String, headers: HTTPHeaders = [:]) -> HTTPResponse {
        json(["error": error, "message": message], status: status, headers: headers)
    }

    /// 401: there is no token, or it is not, or no longer, valid (RFC 6750, section 3).
    static let unauthorized = problem(401, "unauthorized", "a valid access token is needed", headers: ["WWW-Authenticate": "Bearer"])

    /// 204: done, and there is nothing to say.
    static let done = HTTPResponse(status: 204)
}

extension HTTPRequest {
    /// A parameter of the address, decoded.
    func parameter(_ name: String) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }

    /// The body's form fields (application/x-www-form-urlencoded); of two with the same name, the first one.
    var form: [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body ?? Data(), as: UTF8.self).split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "" }
            if let name = halves.first, fields[name] == nil { fields[name] = halves.count == 2 ? halves[1] : "" }
        }
        return fields
    }

    /// The body's JSON.
    func json<Value: Decodable>(_ type: Value.Type) -> Value? {
        body.flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    /// The token of the `Authorization` header; nil when there is none.
    var bearerToken: String? {
        guard let value = headers["Authorization"], value.prefix(7).lowercased() == "bearer " else { return nil }
        return String(value.dropFirst(7))
    }
}
