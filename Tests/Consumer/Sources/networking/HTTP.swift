import Behaviours
import Foundation
import StartupNetworking

private struct Country: Decodable, Sendable {
    let code: String
}

/// Statuses, bodies, and what there is no answer to.
func showAnswers(_ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    let client = HTTPClient()
    let countries = HTTPRequest(.get, service.place("v1/countries"))
    let list = try await client.send(countries, deadline: .late).decoded([Country].self, for: countries)
    shown.show("a body is a value", list.contains { $0.code == "DE" }, list)

    let profile = HTTPRequest(.get, service.place("v1/profile"))
    let answer = try await client.send(profile, deadline: .late)
    shown.show("any status that a server answers with is an answer", answer.status == 401, answer)
    let checked = await failure { try answer.checked(for: profile) }
    shown.show("who asks for a success gets an error with the status", checked.name == "invalidResponse" && checked?.status == 401, checked)

    try await service.order("html", for: "/v1/countries", times: 1)
    let page = await failure { try await client.send(countries, deadline: .late).decoded([Country].self, for: countries) }
    shown.show("a page where data was expected is no data", page.name == "invalidData", page)
    try await service.order("wrong-type", for: "/v1/countries", times: 1)
    let other = await failure { try await client.send(countries, deadline: .late).decoded([Country].self, for: countries) }
    shown.show("a body of another form says where", other.name == "invalidData" && other?.reason.isEmpty == false, other)

    let nobody = HTTPRequest(.get, try address("http://127.0.0.1:1/"))
    let refused = await failure { try await client.send(nobody, deadline: .late) }
    shown.show("nobody there is unreachable, and may pass", refused?.code == .unreachable && refused?.isTransient == true, refused)
    let plain = HTTPRequest(.get, try address("http://example.com/"))
    let open = await failure { try await client.send(plain, deadline: .late) }
    shown.show("plain http goes to this machine only", open.name == "invalidRequest", open)

    let token = HTTPRequest(.get, service.place("v1/profile"), headers: ["Authorization": "Bearer hidden-1"], body: nil)
    shown.show("headers are not shown", !"\(token) \(token.headers) \(String(reflecting: token))".contains("hidden-1"))
}

/// Repeated requests, deadlines, cancellation.
func showAttempts(_ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    let client = HTTPClient()
    let countries = HTTPRequest(.get, service.place("v1/countries"))
    try await service.order("status:503", for: "/v1/countries", times: 2)
    let third = try await client.send(countries, deadline: .late)
    let attempts = try await service.count("GET /v1/countries")
    shown.show("a request that is idempotent is repeated", third.status == 200 && attempts == 3, "\(third), \(attempts) attempts")

    try await service.order("status:503", for: "/v1/accounts", times: 2)
    let post = HTTPRequest(.post, service.place("v1/accounts"), headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
    let once = try await client.send(post, deadline: .late)
    let posts = try await service.count("POST /v1/accounts")
    shown.show("one that is not is never repeated", once.status == 503 && posts == 1, "\(once), \(posts) attempts")

    // A client of its own: it remembers hosts that have asked for a pause.
    let patient = HTTPClient()
    try await service.reset()
    try await service.order("status:503;retry-after=600", for: "/v1/countries", times: 1)
    let busy = try await patient.send(countries, deadline: .late)
    let asked = await failure { try await patient.send(countries, deadline: .late) }
    let sent = try await service.count("GET /v1/countries")
    shown.show("a host that asks to be left alone is", busy.status == 503 && asked?.status == 503 && sent == 1, "\(sent) sent")

    try await service.reset()
    try await service.order("hang", for: "/v1/countries")
    let late = await failure { try await client.send(countries, deadline: .after(.milliseconds(200))) }
    shown.show("no answer until the deadline is an error", late?.code == .timedOut, late)
    let before = try await service.count("GET /v1/countries")
    let endless = Task { await failure { try await client.send(countries, deadline: .never) } }
    while try await service.count("GET /v1/countries") == before { try await Task.sleep(for: .milliseconds(1)) }
    endless.cancel()
    let cancelled = await endless.value
    shown.show("a request ends with the task that waits for it", cancelled?.code == .cancelled, cancelled)
    try await service.reset()
}

/// Redirections, with and without what is for one server alone.
func showRedirections(_ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    let client = HTTPClient()
    let endpoint = TokenEndpoint(url: service.place("oauth/token"), http: client)
    let session = try await endpoint.session(username: "person@example.com", password: "correct horse", deadline: .late)
    let authorized: HTTPHeaders = ["Authorization": "Bearer \(session.accessToken.value)"]
    let request = HTTPRequest(.get, service.place("v1/countries"), headers: authorized)
    let profile = service.place("v1/profile")

    try await service.order("redirect:\(profile.absoluteString)", for: "/v1/countries", times: 1)
    let same = try await client.send(request, deadline: .late)
    shown.show("a redirection to the same server is followed with everything", same.status == 200, same)

    // The same service by another name, and so another server.
    let other = profile.absoluteString.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    try await service.order("redirect:\(other)", for: "/v1/countries", times: 1)
    let stranger = try await client.send(request, deadline: .late)
    shown.show("one to another server goes without tokens", stranger.status == 401, stranger)

    try await service.order("redirect-loop", for: "/v1/countries")
    let loop = await failure { try await client.send(request, deadline: .late) }
    shown.show("one that never ends is refused", loop.name == "invalidResponse", loop)
    try await service.reset()
}

/// With and without a network.
func showReachability(_ service: Service, _ shown: Behaviours) async throws {
    let (links, link) = AsyncStream.makeStream(of: Bool.self)
    let reachability = Reachability(links: links)
    let client = HTTPClient(reachability: reachability)
    link.yield(false)
    for await status in reachability.statuses where status == .unreachable { break }
    shown.show("an app is told when no link is up", true)

    let nearby = HTTPRequest(.get, service.place("v1/countries"))
    let near = try await client.send(nearby, deadline: .late)
    shown.show("this machine is reached without a link", near.status == 200, near)
    let far = HTTPRequest(.get, try address("https://127.0.0.2:1/"))
    let reason = "the network is not reachable"
    let offline = await failure { try await client.send(far, deadline: .after(.milliseconds(200))) }
    let isOffline = offline?.code == .unreachable && offline?.reason.hasPrefix(reason) == true
    shown.show("without a link a request is unreachable at its deadline", isOffline, offline)
    let waiting = Task { await failure { try await client.send(far, deadline: .late) } }
    link.yield(true)
    let tried = await waiting.value
    // Nobody listens there, which only a request that was sent finds out.
    shown.show("it goes once a link is up", tried != nil && tried?.reason.hasPrefix(reason) == false, tried)
}

struct NoAddress: Error {}

private func address(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw NoAddress() }
    return url
}
