import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

extension RealIntegrationTests {
    /// The session against a server that counts.
    @Suite("Sessions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
    struct Sessions {
        private let server: IntegrationServer
        private let folder: TemporaryFolder
        private let service: AppService

        init() async throws {
            server = try await IntegrationServer()
            folder = try TemporaryFolder()
            service = try IntegrationApp(at: server.url, remembering: folder).service
            let account = try await service.logIn(email: "person@example.com", password: "correct horse", by: Self.generous)
            #expect(account.email == "person@example.com")
        }

        private static var generous: Deadline { .after(patience) }

        private struct Viewer: Decodable, Sendable { let id: String }

        /// A hundred requests at once, over both transports by turns; what went wrong with each that failed.
        private func hundredRequests(of client: APIClient) async -> [NetworkError] {
            let deadline = Self.generous
            return await withTaskGroup(of: NetworkError?.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        await failure { () throws(NetworkError) in
                            if index.isMultiple(of: 2) {
                                _ = try await client.get("v1/profile", as: UserProfile.self, deadline: deadline)
                            } else {
                                let viewer = GraphQLOperation(.query, "Viewer", "query Viewer { viewer { id } }", field: "viewer")
                                _ = try await client.query(viewer, as: Viewer.self, deadline: deadline)
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { errors, error in if let error { errors.append(error) } }
            }
        }

        @Test("fault T1: a hundred requests over both transports, with a token that has expired: the server counts one refresh")
        func expired() async throws {
            try await server.expireTokens()
            let errors = await hundredRequests(of: service.client)
            #expect(errors.isEmpty, "\(errors)")
            // One for the login, one for all the refreshing.
            #expect(try await server.count("POST /oauth/token") == 2)
        }

        @Test("fault T2: when the server has ended the session, one refresh says so to all, and nobody is logged in any more")
        func ended() async throws {
            try await server.expireTokens()
            try await server.endSessions()
            let errors = await hundredRequests(of: service.client)
            #expect(errors.count == 100)
            #expect(try await server.count("POST /oauth/token") == 2)
            guard case .absent = service.tokens.session else {
                Issue.record("the session is still there")
                return
            }
        }

        @Test(
            "fault T3: a refresh that fails for the moment keeps the session, and the next one succeeds",
            // Where the server has replaced the refresh token and its answer is lost, the session is lost, too: that is no failure of the moment.
            arguments: ["status:500", "html", "empty", "plaintext", "401-basic"]
        )
        func passing(fault: String) async throws {
            try await server.expireTokens()
            try await server.setFault(fault, for: ["/oauth/token"])
            let errors = await hundredRequests(of: service.client)
            #expect(errors.count == 100)
            #expect(errors.allSatisfy { $0.code == .refreshTokenFailed }, "\(Set(errors.map(\.description)))")
            #expect(service.tokens.isLoggedIn)
            try await server.removeFaults()
            let afterwards = await hundredRequests(of: service.client)
            #expect(afterwards.isEmpty, "\(afterwards)")
        }
    }
}
