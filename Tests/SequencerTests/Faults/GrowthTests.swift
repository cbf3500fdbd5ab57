import Foundation
import Testing

@testable import Sequencer

/// What launches leave behind in their process: nothing.
@Suite("Launches by the thousand", .serialized, .timeLimit(.minutes(10)))
struct GrowthTests {
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
            let exclusive = graph.add("exclusive", .exclusive(.userInterface), fallback: .compute { _ in 0 }) { throw Failure() }
            graph.add("main-app", .milestone, using: second, exclusive, on: .main) { _, _ in }
            if number % 3 == 0 { graph.add("abort", after: second) { launch in _ = launch.abort(.forceUpdate) } }
            if number % 5 == 0 { graph.add("fatal", after: second) { throw Failure() } }
            return graph
        }

        private final class ScriptedEnd: ConcurrentOperation, @unchecked Sendable {
            // @unchecked: nothing of its own.
            override func main() { DispatchQueue.global().async { self.finish() } }
        }

        @Test("fault L19: 10,000 launches in one process: after the first hundred neither threads, descriptors nor memory grow")
        func growth() async {
            // In a process of its own: what other tests hold must not count.
            await #expect(processExitsWith: .success) {
                func launch(_ numbers: Range<Int>) async throws {
                    for number in numbers {
                        let sequencer = Sequencer(Self.graph(number), options: LaunchOptions(lanes: 1 + number % 4))
                        let (events, dropped) = (sequencer.events, sequencer.events)
                        if number % 7 == 0 {
                            try sequencer.start()
                            sequencer.cancel()
                            _ = await sequencer.report()
                        } else {
                            _ = try await sequencer.run()
                        }
                        for await event in events where event.kind == .launchEnded { break }
                        _ = dropped
                    }
                }
                try await launch(0..<100)
                let before = try Usage()
                try await launch(100..<10_000)
                let after = try Usage()
                // Threads of the pools come and go; a thread, a descriptor or a kilobyte a launch would be thousands.
                #expect(after.threads <= before.threads + 16, "\(before) → \(after)")
                #expect(after.descriptors <= before.descriptors + 4, "\(before) → \(after)")
                #expect(after.memory <= before.memory + 16_384, "\(before) → \(after)")
                print("10,000 launches: \(before) → \(after)")
            }
        }
    #endif
}
