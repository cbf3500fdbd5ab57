import Behaviours
import Foundation
import StartupNetworking

private let refreshes = "POST /oauth/token"

/// Tokens that expire.
func showTokens(_ app: App, _ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    try await app.logIn()
    try await service.expireTokens()
    var before = try await service.count(refreshes)
    let names = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<10 { group.addTask { try await app.profile().name } }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    var after = try await service.count(refreshes)
    shown.show("ten requests at once refresh a token once", names == ["person"] && after - before == 1, "\(after - before) refreshes")

    try await service.expireTokens()
    let text = "query Viewer { viewer { id name } }"
    let viewer = GraphQLOperation(.query, "Viewer", text, field: "viewer")
    let seen = try await app.client.query(viewer, as: App.Profile.self, deadline: .late)
    shown.show("GraphQL refreshes it, too", seen.name == "person", seen)

    try await service.expireTokens()
    try await service.order("status:503", for: "/oauth/token", times: 1)
    before = try await service.count(refreshes)
    let moment = await failure { try await app.profile() }
    after = try await service.count(refreshes)
    shown.show(
        "a refresh that fails for the moment fails the request, and is not repeated",
        moment?.isTransient == true && after - before == 1,
        moment
    )
    shown.show("the session is kept", app.tokens.session.value != nil)
    shown.show("the next request refreshes it", try await app.profile().name == "person")
}

/// Several processes with one state folder.
func showProcesses(_ app: App, _ service: Service, _ folder: String, _ shown: Behaviours) async throws {
    try await service.reset()
    try await app.logIn()
    try await service.expireTokens()
    let before = try await service.count(refreshes)
    let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
        for _ in 0..<5 { group.addTask { try await status(ofThisProgramWith: ["--profile", service.url.absoluteString, folder]) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    let after = try await service.count(refreshes)
    let words = "statuses \(statuses), \(after - before) refreshes"
    shown.show("of five processes with one folder, one refreshes the session", statuses == [0, 0, 0, 0, 0] && after - before == 1, words)
    let name = try await app.profile().name
    let last = try await service.count(refreshes)
    shown.show("a sixth takes what that has stored", name == "person" && last == after, "\(last - after) refreshes")
}

/// Whose a session is, and how it ends.
func showSessions(_ app: App, _ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    try await app.logIn()
    guard let session = app.tokens.session.value else { return shown.show("there is a session after a login", false) }
    var dumped = ""
    dump(session, to: &dumped)
    let isHidden = !"\(session) \(String(reflecting: session)) \(dumped) \(session.accessToken)".contains(session.accessToken.value)
    shown.show("a session does not show its tokens", isHidden)

    let elsewhere = TokenManager(store: SessionStore(app.directory.secure, of: URL(string: "https://other.invalid"))) { _, _ in nil }
    shown.show("a session is for its own service alone", elsewhere.session == .absent)
    let back = TokenManager(store: SessionStore(app.directory.secure, of: service.url)) { _, _ in nil }
    shown.show("an app that comes back to the service finds it", back.session.value != nil)

    try await service.expireTokens()
    try await service.endSessions()
    let events = app.tokens.events
    let over = await failure { try await app.profile() }
    var isTold = false
    for await event in events {
        if case .loggedOut = event { isTold = true }
        if isTold { break }
    }
    let isOver = over != nil && app.tokens.session == .absent
    shown.show("a service that no longer accepts the refresh token has ended the session, which is told", isOver && isTold, over)

    try await app.logIn()
    let options = RequestOptions(cachePolicy: .returnCacheDataDontFetch)
    _ = try await app.client.get("v1/profile", as: App.Profile.self, deadline: .late)
    _ = try await app.client.get("v1/profile", as: App.Profile.self, options: options, deadline: .late)
    app.tokens.end(LogoutReason("the person wanted to"))
    let count = app.sent.statuses.count
    let required = await failure { try await app.profile() }
    let kept = await failure { try await app.client.get("v1/profile", as: App.Profile.self, options: options, deadline: .late) }
    let isCleared = kept.name == "notCached" && app.directory.secure.read("session") == .absent
    let isUnsent = required.name == "missingAccessToken" && app.sent.statuses.count == count
    shown.show("a logout clears the session and what was kept of it", app.tokens.session == .absent && isCleared, kept)
    shown.show("after it nothing is sent that needs a session", isUnsent, required)
}

/// Runs this program to its end.
private func status(ofThisProgramWith arguments: [String]) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = arguments
    return try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do {
            try process.run()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
