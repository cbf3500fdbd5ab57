import StartupOps

extension HTTPDocument {
    /// One attempt each: how often to try again is the operation's to say.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.retry = .never
        return HTTPClient(configuration)
    }()

    /// Fetches, with the real client.
    ///
    /// - Returns: what came, in a few words.
    /// - Throws: a ``NetworkError``, also for a status outside 200 to 299.
    func fetch(by deadline: Deadline) async throws -> String {
        var request = HTTPRequest(HTTPMethod(rawValue: method) ?? .get, url)
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { request.headers[name] = value }
        let response = try await Self.client.send(request, deadline: deadline).checked(for: request)
        return "status \(response.status), \(response.body.count) bytes"
    }
}
