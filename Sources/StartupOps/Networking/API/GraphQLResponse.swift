import Foundation

/// Reads answers of a GraphQL service: errors first, data after (GraphQL specification, section 7.1).
enum GraphQLResponse {
    /// The code of a service that turns down a token, under status 200.
    private static let invalidToken = "invalid-jwt"

    /// Whether the service has turned down the token.
    static func rejectsToken(_ response: HTTPResponse, within limits: AnswerLimits) -> Bool {
        // Looked for as bytes first, so that good answers are not decoded twice.
        guard response.status == 200, response.body.count <= limits.maximumSize, response.body.range(of: Data(invalidToken.utf8)) != nil,
            let text = try? response.json(within: limits, ""), text.violation == nil,
            let head = try? JSONDecoder().decode(Head.self, from: text.data)
        else { return false }
        return head.errors.contains { code(of: $0) == invalidToken }
    }

    /// The operation's result. Where there are errors, data that came with them is not used.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        field: String?,
        _ response: HTTPResponse,
        _ request: String,
        within limits: AnswerLimits
    ) throws(NetworkError) -> Value {
        try check(response, request, within: limits)
        do {
            return try JSONDecoder().decode(Body<Value>.self, from: response.body, configuration: field).value
        } catch {
            throw response.undecodable(type, error, request)
        }
    }

    /// Throws unless the answer has data and no errors.
    static func check(_ response: HTTPResponse, _ request: String, within limits: AnswerLimits) throws(NetworkError) {
        try response.checked(request)
        try response.checkMediaType(request)
        let text = try response.json(within: limits, request)
        // Other encodings are refused: their values were not counted.
        guard text.violation == nil, let head = try? JSONDecoder().decode(Head.self, from: text.data) else {
            throw NetworkError(.invalidResponse, request: request, "the answer is no JSON object", status: response.status)
        }
        if let first = head.errors.first {
            let code = code(of: first).map { " (\(ForeignText.shown($0)))" } ?? ""
            let more = head.errors.count > 1 ? ", and \(head.errors.count - 1) more" : ""
            let reason = "the service answered: \(ForeignText.shown(first["message"]?.text ?? "no message"))\(code)\(more)"
            throw NetworkError(.operationFailed, request: request, reason, status: response.status)
        }
        guard head.hasData else {
            throw NetworkError(.invalidResponse, request: request, "the answer has neither data nor errors", status: response.status)
        }
    }

    private static func code(of error: JSONValue) -> String? { error["extensions"]?["code"]?.text }

    private enum Keys: String, CodingKey { case data, errors }

    private struct Head: Decodable {
        let errors: [JSONValue]
        /// Whether `data` is an object.
        let hasData: Bool

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Keys.self)
            // Null is not an object: without errors such an answer says nothing (N29).
            hasData = (try? body.nestedContainer(keyedBy: AnyKey.self, forKey: .data)) != nil
            let failures = try body.decodeIfPresent(JSONValue.self, forKey: .errors)
            errors =
                switch failures {
                // GraphQL allows null in place of no errors.
                case nil: []
                case .array(let errors): errors
                // In any other form, too, the service meant to say that something went wrong.
                case let error?: [error]
                }
        }
    }

    private struct Body<Value: Decodable>: DecodableWithConfiguration {
        let value: Value

        init(from decoder: any Decoder, configuration field: String?) throws {
            let body = try decoder.container(keyedBy: Keys.self)
            guard let field else {
                value = try body.decode(Value.self, forKey: .data)
                return
            }
            let data = try body.nestedContainer(keyedBy: AnyKey.self, forKey: .data)
            value = try data.decode(Value.self, forKey: AnyKey(stringValue: field))
        }
    }
}
