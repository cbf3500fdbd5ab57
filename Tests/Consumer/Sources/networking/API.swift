import Behaviours
import Foundation
import StartupNetworking

private struct Greeting: Decodable, Sendable {
    let text: String
}

/// The service's answer, of which the app wants the name alone.
private struct SpeakerName: DomainConvertible {
    let name: String
    func domain() -> String { name }
}

private struct Configuration: Decodable, Sendable, Equatable {
    let version: String
    let country: String
}

/// REST and GraphQL over one session.
func showRequests(_ app: App, _ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    let client = app.client
    let count = app.sent.statuses.count
    let guest = await failure { try await app.profile() }
    let isUnsent = app.sent.statuses.count == count
    shown.show("without a session, what needs one is not sent", guest.name == "missingAccessToken" && isUnsent, guest)
    let optional = RequestOptions(requirement: .optional)
    let german = try await client.get(
        "v1/configuration",
        query: ["country": "DE"],
        as: Configuration.self,
        options: optional,
        deadline: .late
    )
    shown.show("what needs none is", german.country == "DE", german)

    var rejection: SessionRejected?
    do {
        _ = try await app.endpoint.session(username: "person@example.com", password: "wrong", deadline: .late)
    } catch {
        rejection = error as? SessionRejected
    }
    shown.show("a wrong password is told from trouble", rejection != nil)

    try await app.logIn()
    let profile = try await app.profile()
    shown.show("requests have the session's token", profile.name == "person", profile)
    let missing = await failure { try await client.get("v1/nothing", as: App.Profile.self, deadline: .late) }
    shown.show("a status that is no success is an error", missing.name == "invalidResponse" && missing?.status == 404, missing)
    let device = ["platform": "linux", "appVersion": "1.4.0"]
    let put = await failure { () async throws -> Void in
        try await client.send(.put, "v1/devices/installation-1", body: device, deadline: .late)
    }
    shown.show("a request may send a value and ask for none", put == nil, put)
    let limits = AnswerLimits(maximumSize: 10, maximumDepth: 16, maximumCount: 50_000)
    let large = await failure {
        try await client.get("v1/profile", as: App.Profile.self, options: RequestOptions(limits: limits), deadline: .late)
    }
    shown.show(
        "an answer over its limits is not decoded",
        large.name == "invalidData" && large?.reason.contains("at most 10") == true,
        large
    )

    let text = "query Greeting($lang: String) { greeting(lang: $lang) { text } }"
    let greet = GraphQLOperation(.query, "Greeting", text, field: "greeting", languageVariable: "lang")
    let greeting = try await client.query(greet, as: Greeting.self, options: RequestOptions(language: "de"), deadline: .late)
    shown.show("GraphQL goes over the same client, in the language that is asked for", greeting.text == "Guten Tag", greeting)
    let register = GraphQLOperation(.mutation, "RegisterSpeaker", "mutation RegisterSpeaker($id: ID!) { registerSpeaker(id: $id) { id } }")
    let failed = await failure { () async throws -> Void in try await client.mutate(register, ["id": "nobody"], deadline: .late) }
    shown.show("errors in an answer of GraphQL are errors", failed.name == "operationFailed", failed)
    let forgotten = await client.fireAndForget(register, ["id": "nobody"], deadline: .late)
    shown.show("who fires and forgets goes on", forgotten.name == "operationFailed", forgotten)
    let all = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id name } }", field: "speakers")
    let names = try await client.query(all, throughEach: SpeakerName.self, deadline: .late)
    shown.show("a response model makes a value of the app's", names.allSatisfy { !$0.isEmpty }, names)
}

/// What is kept of answers, and when it is used.
func showCache(_ app: App, _ service: Service, _ shown: Behaviours) async throws {
    try await service.reset()
    try await app.logIn()
    let client = app.client
    func configuration(_ country: String, _ policy: CachePolicy) async throws -> Configuration {
        let options = RequestOptions(cachePolicy: policy)
        return try await client.get(
            "v1/configuration",
            query: ["country": country],
            as: Configuration.self,
            options: options,
            deadline: .late
        )
    }
    let first = try await configuration("FR", .fetchIgnoringCache)
    let again = try await configuration("FR", .fetchIgnoringCache)
    let isConfirmed = Array(app.sent.statuses.suffix(2)) == [200, 304]
    shown.show("an answer with an entity tag is not sent twice", isConfirmed && first == again, app.sent.statuses.suffix(2))

    let count = app.sent.statuses.count
    let kept = try await configuration("FR", .returnCacheDataElseFetch)
    shown.show("a kept answer is given without asking", kept == first && app.sent.statuses.count == count, kept)
    let absent = await failure { try await configuration("US", .returnCacheDataDontFetch) }
    shown.show("who forbids to ask gets what is kept, or an error", absent.name == "notCached" && app.sent.statuses.count == count, absent)
    let both = RequestOptions(cachePolicy: .returnCacheDataAndFetch)
    var answers = 0
    for try await answer in client.updates(
        "v1/configuration",
        query: ["country": "FR"],
        as: Configuration.self,
        options: both,
        deadline: .late
    ) where answer == first {
        answers += 1
    }
    shown.show("who asks for both gets the kept answer, then the service's", answers == 2, answers)
}
