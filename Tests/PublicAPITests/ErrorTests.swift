import Sequencer
import SequencerAnalysis
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
}
