import TestSupport
import Testing

@testable import Sequencer

@Suite("Resources that a few operations may hold at the same time, in real time", .serialized, .timeLimit(.minutes(30)), .real)
struct RealResourceLimitTests {
    @Test("No more than may hold a resource run together, on lanes and on the main thread, and all of them run")
    func together() async throws {
        var graph = OperationGraph("real")
        graph.limit("net", to: 2)
        let running = Locked((now: 0, most: 0))
        let begin: @Sendable () -> Void = {
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
        }
        let end: @Sendable () -> Void = { running.withLock { $0.now -= 1 } }
        for number in 1...50 {
            graph.add("download-\(number)", .exclusive("net")) {
                begin()
                await Task.yield()
                end()
            }
        }
        for number in 1...10 {
            graph.add("show-\(number)", .exclusive("net"), on: .main) {
                begin()
                await Task.yield()
                end()
            }
        }
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed && report.operations.allSatisfy { $0.outcome == .succeeded })
        let most = running.withLock { $0.most }
        #expect(most <= 2)
    }
}
