import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples

extension RealIntegrationTests {
    /// Whole launches, while everything that they ask the server for goes wrong in the same way.
    ///
    /// How long a launch takes is up to its own limits: that it has ended within its deadline, with nothing left running, is checked by
    /// ``IntegrationApp/launch()``; here it is checked what took the place of what, and that the report says so.
    @Suite("Launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
    struct Launches {
        private let server: IntegrationServer
        private let folder: TemporaryFolder

        init() async throws {
            server = try await IntegrationServer()
            folder = try TemporaryFolder()
        }

        /// Each way in which no answer comes that could be used, and what a report says of it.
        static let faults: [(fault: String, said: String)] = [
            ("hang", "no answer"), ("drip", "no answer"), ("slow:30s", "no answer"), ("status:500", "status 500"),
            ("status:404", "status 404"),
            ("status:503;retry-after=86400", "503"), ("status:503;retry-after=-1", "503"), ("status:429", "status 429"),
            ("garbage", "JSON"), ("html", "text/html where JSON was expected"), ("empty", "no body"), ("null", "found null"),
            ("nul-bytes", "byte"), ("invalid-utf8", "UTF-8"), ("body:\"\"", "found a string"), ("body:7", "found a number"),
            ("body:{", "JSON"),
            ("status:204", "no body"),
            ("status:304", "status 304"), ("wrong-type", "expected"), ("truncated", "cut off"), ("reset", "connection"),
            ("plaintext", "no HTTP"),
            ("redirect:http://127.0.0.1:1/", "127.0.0.1:1"), ("redirect:http://127.0.0.1:1/;status=307", "127.0.0.1:1"),
            ("redirect-loop", "redirected"), ("big:200MB", "bytes"), ("gzip-bomb:200MB", ":"), ("401-basic", "401"),
        ]

        @Test("what is late but in time, or brings a header field along, is used", arguments: ["slow:50ms", "header:Set-Cookie=a=b"])
        func harmless(fault: String) async throws {
            try await server.setFault(fault)
            for scenario in ["first-launch", "regular"] {
                let report = try await IntegrationApp(at: server.url, remembering: folder).launch()
                #expect(report.scenario == scenario && report.outcome == .completed)
                #expect(report[.fetchConfig]?.outcome == .succeeded && report.remarks(.forceUpdate).isEmpty, "\(report.json())")
            }
        }

        @Test(
            "fault N4, N5, N7, N8, N10, N11, N12, N14, N15, N16, N18, N19, N20, N24: a first launch goes on with what it was delivered with",
            arguments: faults
        )
        func firstLaunch(fault: String, said: String) async throws {
            try await server.setFault(fault)
            let app = try IntegrationApp(at: server.url, remembering: folder, person: AgreeablePerson(login: .continueAsGuest))
            let report = try await app.launch()
            #expect(report.scenario == "first-launch" && report.outcome == .completed, "\(report.json())")
            #expect(report[.fetchConfig]?.outcome == .fellBack)
            let remarks = report.remarks(.fetchConfig)
            #expect(remarks.contains("the configuration the app was delivered with was used"), "\(remarks)")
            #expect(remarks.contains("/v1/countries") && remarks.contains(said), "\(remarks)")
            #expect(report.remarks(.login).contains("there is no session, not even a guest's"), "\(report.remarks(.login))")
            #expect(report.remarks(.connectSpeaker).contains("no speaker was chosen, and the next launch does not ask"))
            #expect(app.person.content?.account == .guest)
            #expect(app.person.content?.configuration.source == .bundled)
        }

        @Test(
            "fault N4, N5, N7, N8, N10, N11, N12, N14, N15, N16, N18, N19, N20, N24, T3: a regular launch goes on with what it knew",
            arguments: faults
        )
        func regular(fault: String, said: String) async throws {
            #expect(try await IntegrationApp(at: server.url, remembering: folder).launch().outcome == .completed)
            try await server.setFault(fault)
            let app = try IntegrationApp(at: server.url, remembering: folder)
            let report = try await app.launch()
            #expect(report.scenario == "regular")
            expectLastKnown(report, app)
            #expect(report.remarks(.fetchConfig).contains(said), "\(report.remarks(.fetchConfig))")
            // Nothing is left of it: the next launch is as if nothing had been.
            try await server.removeFaults()
            let next = try await IntegrationApp(at: server.url, remembering: folder).launch()
            #expect(next.operations.allSatisfy { $0.outcome == .succeeded && $0.notes.isEmpty }, "\(next.json())")
        }

        @Test("fault N1: nobody listens where the server was: a regular launch goes on with what it knew")
        func down() async throws {
            let own = try BackendProcess.start()
            defer { own.stop() }
            #expect(try await IntegrationApp(at: own.url, remembering: folder).launch().outcome == .completed)
            own.stop()
            let app = try IntegrationApp(at: own.url, remembering: folder)
            let report = try await app.launch()
            // The speaker was a part of the same process.
            expectLastKnown(report, app, speaker: .failed)
            #expect(report.remarks(.forceUpdate).contains("connection refused"))
        }

        @Test("fault N20: an update that was required once is required while the server says nothing else, and not after")
        func requiredUpdate() async throws {
            #expect(try await IntegrationApp(at: server.url, remembering: folder).launch().outcome == .completed)
            try await server.setVersionPolicy(#"{"minimumVersion":"2.0.0"}"#)
            for fault in [nil, "reset", "html", "hang"] {
                if let fault { try await server.setFault(fault) }
                let app = try IntegrationApp(at: server.url, remembering: folder)
                let report = try await app.launch()
                #expect(report.outcome == .aborted(by: StartupStep.forceUpdate.id, reason: .forceUpdate), "\(report.json())")
                #expect(report.remarks(.forceUpdate).contains("the last known update policy was used") == (fault != nil))
                #expect(app.person.shown.last == "update")
            }
            try await server.removeFaults()
            try await server.setVersionPolicy(#"{"minimumVersion":"1.0.0"}"#)
            #expect(try await IntegrationApp(at: server.url, remembering: folder).launch().outcome == .completed)
        }

        private func expectLastKnown(
            _ report: LaunchReport,
            _ app: IntegrationApp,
            speaker: Outcome = .succeeded,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(report.outcome == .completed, "\(report.json())", sourceLocation: sourceLocation)
            #expect(report[.fetchConfig]?.outcome == .fellBack, sourceLocation: sourceLocation)
            let remarks = report.remarks(.fetchConfig)
            #expect(remarks.contains("the last known configuration, 7, was used"), "\(remarks)", sourceLocation: sourceLocation)
            let login = report.remarks(.login)
            #expect(login.contains("the session could not be checked, and was used as it was"), "\(login)", sourceLocation: sourceLocation)
            #expect(!report.remarks(.forceUpdate).isEmpty, sourceLocation: sourceLocation)
            #expect(report[.connectSpeaker]?.outcome == speaker, sourceLocation: sourceLocation)
            #expect(app.person.content?.account.email == "person@example.com", sourceLocation: sourceLocation)
            #expect(app.person.content?.configuration.source == .cached, sourceLocation: sourceLocation)
            #expect(app.person.shown == ["splash", "main"], sourceLocation: sourceLocation)
        }
    }
}
