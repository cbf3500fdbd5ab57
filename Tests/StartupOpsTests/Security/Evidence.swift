import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Everything that somebody could read of a launch: what it prints, reports, dumps and says.
final class Evidence: Sendable {
    private let texts = Locked<Set<String>>([])

    /// How many different texts there are.
    var count: Int { texts.withLock { $0.count } }

    /// A text as it is.
    func add(text: String) {
        _ = texts.withLock { $0.insert(text) }
    }

    /// A value in every way in which it can be made a text.
    func add(_ value: some Any) {
        var dumped = ""
        dump(value, to: &dumped)
        let shown = [String(describing: value), String(reflecting: value), dumped]
        texts.withLock { $0.formUnion(shown) }
    }

    /// The secrets in it, each with some of what is around it.
    func leaks(of secrets: some Sequence<String>) -> [String] {
        let search = SecretSearch(secrets)
        return texts.withLock { $0 }.compactMap { text in
            let found = search.found(in: text)
            guard let first = found.first else { return nil }
            let place = text.range(of: first).map { text[..<$0.lowerBound].suffix(120) } ?? text.prefix(120)
            return "\(first) after: \(place)"
        }
    }
}

/// Sends requests, and remembers each token that the service gives out.
final class TokenWatch: HTTPSending {
    private struct State {
        var secrets: Set<String> = []
        var quotes: Int?
        var whenLoggingIn: @Sendable () -> Void = {}
    }

    private let http: HTTPClient
    private let state = Locked(State())

    init(_ http: HTTPClient) { self.http = http }

    /// The tokens.
    var secrets: Set<String> { state.withLock { $0.secrets } }

    /// From now on the service answers nothing but what it was sent, under this status: header fields and body, as they are and encoded.
    func quote(withStatus status: Int) { state.withLock { $0.quotes = status } }

    /// What is done when a request is about to be sent that a login cannot do without.
    func whenLoggingIn(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenLoggingIn = action } }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        if ["/v1/profile", "/v1/accounts"].contains(request.url.path()) { state.withLock { $0.whenLoggingIn }() }
        if let status = state.withLock({ $0.quotes }) { return Self.quotation(of: request, status) }
        let response = try await http.send(request, deadline: deadline)
        let tokens = ["access_token", "refresh_token"].compactMap { response.object[$0] as? String }
        state.withLock { $0.secrets.formUnion(tokens) }
        return response
    }

    private static func quotation(of request: HTTPRequest, _ status: Int) -> HTTPResponse {
        let token = (request.headers["Authorization"] ?? "Bearer none").dropFirst("Bearer ".count)
        let sent = "\(token) \(String(decoding: request.body ?? Data(), as: UTF8.self))"
        let base64 = Data(sent.utf8).base64EncodedString()
        let base64URL = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let hexadecimal = sent.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // Services quote what they will, and only the beginning is shown.
        let quoted = [hexadecimal, base64URL, sent, PercentEncoding.encode(sent), base64].joined(separator: " ")
        let body: [String: Any] = [
            "\(token)": [quoted], "message": quoted, "features": ["\(token)": quoted], "access_token": [quoted], "id": [quoted],
            "version": "8", "country": "DE", "language": "de", "onboarding": "\(token)", "minimumVersion": quoted,
            "error": quoted, "errors": [["message": quoted, "extensions": ["code": "\(token)"]]],
        ]
        let data = (try? JSONSerialization.data(withJSONObject: body)) ?? Data(quoted.utf8)
        return HTTPResponse(status: status, headers: ["Content-Type": "application/json", "X-Sent": quoted], body: data)
    }
}
