import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// The values that a launch leaves, and why there is none.
@Suite("A launch that has ended", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FinishedLaunchTests {
    private struct Offline: Error, Equatable {}

    /// What `launch[step]` throws.
    private func error<Value>(_ launch: FinishedLaunch, _ step: Step<Value>) -> OperationError? {
        do throws(OperationError) {
            _ = try launch[step]
            return nil
        } catch {
            return error
        }
    }

    @Test("a step without a value throws how it ended, why, and the error that it threw")
    func errors() async throws {
        var graph = OperationGraph("errors")
        let failed = graph.add("failed", .onFailure(.continue)) { () throws -> Int in throw Offline() }
        let hangs = graph.add("hangs", .timeout(.milliseconds(50)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .seconds(9))
            return 1
        }
        let unwanted = graph.add("unwanted", .when { false }) { 1 }
        let needs = graph.add("needs", using: failed) { $0 }
        let launch = try await graph.run(options: .virtual())

        let failure = try #require(error(launch, failed))
        #expect(failure.operation == "failed" && failure.outcome == .failed && failure.underlying as? Offline == Offline())
        #expect(failure.description == "failed: Offline()" && failure.localizedDescription == failure.description)
        let timeout = try #require(error(launch, hangs))
        #expect(timeout.outcome == .timedOut && timeout.message == "not ended after its timeout of 50 ms")
        let condition = try #require(error(launch, unwanted))
        #expect(condition.outcome == .skipped && condition.message == "its condition was false" && condition.underlying == nil)
        let skipped = try #require(error(launch, needs))
        #expect(skipped.outcome == .skipped && skipped.message == "failed failed")
    }
}
