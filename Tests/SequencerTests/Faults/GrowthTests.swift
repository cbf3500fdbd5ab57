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

    #if os(Linux)
        /// What this process holds at the moment.
        private struct Usage {
            var threads: Int
            var descriptors: Int
            /// In kilobytes.
            var memory: Int

            init() throws {
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                func number(_ field: String) -> Int {
                    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
                    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? -1
                }
                threads = number("Threads")
                memory = number("VmRSS")
                descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
        }

        /// Every kind of step, and every way to end.
        private static func graph(_ number: Int) -> OperationGraph {
            struct Failure: Error {}
            var graph = OperationGraph("growth")
            let first = graph.add("first") { 1 }
            let second = graph.add("second", using: first) { value in
                await Task.yield()
                return value + 1
            }
            graph.add("block", after: second) { Thread.sleep(forTimeInterval: 0.000_1) }
            graph.add("fails", .onFailure(.continue), .retry(attempts: 2, backoff: .microseconds(10))) { throw Failure() }
            graph.add("late", .timeout(.microseconds(50)), .onFailure(.continue)) { launch in
                // A sleep that is cancelled keeps its memory until its time is up: the system has no other way.
                try await launch.sleep(for: .milliseconds(20))
            }
            graph.addOperation("operation", after: first) { _ in ScriptedEnd() }
            let exclusive = graph.add("exclusive", .exclusive(.userInterface)) {
                throw Failure()
            } fallback: { _, _ in
                0
            }
            graph.add("main-app", .milestone, using: second, exclusive, on: .main) { _, _ in }
            if number % 3 == 0 { graph.add("abort", after: second) { launch in _ = launch.abort(.forceUpdate) } }
            if number % 5 == 0 { graph.add("fatal", after: second) { throw Failure() } }
            return graph
        }

        private final class ScriptedEnd: ConcurrentOperation, @unchecked Sendable {
            // @unchecked: nothing of its own.
            override func main() { DispatchQueue.global().async { self.finish() } }
        }

        @Test(
            "fault L19: 10,000 launches in one process: after the first hundred neither threads, descriptors nor memory grow",
            .nightly
        )
        func growth() async {
            // In a process of its own: what other tests hold must not count.
            await #expect(processExitsWith: .success) {
                func launch(_ numbers: Range<Int>) async throws {
                    for number in numbers {
                        let graph = Self.graph(number)
                        let launch = try graph.start(options: LaunchOptions(lanes: 1 + number % 4, deadline: .patience))
                        let (events, dropped) = (launch.events, launch.events)
                        if number % 7 == 0 { launch.cancel() }
                        _ = await launch.end()
                        for await event in events where event.kind == .launchEnded { break }
                        _ = dropped
                    }
                }
                try await launch(0..<100)
                let before = try Usage()
                try await launch(100..<10_000)
                let after = try Usage()
                // Threads of the pools come and go, more of them on a busy machine; a thread, a descriptor or a kilobyte a launch would be thousands.
                #expect(after.threads <= before.threads + 100, "\(before) → \(after)")
                #expect(after.descriptors <= before.descriptors + 4, "\(before) → \(after)")
                #expect(after.memory <= before.memory + 16_384, "\(before) → \(after)")
                print("10,000 launches: \(before) → \(after)")
            }
        }
    #endif
}
