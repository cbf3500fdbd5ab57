import Foundation
import StartupNetworking
import StartupOps
import Testing

/// The server that the integration tests talk to, and its administration.
struct IntegrationServer {
    /// Where it is; nil when there is none.
    static let address = ProcessInfo.processInfo.environment["SEQUENCER_BACKEND"].flatMap { URL(string: $0) }

    /// Everything that a launch asks the server for.
    static let paths = [
        "/v1/version-policy", "/v1/countries", "/v1/configuration", "/oauth/token", "/v1/profile", "/v1/entitlements", "/graphql",
    ]

    let url: URL
    private let client: SampleClient

    /// The server, as it is when it has just started.
    init() async throws {
        url = try #require(Self.address)
        client = SampleClient(url)
        try await administer(.post, "reset")
    }

    /// How many requests have come, such as "POST /oauth/token".
    func count(_ request: String) async throws -> Int {
        try await client.send(.get, "/_admin/counts").object[request] as? Int ?? 0
    }

    func expireTokens() async throws { try await administer(.post, "expire-tokens") }

    func endSessions() async throws { try await administer(.post, "end-sessions") }

    func setVersionPolicy(_ json: String) async throws { try await administer(.put, "version-policy", json) }

    func removeFaults() async throws { try await administer(.delete, "faults") }

    /// Makes these paths go wrong; unless said otherwise, all of them.
    func setFault(_ fault: String, for paths: [String] = paths, times: Int? = nil) async throws {
        for path in paths {
            var order: [String: Any] = ["path": path, "fault": fault]
            order["times"] = times
            let body = try JSONSerialization.data(withJSONObject: order)
            try await administer(.put, "faults", String(decoding: body, as: UTF8.self))
        }
    }

    private func administer(_ method: HTTPMethod, _ action: String, _ body: String? = nil) async throws {
        let answer = try await client.send(method, "/_admin/\(action)", body: body)
        try #require(answer.status == 204, "\(method) \(action): \(answer.status) \(answer.text)")
    }
}
