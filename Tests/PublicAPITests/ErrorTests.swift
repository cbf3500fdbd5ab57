import Sequencer
import SequencerAnalysis
import StartupNetworking
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// What an app does about an error follows from its code.
@Suite("Public API: kinds of error", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ErrorTests {
    private func advice(_ error: (any Error)?) -> String {
        switch error {
        case let error as StorageError where error.code == .noSpace: "free some space"
        case let error as StorageError where error.code == .accessDenied: "let the app use its folder"
        case let error as DeviceError where error.code == .timedOut: "try again"
        case let error as DeviceError where error.code == .invalidAddress: "correct the address"
        case let error as SDKError where error.code == .superseded: "wait for the other one"
        case let error as ExportError where error.code == .unknownStart: "say when it began"
        case let error as NetworkError where error.code == .unauthorized: "log in"
        case let error as NetworkError where error.retryAfter != nil: "try again later"
        default: "tell us"
        }
    }

    @Test("a full disk is told from denied access, a slow device from a wrong address, a set-up that was overtaken from one that failed")
    func codes() async throws {
        var graph = OperationGraph("launch")
        graph.add("main", .milestone) {}
        let report = try await graph.run(options: virtual()).report
        let export = #expect(throws: ExportError.self) { try report.otlp() }
        let errors: [(any Error)?] = [
            StorageError(.noSpace, "settings", "the disk is full"), StorageError(.accessDenied, "settings", "the folder is another user's"),
            DeviceError(.timedOut, "speaker kitchen", "no answer"), DeviceError(.invalidAddress, "speaker kitchen", "port 70000"),
            SDKError.superseded("client"), SDKError(.clientFailed, "client", "no licence"), export,
        ]
        let told = [
            "free some space", "let the app use its folder", "try again", "correct the address", "wait for the other one", "tell us",
            "say when it began",
        ]
        #expect(errors.map(advice) == told)
        #expect(errors.compactMap { ($0 as? StorageError)?.code.description } == ["noSpace", "accessDenied"])
    }

    @Test("a token that the service does not accept is told from a service that asks for a pause")
    func answers() {
        let errors = [
            NetworkError(.unauthorized, request: "GET api.example.com/v1/profile", "status 401", status: 401),
            NetworkError(.invalidResponse, request: "GET api.example.com/v1/profile", "status 503", status: 503, retryAfter: .seconds(30)),
            NetworkError(.operationFailed, request: "POST api.example.com/graphql", "the service answered with errors"),
        ]
        #expect(errors.map { advice($0) } == ["log in", "try again later", "tell us"])
    }
}
