import Behaviours
import Foundation
import StartupSamples

/// What StartupSamples says of itself, shown by a program that imports nothing else of the package.
@main
enum Samples {
    static func main() async throws {
        let shown = Behaviours()
        try showService(shown)
        try await showBackend(shown)
        let speaker = try LoopbackSpeaker(name: "Kitchen")
        let isThere = speaker.speaker
        shown.show("a speaker listens on this machine", isThere.name == "Kitchen" && isThere.port > 0, isThere)
        speaker.stop()
        shown.end()
    }

    private static func showService(_ shown: Behaviours) throws {
        let store = StateDirectory.inMemory().state
        let service = SampleService(store: store)
        shown.show("the service answers", status(of: service.answer(try request(.get, "v1/countries"))) == 200)
        shown.show("it knows which paths it has", status(of: service.answer(try request(.get, "v1/nothing"))) == 404)

        service.setFault(.status(503), for: "/v1/countries", times: 1)
        let first = status(of: service.answer(try request(.get, "v1/countries")))
        let second = status(of: service.answer(try request(.get, "v1/countries")))
        shown.show("a fault happens as often as said", first == 503 && second == 200, "\(first), then \(second)")
        service.setFault(.hang, for: "/v1/countries")
        shown.show("a fault may be that there is no answer", service.answer(try request(.get, "v1/countries")) == .hang)
        service.removeFaults()
        shown.show("faults can be removed", status(of: service.answer(try request(.get, "v1/countries"))) == 200)
        let fault = try SampleFault(parsing: "status:503;retry-after=2")
        shown.show("a fault has a text", fault == .status(503, headers: ["Retry-After": "2"]))

        let account = Data(#"{"email": "ada@example.com", "password": "correct horse"}"#.utf8)
        let created = service.answer(HTTPRequest(.post, try request(.get, "v1/accounts").url, body: account))
        let again = SampleService(store: store).answer(HTTPRequest(.post, try request(.get, "v1/accounts").url, body: account))
        shown.show("a service with a store remembers accounts", status(of: created) == 201 && status(of: again) == 409, again)
    }

    private static func showBackend(_ shown: Behaviours) async throws {
        let backend = EmbeddedBackend(SampleService())
        let client = HTTPClient(over: backend)
        let answer = try await client.send(
            HTTPRequest(.get, backend.baseURL.appending(path: "v1/countries")),
            deadline: .after(.seconds(60))
        )
        shown.show("a backend in this process answers a real client", answer.status == 200, answer)
        backend.service.setFault(.status(404), for: "/v1/countries")
        let other = try await client.send(
            HTTPRequest(.get, backend.baseURL.appending(path: "v1/countries")),
            deadline: .after(.seconds(60))
        )
        shown.show("it performs the faults of its service", other.status == 404, other)
    }

    private struct NoAddress: Error {}

    private static func request(_ method: HTTPMethod, _ path: String) throws -> HTTPRequest {
        guard let url = URL(string: "https://sample.invalid/\(path)") else { throw NoAddress() }
        return HTTPRequest(method, url)
    }

    private static func status(of answer: SampleAnswer) -> Int {
        if case .response(let response, _) = answer { response.status } else { 0 }
    }
}
