import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// Values and errors, as a log or an alert of an app shows them.
@Suite("Public API: descriptions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DescriptionTests {
    private func failure<Result>(_ body: () throws -> Result) -> (any Error)? {
        do {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("an error's localizedDescription, which an alert shows, is its description")
    func errors() async throws {
        var graph = OperationGraph("errors")
        let step = graph.add("step", .onFailure(.continue)) { 1 }
        try graph.inject(.fail, into: "step")
        let launch = try await graph.run(options: virtual())
        let report = launch.report
        let history = LaunchHistoryFile(URL(fileURLWithPath: "/there-is-none-\(UUID().uuidString)/history.json"))
        let thrown = [
            failure { try graph.validated().ancestors(of: "stp") },
            failure { try launch[step] },
            (failure { try launch[step] } as? OperationError)?.underlying,
            failure { try report.otlp() },
            failure { try history.record(report) },
            failure { try APIEnvironment(graphQL: "") },
            failure { try DeepLinkRouter(origins: [], routes: []).link("") },
            failure { try PushPayloadParser(categories: []).payload(from: Data()) },
            failure { try ShortcutItems([ShortcutItem("play")]).item(ofType: "pay") },
        ]
        let made: [any Error] = [
            StorageError(.locked, "session", "the device was not unlocked yet"),
            NetworkError(.timedOut, request: "GET api.example.com/v1/profile", "no answer within 2 s"),
            SessionRejected("invalid_grant"),
            AccountError(.invalidCredentials, "the address or the password is wrong"),
            DeviceError(.unreachable, "speaker kitchen", "there is none"),
            SDKError(.superseded, "client", "it was reconfigured"),
        ]
        #expect(!thrown.contains { $0 == nil })
        for error in thrown.compactMap({ $0 }) + made {
            #expect(error.localizedDescription == "\(error)")
            // Words, and not the fields of a value.
            #expect(!"\(error)".contains("Error("))
        }
    }
}
