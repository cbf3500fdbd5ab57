import Foundation
import StartupNetworking
import StartupOps
import StartupStorage

/// What the library's set-up works with: the keychain, the app's files, and the client that talks to the vendor's service.
nonisolated struct StepsServices: SDKServices {
    let keychain: Keychain
    let http: HTTPClient
    let dataStore: any DataStore = StateDirectory.inMemory().state

    var secureStore: any SecureStore { keychain }

    func makeSession(_ configuration: SDKConfiguration, log: SDKLog) throws -> any SDKSession {
        StepsSession(baseURL: configuration.baseURL, keychain: keychain, http: http)
    }
}

/// The library's client, from one set-up to the next.
nonisolated struct StepsSession: SDKSession {
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

    var restoreSteps: [SDKRestoreStep] {
        [
            SDKRestoreStep("geofencing", unless: { _ in wasGeofencingActive ? nil : "it was not active" }, restore: resumeGeofencing),
            SDKRestoreStep("walking sync", unless: reasonNotToSync) { deadline in
                try await startWalkingSync(by: deadline)
                // It may have taken so long that nobody waits for the sync any more.
                try Task.checkCancellation()
                try await syncWalkingNow(by: deadline)
            },
        ]
    }

    private var wasGeofencingActive: Bool { false }
    private func resumeGeofencing(by deadline: Deadline) async throws {}

    private var isWalkingSyncEnabled: Bool { true }
    private func reasonNotToSync(_ entitlements: Set<String>?) -> String? {
        if !isWalkingSyncEnabled { return "it is switched off" }
        guard let entitlements else { return "it is not known whether the person is still entitled to it" }
        return entitlements.contains("premium") ? nil : "the person is not entitled to it any more"
    }
    private func startWalkingSync(by deadline: Deadline) async throws {}
    private func syncWalkingNow(by deadline: Deadline) async throws {}
}

nonisolated struct NobodyIsLoggedIn: Error, CustomStringConvertible {
    let description = "nobody is logged in: show the login form"
}
