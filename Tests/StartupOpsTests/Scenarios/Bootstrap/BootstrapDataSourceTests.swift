import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// What an app says of its own requests.
@Suite("Bootstrap: the app's data source", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapDataSourceTests {
    private let harness = BootstrapHarness()

    private final class Source: APIDataSource {
        let asked = Locked<[String]>([])
        var userInfoHeaders: HTTPHeaders { ["X-Tier": "gold"] }

        func requiresToken(operation: String) -> Bool {
            asked.withLock { $0.append(operation) }
            return operation != "GET v1/countries"
        }
    }

    /// Keeps each request that passes.
    private struct Recorder: HTTPSending {
        let http: any HTTPSending
        let requests = Locked<[HTTPRequest]>([])

        /// Those that the test sends, and a launch: nothing else asks for countries.
        var countries: [HTTPRequest] { requests.withLock { $0.filter { $0.url.path() == "/v1/countries" } } }

        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            requests.withLock { $0.append(request) }
            return try await http.send(request, deadline: deadline)
        }
    }

    private func bootstrap(_ plan: BootstrapPlan, _ recorder: Recorder, _ source: Source? = nil) throws -> Bootstrap {
        try Bootstrap(plan, app: harness.app, directory: harness.directory, http: recorder, dataSource: source)
    }

    @Test("C6, C7, C8: an app's own data source is asked; once it is let go of, requests go on as a guest's or fail, and launches go on")
    func letGo() async throws {
        let recorder = Recorder(http: harness.http)
        var source: Source? = Source()
        weak let watched = source
        let first = try bootstrap(harness.plan(), recorder, source)
        #expect(try await harness.launch(first).outcome == .completed)
        let client = try first.configuration().client
        try await client.get("v1/countries", deadline: .never)
        #expect(watched?.asked.withLock { $0.contains("GET v1/countries") } == true)
        let asked = recorder.countries
        #expect(asked.last?.bearer != nil && asked.last?.headers["X-Tier"] == "gold")

        source = nil
        // The user's profile may be asked for just now.
        await eventually { client.dataSource == nil }
        #expect(watched == nil)
        let error = await failure { () throws(NetworkError) in try await client.get("v1/countries", deadline: .never) }
        #expect(error?.code == .missingAccessToken && recorder.countries.count == asked.count)
        #expect(error?.reason.contains("the client's data source is gone: keep that object") == true)
        try await client.get("v1/countries", options: RequestOptions(requirement: .optional), deadline: .never)
        let guest = try #require(recorder.countries.last)
        #expect(guest.bearer == nil && guest.headers["X-Tier"] == nil)
        // The session is there, and can be ended.
        #expect(first.service.storedSession().value != nil)
        await first.service.logOut(because: "requested")
        #expect(first.service.storedSession().value == nil)
        #expect(try await harness.launch(try bootstrap(harness.plan(), recorder, Source())).outcome == .completed)
    }

    @Test("C6, C20: the plan names its guests' operations, and the prefix of its headers; one that begins no header is refused")
    func planned() async throws {
        let recorder = Recorder(http: harness.http)
        var plan = harness.plan()
        plan.headerPrefix = "X-Example"
        plan.guestOperations = ["GET v1/countries"]
        let bootstrap = try bootstrap(plan, recorder)
        try await bootstrap.service.client.get("v1/countries", deadline: .never)
        let request = try #require(recorder.countries.last)
        #expect(request.bearer == nil && request.headers["X-Example-Platform"] == harness.app.platform)
        let error = await failure { () throws(NetworkError) in try await bootstrap.service.client.get("v1/flags", deadline: .never) }
        #expect(error?.code == .missingAccessToken)
        for prefix in ["", "X Example", "X:", "X\n"] {
            plan.headerPrefix = prefix
            let error = #expect(throws: RegistryError.self) { try plan.validate() }
            #expect(error?.problems.count == 1 && error?.description.contains("begins no header's name") == true)
        }
    }
}
