import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// A fallback is wanted where something goes wrong, and there every thread may be kept.
@Suite("Fallbacks beside steps that block", .serialized, .timeLimit(.minutes(30)), .real)
struct RealFallbackTests {
    enum Shortage: CaseIterable, Sendable {
        case lanes, threads, queue

        var options: LaunchOptions {
            var options = LaunchOptions.patient
            switch self {
            case .lanes: options.lanes = 1
            case .threads: break
            case .queue:
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                options.queue = queue
            }
            return options
        }
    }

    @Test(
        "a fallback is computed at once, whatever keeps every lane, every thread or the app's queue",
        arguments: Shortage.allCases,
        [false, true]
    )
    func atOnce(_ shortage: Shortage, isOnMain: Bool) async throws {
        // The fallback itself lets those end that keep everything. Whoever waits in vain goes on after a while, so that this fails and does not hang.
        let (hasBegun, gate) = (Gate(), Gate(patience: .seconds(30)))
        let body: @Sendable (StepContext) async throws -> Int = { launch in
            hasBegun.open()
            try await launch.sleep(for: .seconds(3_600))
            return 1
        }
        let fallback: @Sendable (StepContext, (any Error)?) -> Int = { _, _ in
            // On a busy machine the step may have timed out before its code could begin.
            hasBegun.open()
            gate.open()
            return 7
        }
        var graph = OperationGraph("kept")
        let timeout = StepOption.timeout(.milliseconds(100))
        let answer: Step<Int>
        if isOnMain {
            answer = graph.add("answers", timeout, on: .main, fallback: nil, body: { try await body($0) }, fallback: fallback)
        } else {
            answer = graph.add("answers", timeout, fallback: nil, body: body, fallback: fallback)
        }
        // They come later than that step, and before its fallback: they are the longest.
        let ready = graph.add("ready", on: .main) { await hasBegun.wait() }
        for number in 0..<(shortage == .threads ? Worker.processors : 1) {
            graph.add("keeps-\(number)", .expected(.seconds(1_000)), after: ready) { gate.block() }
        }
        let launch = try await graph.run(options: shortage.options)
        #expect(launch.report.outcome == .completed && launch.report["answers"]?.outcome == .fellBack)
        #expect(try launch[answer] == 7)
    }

    /// ```
    /// keeps-0, keeps-1, ... in the app's queue: block until the fallback has run
    /// answers, on the main thread: fails when all of them block
    /// ```
    @Test("a fallback is computed while steps in the app's queue block every thread of the system's pool")
    func blockedPool() async throws {
        // The pool has as many threads as there are processors.
        let width = Worker.processors
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        var options = LaunchOptions.patient
        options.queue = queue
        let (allBlock, hasRun) = (Gate(), Gate(patience: .seconds(30)))
        let missing = Locked(width)
        var graph = OperationGraph("blocked-pool")
        // If the fallback had to wait for the pool, it would time out before the others go on.
        let answer = graph.add("answers", .timeout(.seconds(20)), on: .main, fallback: nil) { () async throws -> Int in
            await allBlock.wait()
            throw TestError(1)
        } fallback: { _, _ in
            hasRun.open()
            return 7
        }
        for number in 0..<width {
            graph.add("keeps-\(number)") {
                let isLast = missing.withLock { missing in
                    missing -= 1
                    return missing == 0
                }
                if isLast { allBlock.open() }
                hasRun.block()
            }
        }
        let launch = try await graph.run(options: options)
        #expect(launch.report.outcome == .completed && launch.report["answers"]?.outcome == .fellBack)
        #expect(try launch[answer] == 7)
    }
}
