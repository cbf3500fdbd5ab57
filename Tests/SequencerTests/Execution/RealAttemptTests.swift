import Foundation
import Sequencer
import TestSupport
import Testing

/// Attempts whose code does not come back when it is told to.
@Suite("Attempts that never come back", .serialized, .timeLimit(.minutes(30)), .real)
struct RealAttemptTests {
    private static let limited = StepOption.retry(attempts: 100, timeout: .milliseconds(200), backoff: .zero)

    @Test("a function that never calls back is called again, also an operation that never finishes")
    func neverCallsBack() async throws {
        var graph = OperationGraph("never")
        let suspends = graph.add("suspends", Self.limited) { launch in
            if launch.attempt == 1 { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            return launch.attempt
        }
        let operation = graph.addOperation("operation", Self.limited) { launch -> Operation in
            launch.attempt == 1 ? Endless() : BlockOperation {}
        }
        let launch = try await graph.run()
        #expect(try launch[suspends] > 1)
        #expect(launch.report.outcome == .completed && launch.report[operation.id]?.attempts ?? 0 > 1)
    }

    @Test("code that blocks its thread is left behind, and the next attempt gets the only lane")
    func blocks() async throws {
        let gate = Gate(patience: .seconds(30))
        var graph = OperationGraph("blocks")
        let blocks = graph.add("blocks", Self.limited) { launch in
            if launch.attempt == 1 { gate.block() }
            return launch.attempt
        }
        var options = LaunchOptions()
        options.lanes = 1
        let launch = try await graph.run(options: options)
        #expect(try launch[blocks] > 1)
        gate.open()
    }

    private final class Endless: ConcurrentOperation, @unchecked Sendable {
        // It has no state of its own.
        override func main() {}
    }
}
