import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

extension RealIntegrationTests {
    /// A process that dies when the server has replaced its refresh token, and before it knows.
    @Suite("Killed while refreshing", .serialized, .timeLimit(.minutes(30)), .real)
    struct RealKilledWhileRefreshing {
        private let server: IntegrationServer
        private let folder: TemporaryFolder

        init() async throws {
            server = try await IntegrationServer()
            folder = try TemporaryFolder()
        }

        @Test("fault T7: the next launch is turned down once with the old token, asks for a login, and says why")
        func killed() async throws {
            #expect(try await IntegrationApp(at: server.url, remembering: folder).launch().outcome == .completed)
            try await server.expireTokens()
            // The server does what it is asked to, at once; its answer comes when nobody is there any more.
            try await server.setFault("slow:10m", for: ["/oauth/token"])
            #expect(try await server.count("POST /oauth/token") == 1)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                let url = try #require(IntegrationServer.address)
                let directory = StateDirectory.open(at: URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent("app"))
                let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
                let service = AppService(at: .service(at: url), http: HTTPClient(), directory: directory, app: app, deviceID: "device")
                let client = SampleClient(url)
                _ = Task { try await service.restore(by: .after(.seconds(600))) }
                while try await client.send(.get, "/_admin/counts").object["POST /oauth/token"] as? Int != 2 {}
                killThisProcess()
            }
            try await server.removeFaults()

            let app = try IntegrationApp(at: server.url, remembering: folder)
            let report = try await app.launch()
            #expect(report.scenario == "regular" && report.outcome == .completed, "\(report.json())")
            #expect(report.remarks(.login).contains("the stored session was not used: the service has ended the session"))
            #expect(app.person.shown.contains("login"))
            // The old token, turned down; then the password.
            #expect(try await server.count("POST /oauth/token") == 4)
            #expect(app.person.content?.account.email == "person@example.com")
        }
    }
}
