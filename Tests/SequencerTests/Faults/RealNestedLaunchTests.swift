import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Launches that steps run.
@Suite("Faults of launches within steps", .serialized, .timeLimit(.minutes(30)), .real)
struct RealNestedLaunchTests {
    @Test("fault O13: a launch within a step has no more time than the step, and ends with it", arguments: [false, true])
    func remainingTime(onMain: Bool) async throws {
        let limits = Locked<[Duration?]>([])
        let inner = Locked<LaunchReport?>(nil)
        let ended = Gate()
        var within = OperationGraph("inner")
        within.add("waits") { (launch: StepContext) async throws in
            limits.withLock { $0.append(launch.remainingTime) }
            try await launch.sleep(for: .seconds(3600))
        }
        let body: @Sendable (StepContext) async throws -> Void = { [within] launch in
            limits.withLock { $0.append(launch.remainingTime) }
            let report = try await within.run(options: LaunchOptions(deadline: .seconds(1000))).report
            inner.withLock { $0 = report }
            ended.open()
        }
        var graph = OperationGraph("outer")
        let first = graph.add("first") { await Self.nothing() }
        if onMain {
            graph.add("nests", .timeout(.milliseconds(500)), .onFailure(.continue), after: first, on: .main) { launch in
                try await body(launch)
            }
        } else {
            graph.add("nests", .timeout(.milliseconds(500)), .onFailure(.continue), after: first) { launch in try await body(launch) }
        }
        let report = try await graph.run().report
        #expect(report["nests"]?.outcome == .timedOut)
        await ended.wait()
        #expect(inner.withLock { $0 }?.outcome.name != "completed")
        let (outerLimit, innerLimit) = limits.withLock { ($0.first ?? nil, $0.last ?? nil) }
        let outer = try #require(outerLimit)
        let inherited = try #require(innerLimit)
        #expect(limits.withLock { $0.count } == 2)
        #expect(inherited <= outer)
    }

    @Test("fault O13: a launch that begins in a task which its step has left behind is none of the next step's")
    func leftBehind() async throws {
        let (mayBegin, ended) = (Gate(), Gate())
        let limits = Locked<[Duration?]>([])
        var within = OperationGraph("inner")
        within.add("asks") { (launch: StepContext) in limits.withLock { $0.append(launch.remainingTime) } }
        var graph = OperationGraph("outer")
        let leaves = graph.add("leaves") { [within] in
            Task {
                await mayBegin.wait()
                _ = try? await within.run(options: LaunchOptions(deadline: .seconds(1000)))
                ended.open()
            }
            await Self.nothing()
        }
        graph.add("next", .timeout(.seconds(30)), after: leaves) {
            mayBegin.open()
            await ended.wait()
        }
        _ = try await graph.run(options: LaunchOptions(lanes: 1))
        let limit = try #require(limits.withLock { $0.first ?? nil })
        #expect(limit > .seconds(100))
    }

    static func nothing() async {}

    @Test("fault O13: an inner launch with a longer budget than the outer step has time ends with it")
    func innerDeadline() {
        var options = LaunchOptions()
        #expect(options.settings(for: .seconds(60)).deadline == Duration.seconds(60).nanoseconds)
        options = options.within(.seconds(40))
        #expect(options.settings(for: .seconds(60)).deadline == Duration.seconds(40).nanoseconds)
        #expect(LaunchOptions(deadline: nil).within(.seconds(40)).settings(for: .seconds(3)).deadline == Duration.seconds(40).nanoseconds)
        #expect(LaunchOptions().within(.seconds(40)).settings(for: .seconds(3)).deadline == Duration.seconds(30).nanoseconds)
    }
}
