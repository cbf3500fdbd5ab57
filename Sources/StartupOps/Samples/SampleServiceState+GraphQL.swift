import Foundation

/// The operations of `/graphql`, known by `operationName`; the query itself is not interpreted.
extension SampleServiceState {
    private static let known = ["Speakers", "Viewer", "RegisterSpeaker", "Greeting"]

    func graphQL(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        let operation = request.json
        guard let query = operation["query"]?.text, !query.isEmpty, let name = operation["operationName"]?.text else {
            return Self.failed("expected a JSON object with query, operationName and perhaps variables", "bad-request", status: 400)
        }
        let variables = operation["variables"]
        guard Self.known.contains(name), query.contains(name) else {
            let known = Self.known.joined(separator: ", ")
            return Self.failed("the operation is none of \(known), or is not in the query", "validation-failed")
        }
        let viewer = account(of: request, now: now)
        // A token that is not valid makes a request fail even where none is needed.
        if request.bearerToken != nil, viewer == nil { return Self.failed("Could not verify JWT: JWTExpired", "invalid-jwt") }
        if name == "Greeting" {
            return Self.answered("greeting", ["text": SampleTexts.greeting(variables?["lang"]?.text ?? "en")])
        }
        guard let viewer else { return Self.failed("this operation needs a token", "access-denied") }
        switch name {
        case "Viewer": return Self.answered("viewer", ["id": viewer.id, "name": viewer.name])
        case "Speakers": return Self.answered("speakers", options.speakers)
        default:
            guard let speaker = options.speakers.first(where: { $0.id == variables?["id"]?.text }) else {
                return Self.failed("there is no such speaker", "not-found")
            }
            return Self.answered("registerSpeaker", [speaker])
        }
    }

    private static func answered(_ field: String, _ value: some Encodable) -> HTTPResponse { .json(["data": [field: value]]) }

    // 200: over HTTP the request was in order, as GraphQL servers see it.
    private static func failed(_ message: String, _ code: String, status: Int = 200) -> HTTPResponse {
        let error: JSONValue = ["message": .string(message), "extensions": ["code": .string(code)]]
        return .json(["errors": [error]], status: status)
    }
}
