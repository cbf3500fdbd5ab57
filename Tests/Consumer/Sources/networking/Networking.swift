import Behaviours
import Foundation
import StartupNetworking

/// What StartupNetworking says of itself, shown against the sample service in another process by a program that imports nothing else of the package.
///
///     networking URL FOLDER             shows it; the folder is for its state
///     networking --profile URL FOLDER   asks for the profile of whoever is logged in there, and ends
@main
enum Networking {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let url = URL(string: arguments[arguments.count - 2]), let folder = arguments.last else {
            print("usage: networking [--profile] URL FOLDER")
            exit(64)
        }
        let service = Service(url: url)
        let app = App(service, URL(fileURLWithPath: folder, isDirectory: true))
        if arguments.first == "--profile" {
            _ = try await app.profile()
            return
        }
        let shown = Behaviours()
        try await showAnswers(service, shown)
        try await showAttempts(service, shown)
        try await showRedirections(service, shown)
        try await showReachability(service, shown)
        try await showRequests(app, service, shown)
        try await showCache(app, service, shown)
        try await showTokens(app, service, shown)
        try await showProcesses(app, service, folder, shown)
        try await showSessions(app, service, shown)
        shown.end()
    }
}

extension Deadline {
    /// Late enough for a busy machine.
    static var late: Deadline { .after(.seconds(60)) }
}

/// The error of what should fail; nil when it does not.
func failure<Value>(of body: () async throws -> Value) async -> NetworkError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? NetworkError
    }
}

extension NetworkError? {
    /// The code's name; `nothing failed` where nothing did.
    var name: String { self.map { "\($0.code)" } ?? "nothing failed" }
}

/// The sample service, and how to make it misbehave.
struct Service {
    let url: URL
    private let client = HTTPClient()

    init(url: URL) { self.url = url }

    func place(_ path: String) -> URL { url.appending(path: path) }

    /// Everything as it was to begin with.
    func reset() async throws { try await ask(.post, "_admin/reset") }

    /// From now on no access token that was given out is accepted.
    func expireTokens() async throws { try await ask(.post, "_admin/expire-tokens") }

    /// From now on no refresh token that was given out is accepted.
    func endSessions() async throws { try await ask(.post, "_admin/end-sessions") }

    /// Makes requests to a path go wrong, as often as said.
    func order(_ fault: String, for path: String, times: Int? = nil) async throws {
        try await ask(.put, "_admin/faults", JSONEncoder().encode(Order(path: path, fault: fault, times: times)))
    }

    /// How many requests have come, such as to "GET /v1/countries".
    func count(_ route: String) async throws -> Int {
        let request = HTTPRequest(.get, place("_admin/counts"))
        return try await client.send(request, deadline: .late).decoded([String: Int].self, for: request)[route] ?? 0
    }

    private func ask(_ method: HTTPMethod, _ path: String, _ body: Data? = nil) async throws {
        let request = HTTPRequest(method, place(path), headers: ["Content-Type": "application/json"], body: body)
        try await client.send(request, deadline: .late).checked(for: request)
    }

    private struct Order: Encodable {
        let path: String
        let fault: String
        let times: Int?
    }
}
