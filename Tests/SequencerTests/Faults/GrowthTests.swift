import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// What launches leave behind in their process: nothing.
@Suite("Launches by the thousand", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GrowthTests {
    /// Tells whether all of its parts are gone.
    private final class Remains: Sendable {
        private let count = Locked(0)
        var isEmpty: Bool { count.withLock { $0 } == 0 }
        func add() { count.withLock { $0 += 1 } }
        func remove() { count.withLock { $0 -= 1 } }
    }

    /// What a step holds.
    private final class Part: Sendable {
        private let remains: Remains
        init(_ remains: Remains) {
            self.remains = remains
            remains.add()
        }
        deinit { remains.remove() }
        func touch() {}
    }

    private final class HoldingOperation: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: both are constant, and Sendable themselves.
        private let part: Part
        private let isLate: Bool
        init(_ part: Part, isLate: Bool) {
            (self.part, self.isLate) = (part, isLate)
        }
        override func main() {
            if isLate { DispatchQueue.global().async { self.finish() } } else { finish() }
        }
    }

    @Test(
        "fault L19: a launch that is over and that nobody holds leaves nothing, whatever its steps are",
        arguments: [0, 1, 2, 3, 4, 5, 6, 7]
    )
    func nothingIsLeft(kind: Int) async throws {
        let remains = Remains()
        func launch() async throws {
            let part = Part(remains)
            var graph = OperationGraph("remains")
            switch kind {
            case 0: graph.add("step") { part.touch() }
            case 1:
                graph.add("step") {
                    await Task.yield(); part.touch()
                }
            case 2: graph.add("step", on: .main) { part.touch() }
            case 3: graph.add(HoldingOperation(part, isLate: false), id: "step")
            case 4: graph.add(HoldingOperation(part, isLate: true), id: "step")
            case 5: graph.add(BlockOperation { part.touch() }, id: "step")
            case 6: graph.addOperation("step") { _ in HoldingOperation(part, isLate: true) }
            default:
                graph.add("step") {
                    throw CancellationError()
                } fallback: { _, _ in
                    part.touch()
                }
            }
            let launch = try await graph.run(options: .patient)
            let report = launch.report
            #expect(report.outcome == .completed && launch.anomalies.isEmpty && !remains.isEmpty)
        }
        for _ in 0..<3 { try await launch() }
        // The last worker, and whoever ended the last operation, may be on their way back.
        await eventually { remains.isEmpty }
    }
}
