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
        return head.errors.contains { $0.code == invalidToken }
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
            let code = first.code.map { " (\(ForeignText.shown($0)))" } ?? ""
            let more = head.errors.count > 1 ? ", and \(head.errors.count - 1) more" : ""
            let message = ForeignText.shown(first.message ?? "no message")
            throw NetworkError(
                .operationFailed,
                request: request,
                "the service answered: \(message)\(code)\(more)",
                status: response.status
            )
        }
        guard head.hasData else {
            throw NetworkError(.invalidResponse, request: request, "the answer has neither data nor errors", status: response.status)
        }
    }

    private enum Keys: String, CodingKey { case data, errors }

    private struct Head: Decodable {
        let errors: [Failure]
        /// Whether `data` is an object.
        let hasData: Bool

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Keys.self)
            // Null is not an object: without errors such an answer says nothing (N29).
            hasData = (try? body.nestedContainer(keyedBy: AnyKey.self, forKey: .data)) != nil
            // GraphQL allows null in place of no errors.
            if !body.contains(.errors) || (try? body.decodeNil(forKey: .errors)) == true {
                errors = []
            } else {
                // In any other form, too, the service meant to say that something went wrong.
                errors = (try? body.decode([Failure].self, forKey: .errors)) ?? [Failure()]
            }
        }
    }

    /// One error; lenient, for an error that is not well formed is one all the same.
    private struct Failure: Decodable {
        var message: String?
        var code: String?

        private enum Keys: String, CodingKey { case message, extensions, code }

        init() {}

        init(from decoder: any Decoder) throws {
            guard let error = try? decoder.container(keyedBy: Keys.self) else { return }
            message = try? error.decode(String.self, forKey: .message)
            code = try? error.nestedContainer(keyedBy: Keys.self, forKey: .extensions).decode(String.self, forKey: .code)
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
