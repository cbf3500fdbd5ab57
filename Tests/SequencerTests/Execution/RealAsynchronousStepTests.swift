import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Asynchronous steps share a task until one of them suspends; nobody may be able to tell.
@Suite("Asynchronous steps", .serialized, .timeLimit(.minutes(30)), .real)
struct RealAsynchronousStepTests {
    @Test("A long chain of steps that never suspend runs in order, on one stack")
    func longChain() async throws {
        let seen = Locked<[Int]>([])
        var graph = OperationGraph("chain")
        var last = graph.add("0") { await note(0, in: seen) }
        let count = Nightly.times(day: 10_000, night: 50_000)
        for node in 1..<count { last = graph.add("\(node)", after: last) { await note(node, in: seen) } }
        let report = try await graph.run(options: LaunchOptions(lanes: 1, deadline: .patience)).report
        #expect(report.outcome == .completed)
        #expect(seen.withLock { $0 } == Array(0..<count))
    }

    @Test("Where the system heeds that, what the milestone does not need runs at utility quality of service, unless it says otherwise")
    func laterSteps() async throws {
        let priorities = Locked<[String: TaskPriority]>([:])
        var graph = OperationGraph("later")
        let note: @Sendable (String) async -> Void = { id in
            let priority = Task.currentPriority
            priorities.withLock { $0[id] = priority }
        }
        graph.add("first") { await note("first") }
        graph.add("skeleton", .initialDisplay, after: "first") { await note("skeleton") }
        graph.add("cache", .exclusive("database"), after: "first") { await note("cache") }
        graph.add("home", .milestone, after: "first", "cache") { await note("home") }
        graph.add("sync") { await note("sync") }
        graph.add("backup", .qualityOfService(.background)) { await note("backup") }
        graph.add("later", after: "home") { await note("later") }
        graph.add("migrate", .exclusive("database")) { await note("migrate") }
        var options = LaunchOptions.patient
        options.lowersLaterSteps = true
        _ = try await graph.run(options: options)
        // What shares a resource with a step of the way does not let that wait.
        let needed = ["first", "skeleton", "cache", "home", "migrate"]
        let others: [String: TaskPriority] = ["sync": .utility, "backup": .background, "later": .utility]
        #expect(priorities.withLock { $0 } == others.merging(needed.map { ($0, .userInitiated) }) { $1 })
        // A launch in the background is lower already.
        options.qualityOfService = .background
        _ = try await graph.run(options: options)
        #expect(priorities.withLock { $0.values.allSatisfy { $0 == .background } })
    }

    @Test("A launch is user-initiated, or as urgent as its options say, or as whoever starts it")
    func inheritedQuality() async {
        func quality(_ options: LaunchOptions, from priority: TaskPriority) async -> [String?: QualityOfService] {
            let seen = Locked<[String?: QualityOfService]>([:])
            var graph = OperationGraph("inherits")
            let straight = graph.add("straight") {
                let quality = OperationQueue.current?.qualityOfService
                seen.withLock { $0["straight"] = quality }
            }
            graph.add("asynchronous", after: straight) {
                await Task.yield()
                let priority = Task.currentPriority
                seen.withLock { $0["asynchronous"] = QualityOfService(priority) }
            }
            let runs = graph
            // Not `value`: waiting for a task makes it as urgent as who waits.
            await callback { done in
                Task.detached(priority: priority) {
                    _ = try? await runs.run(options: options)
                    done()
                }
            }
            return seen.withLock { $0 }
        }
        let cases: [(TaskPriority, QualityOfService)] = [
            (.high, .userInitiated), (.medium, .default), (.utility, .utility), (.background, .background),
        ]
        for (priority, expected) in cases {
            let inherited = await quality(LaunchOptions(deadline: .patience, qualityOfService: nil), from: priority)
            #expect(inherited == ["straight": expected, "asynchronous": expected])
        }
        let usual = await quality(LaunchOptions(deadline: .patience), from: .background)
        #expect(usual == ["straight": .userInitiated, "asynchronous": .userInitiated])
        let said = await quality(LaunchOptions(deadline: .patience, qualityOfService: .utility), from: .high)
        #expect(said == ["straight": .utility, "asynchronous": .utility])
    }

    @Test("A step that blocks after one that has suspended blocks no thread of tasks")
    func blocksAfterSuspending() async throws {
        let queues = Locked<[String: Bool]>([:])
        let note: @Sendable (String) -> Void = { id in
            let isInQueue = OperationQueue.current != nil
            queues.withLock { $0[id] = isInQueue }
        }
        var graph = OperationGraph("blocks")
        let first = graph.add("suspends") { await Task.yield() }
        let second = graph.add("asynchronous", after: first) { await Task.yield() }
        graph.add("straight", after: second) { note("straight") }
        graph.add("operation", after: second, body: { note("operation") })
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed)
        #expect(queues.withLock { $0 } == ["straight": true, "operation": true])
    }
}

@inline(never)
private func note(_ node: Int, in seen: Locked<[Int]>) async {
    seen.withLock { $0.append(node) }
}
