import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Every thread that the system shares out is blocked for real, each test in a process of its own, which nothing else could go on in.
@Suite("A blocked pool", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBlockedPoolTests {
    @Test(
        "fault O8: a stall is reported while operations on all lanes block a thread of their own and one of the pool, and names them all"
    )
    func blockedByOperations() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let begun = DispatchSemaphore(value: 0)
            let statuses = Locked<[LaunchStatus]>([])
            let box = LaunchBox()
            let count = 64 + ProcessInfo.processInfo.activeProcessorCount
            var graph = OperationGraph("blocked")
            for index in 0..<count {
                graph.add("block-\(index)") {
                    begun.signal()
                    // What waits for a closure that the pool has no thread for.
                    let done = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async {
                        gate.block()
                        done.signal()
                    }
                    done.waitPatiently()
                }
            }
            graph.add("last") {}
            let pool = BlockedPool()
            let watch = StallWatch(after: .milliseconds(50)) { _ in
                for _ in 0..<count { begun.waitPatiently() }
                statuses.withLock { $0 += [(try? box.launchBlocking())?.status].compactMap(\.self) }
                #expect(pool.isBlocked)
                pool.release()
                gate.open()
            }
            let report = try await box.run(graph, options: LaunchOptions(lanes: count, deadline: .patience, stallWatch: watch)).report
            #expect(report.outcome == .completed)
            let status = try #require(statuses.withLock { $0.first })
            let running = status.operations.filter { $0.wait == .code(nil) }.map(\.id)
            #expect(running.count == count)
            let waiting = status.operations.dropFirst(running.count)
            #expect(waiting.last?.id == "last" && waiting.allSatisfy { $0.wait == .lane(takenBy: running) })
        }
    }
}

/// All threads of all of the system's global queues, each blocked until it is released.
private final class BlockedPool: Sendable {
    private static let classes: [DispatchQoS.QoSClass] = [.userInteractive, .userInitiated, .default, .utility, .background]
    /// More than the pool has threads, which are 64 on Linux, or 64 and as many as there are processors.
    private static let blockers = 256
    private let gate = Gate()
    private let passed = Locked(0)

    init() {
        for quality in Self.classes {
            for _ in 0..<Self.blockers { DispatchQueue.global(qos: quality).async { [gate] in gate.block() } }
            // Comes after all of these, in each queue.
            DispatchQueue.global(qos: quality).async { [passed] in passed.withLock { $0 += 1 } }
        }
    }

    /// Whether what was added last has not run in any queue: all threads there are block.
    var isBlocked: Bool { passed.withLock { $0 } == 0 }

    func release() { gate.open() }
}
