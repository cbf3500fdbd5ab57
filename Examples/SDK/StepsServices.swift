import Foundation
import StartupNetworking
import StartupOps
import StartupStorage

/// What the library's set-up works with: the keychain, the app's files, and the client that talks to the vendor's service.
struct StepsServices: SDKServices {
    let keychain: Keychain
    let http: HTTPClient
    let files = MemoryStore()

    var secureStore: any SecureStore { keychain }
    var dataStore: any DataStore { files }

    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession {
        StepsSession(baseURL: configuration.baseURL, keychain: keychain, http: http)
    }
}

/// The library's client, from one set-up to the next.
struct StepsSession: SDKSession {
    let baseURL: URL
    let keychain: Keychain
    let http: HTTPClient

    private struct Answer: Decodable {
        let entitlements: Set<String>
    }

    /// The lifecycle cancels what is under way; this client keeps nothing else.
    func invalidate() {}

    func fetchEntitlements(by deadline: Deadline) async throws -> Set<String> {
        guard let token = keychain.read(.sdkAccessToken).value else { throw NobodyIsLoggedIn() }
        let request = HTTPRequest(
            .get,
            baseURL.appending(path: "v1/entitlements"),
            headers: ["Authorization": "Bearer \(String(decoding: token, as: UTF8.self))"]
        )
        let response = try await http.send(request, deadline: deadline)
        guard response.status == 200 else { throw NobodyIsLoggedIn() }
        return try JSONDecoder().decode(Answer.self, from: response.body).entitlements
    }

    var wasGeofencingActive: Bool { false }
    func resumeGeofencing(by deadline: Deadline) async throws {}

    var isWalkingSyncEnabled: Bool { true }
    var walkingSyncEntitlement: String { "premium" }
    func startWalkingSync(by deadline: Deadline) async throws {}
    func syncWalkingNow(by deadline: Deadline) async throws {}
}

struct NobodyIsLoggedIn: Error, CustomStringConvertible {
    let description = "nobody is logged in: show the login form"
}
