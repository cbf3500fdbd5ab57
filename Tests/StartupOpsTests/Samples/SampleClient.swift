import Foundation
import StartupSamples
import StartupStorage

@testable import StartupNetworking

/// Sends requests as they are, each once, and follows nowhere: what the sample backends are tested with.
final class SampleClient: Sendable {
    let baseURL: URL
    private let http: any HTTPSending

    init(_ baseURL: URL) { (self.baseURL, http) = (baseURL, SystemTransport(TransportOptions())) }

    init(_ backend: EmbeddedBackend) { (baseURL, http) = (backend.baseURL, backend) }

    func request(_ method: HTTPMethod, _ path: String, token: String? = nil, headers: [String: String] = [:], body: String? = nil)
        -> HTTPRequest
    {
        var request = HTTPRequest(method, URL(string: path, relativeTo: baseURL)?.absoluteURL ?? baseURL, body: body.map { Data($0.utf8) })
        for (name, value) in headers { request.headers[name] = value }
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        return request
    }

    /// Never ends when the service never answers and the task is not cancelled.
    func send(_ request: HTTPRequest, deadline: Deadline = .never) async throws -> HTTPResponse {
        try await http.send(request, deadline: deadline)
    }

    func send(_ method: HTTPMethod, _ path: String, token: String? = nil, headers: [String: String] = [:], body: String? = nil) async throws
        -> HTTPResponse
    {
        try await send(request(method, path, token: token, headers: headers, body: body))
    }
}

extension HTTPResponse {
    /// The body as a JSON object.
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The code of the first GraphQL error.
    var graphQLCode: String? {
        let errors = object["errors"] as? [[String: Any]]
        return (errors?.first?["extensions"] as? [String: Any])?["code"] as? String
    }
}

/// Bodies of requests.
enum SampleBodies {
    static let password = "grant_type=password&username=person%40example.com&password=correct+horse"

    static func refresh(_ token: String) -> String { "grant_type=refresh_token&refresh_token=\(token)" }

    static func graphQL(_ name: String, _ variables: String = "{}") -> String {
        #"{"query":"query \#(name) { x }","operationName":"\#(name)","variables":\#(variables)}"#
    }
}
