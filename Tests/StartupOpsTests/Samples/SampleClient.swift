import Foundation
import StartupNetworking
import StartupSamples

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests through `URLSession` and through nothing else: what the sample backends are tested with.
final class SampleClient: Sendable {
    let baseURL: URL
    private let session: URLSession
    private let backend: EmbeddedBackend?

    init(_ baseURL: URL, protocolClasses: [AnyClass]? = nil, backend: EmbeddedBackend? = nil) {
        self.baseURL = baseURL
        self.backend = backend
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        if let protocolClasses { configuration.protocolClasses = protocolClasses }
        session = URLSession(configuration: configuration)
    }

    /// Keeps the backend alive.
    convenience init(_ backend: EmbeddedBackend) { self.init(backend.baseURL, protocolClasses: backend.protocolClasses, backend: backend) }

    deinit { session.finishTasksAndInvalidate() }

    func request(_ method: HTTPMethod, _ path: String, token: String? = nil, headers: [String: String] = [:], body: String? = nil)
        -> HTTPRequest
    {
        var request = HTTPRequest(method, URL(string: path, relativeTo: baseURL)?.absoluteURL ?? baseURL, body: body.map { Data($0.utf8) })
        for (name, value) in headers { request.headers[name] = value }
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        return request
    }

    /// Never ends when the service never answers and the task is not cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await withCheckedThrowingContinuation { continuation in
            start(request) { continuation.resume(with: $0) }
        }
    }

    func send(_ method: HTTPMethod, _ path: String, token: String? = nil, headers: [String: String] = [:], body: String? = nil) async throws
        -> HTTPResponse
    {
        try await send(request(method, path, token: token, headers: headers, body: body))
    }

    /// Starts a request; `completion` is called once, on a queue of the session's.
    @discardableResult
    func start(_ request: HTTPRequest, _ completion: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void) -> URLSessionTask {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = request.body
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: urlRequest) { data, response, error in
            if let error { return completion(.failure(error)) }
            var answer = HTTPResponse(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: data ?? Data())
            for (name, value) in (response as? HTTPURLResponse)?.allHeaderFields ?? [:] { answer.headers["\(name)"] = "\(value)" }
            completion(.success(answer))
        }
        task.resume()
        return task
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
