import Foundation
import Sequencer

/// Reads answers of a GraphQL service: errors first, data after (GraphQL specification, section 7.1).
enum GraphQLResponse {
    /// The code of a service that turns down a token, under status 200.
    private static let invalidToken = "invalid-jwt"

    /// Whether the service has turned down the token.
    static func rejectsToken(_ response: HTTPResponse, within limits: AnswerLimits) -> Bool {
        // Looked for as bytes first, so that good answers are not decoded twice.
        guard response.status == 200, response.body.count <= limits.maximumSize, response.body.range(of: Data(invalidToken.utf8)) != nil,
            limits.excess(in: response.body) == nil
        else { return false }
        return Head(JSONText(response.body))?.errors.contains { code(of: $0) == invalidToken } ?? false
    }

    /// The operation's result. Where there are errors, data that came with them is not used.
    static func decode<Value: Decodable, Answer>(
        _ field: String?,
        _ response: HTTPResponse,
        to call: APICall<Answer>
    ) throws(NetworkError) -> Value {
        if let empty = EmptyResponse() as? Value {
            // Errors count, also where there may be no body.
            if response.body.isEmpty { try response.checked(for: call.request) } else { try check(response, to: call) }
            return empty
        }
        try check(response, to: call)
        do {
            let decoder = JSONDecoder()
            if let fieldKey { decoder.userInfo[fieldKey] = field }
            return try decoder.decode(Body<Value>.self, from: response.body).value
        } catch {
            throw response.undecodable(Value.self, error, call.request)
        }
    }

    /// Throws unless the answer has data and no errors.
    private static func check<Answer>(_ response: HTTPResponse, to call: APICall<Answer>) throws(NetworkError) {
        try response.checked(for: call.request)
        func failure(_ code: NetworkError.Code, _ reason: String) -> NetworkError {
            call.request.error(code, reason, status: response.status)
        }
        guard let head = Head(try response.json(within: call.limits, call.request)) else {
            throw failure(.invalidData, "the answer is no JSON object")
        }
        if let first = head.errors.first {
            let code = code(of: first).map { " (\(ForeignText.shown($0)))" } ?? ""
            let more = head.errors.count > 1 ? ", and \(head.errors.count - 1) more" : ""
            let message = ForeignText.shown(first["message"]?.text ?? "no message")
            throw failure(.operationFailed, "the service answered: \(message)\(code)\(more)")
        }
        if !head.hasData { throw failure(.invalidResponse, "the answer has neither data nor errors") }
    }

    private static func code(of error: JSONValue) -> String? { error["extensions"]?["code"]?.text }

    private enum Keys: String, CodingKey { case data, errors }

    private struct Head: Decodable {
        let errors: [JSONValue]
        /// Whether `data` is an object.
        let hasData: Bool

        /// Nil for a text that is not a JSON object. Other encodings are refused: their values were not counted.
        init?(_ text: JSONText) {
            guard text.violation == nil, let head = try? JSONDecoder().decode(Head.self, from: text.data) else { return nil }
            self = head
        }

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Keys.self)
            // Null is not an object: without errors such an answer says nothing (N29).
            hasData = (try? body.nestedContainer(keyedBy: TextKey.self, forKey: .data)) != nil
            let failures = try body.decodeIfPresent(JSONValue.self, forKey: .errors)
            // GraphQL allows null in place of no errors. In any other form than a list, too, the service meant to say
            // that something went wrong.
            errors = if case .array(let errors)? = failures { errors } else { failures.map { [$0] } ?? [] }
        }
    }

    // Not `DecodableWithConfiguration`, which `JSONDecoder` takes from iOS 17 and macOS 14 on.
    /// Holds the field to decode; without one, all of the data is the value.
    private static let fieldKey = CodingUserInfoKey(rawValue: "field")

    private struct Body<Value: Decodable>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Keys.self)
            guard let fieldKey, let field = decoder.userInfo[fieldKey] as? String else {
                value = try body.decode(Value.self, forKey: .data)
                return
            }
            let data = try body.nestedContainer(keyedBy: TextKey.self, forKey: .data)
            value = try data.decode(Value.self, forKey: TextKey(field))
        }
    }
}
