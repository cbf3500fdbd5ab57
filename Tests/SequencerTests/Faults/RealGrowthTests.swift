import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// What is done for each operation takes as long however many there are. `Scripts/check-growth` measures more of it, and larger graphs.
@Suite("Time that grows with the number of operations, not with its square", .serialized, .timeLimit(.minutes(30)), .real)
struct RealGrowthTests {
    /// Of processor time, which a busy machine does not make longer.
    private func check(_ work: (_ count: Int) async throws -> clock_t) async throws {
        var least: [clock_t] = []
        for count in [1_000, 8_000] {
            var times: [clock_t] = []
            for _ in 0..<3 { times.append(try await work(count)) }
            least.append(max(times.min() ?? 1, 1))
        }
        // Eight times as many, and somewhat more for the logarithm and for caches; a square would be 64 times as long.
        #expect(least[1] < 24 * least[0], "\(least)")
    }

    @Test("something is held for each step, or for all of them together", arguments: [false, true])
    func hold(forAll: Bool) async throws {
        try await check { count in
            let begin = clock()
            var graph = OperationGraph("held")
            let steps = (0..<count).map { graph.add("\($0)") {} }
            for step in forAll ? [] : steps {
                try graph.hold("hold \(step.id)", over: step) {
                    7
                } release: { _ in
                }
            }
            if forAll {
                try graph.hold("hold all", over: steps) {
                    7
                } release: { _ in
                }
            }
            #expect(try await graph.run(options: .patient).report.outcome == .completed)
            return clock() - begin
        }
    }

    @Test("much is held for one step")
    func holdOne() async throws {
        try await check { count in
            let begin = clock()
            var graph = OperationGraph("held")
            let step = graph.add("step") {}
            for number in 0..<count {
                try graph.hold("hold \(number)", over: step) {
                    7
                } release: { _ in
                }
            }
            #expect(try await graph.run(options: .patient).report.outcome == .completed)
            return clock() - begin
        }
    }

    @Test("the name of each operation that waits in an app's queue")
    func names() async throws {
        try await check { count in
            let queue = OperationQueue()
            queue.isSuspended = true
            var graph = OperationGraph("names")
            for number in 0..<count { graph.add("\(number)") {} }
            let launch = try graph.start(options: LaunchOptions(deadline: .patience, queue: queue))
            let operations = queue.operations
            let begin = clock()
            let names = operations.map(\.name)
            let time = clock() - begin
            #expect(names == (0..<count).map { "\($0)" })
            launch.cancel()
            _ = await launch.end()
            queue.isSuspended = false
            return time
        }
    }

    /// The decisions alone: what Foundation does for each cancel is its own.
    @Test("each operation of an app's queue is cancelled alone, from the last one or at random", arguments: [false, true])
    func cancels(isRandom: Bool) async throws {
        try await check { count in
            var graph = OperationGraph("cancels")
            // Each cancel makes another one ready.
            for number in 0..<count {
                graph.add("\(number)", .onFailure(.continue)) {}
                graph.add("after \(number)", .onFailure(.continue), after: "\(number)") {}
            }
            var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init(workers: 0, usesQueue: true))
            var actions = LaunchStateMachine.Actions()
            machine.begin(&actions)
            var random = SplitMix64(seed: 7)
            let begin = clock()
            var turns = actions.queueTurns
            while !turns.isEmpty {
                actions = LaunchStateMachine.Actions()
                turns.swapAt(isRandom ? Int.random(in: turns.indices, using: &random) : turns.count - 1, turns.count - 1)
                machine.queueTurnCancelled(of: turns.removeLast(), at: 1, &actions)
                turns += actions.queueTurns
            }
            #expect(machine.phase == .over && machine.nodes.indices.allSatisfy { machine.nodes[$0].outcome == .cancelled })
            return clock() - begin
        }
    }

    @Test("an operation that is cancelled alone takes the step of its name with it, and leaves the other names as they are")
    func cancelledByName() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        var graph = OperationGraph("names")
        for number in 0..<200 { graph.add("\(number)", .onFailure(.continue), .expected(.milliseconds(1 + number * 7 % 200))) {} }
        let launch = try graph.start(options: LaunchOptions(deadline: .patience, queue: queue))
        let operations = queue.operations
        let names = operations.map { $0.name ?? "" }
        #expect(Set(names) == Set(graph.identifiers))
        var random = SplitMix64(seed: 7)
        let cancelled = Array(operations.indices).shuffled(using: &random).prefix(100)
        for (number, index) in cancelled.enumerated() {
            operations[index].cancel()
            guard number % 10 == 0 else { continue }
            let left = operations.indices.filter { !cancelled.prefix(number + 1).contains($0) }
            #expect(left.map { operations[$0].name } == left.map { names[$0] })
        }
        queue.isSuspended = false
        let report = await launch.end().report
        let ended = Set(report.operations.filter { $0.outcome == .cancelled }.map(\.id))
        #expect(report.outcome == .completed && ended == Set(cancelled.map { names[$0] }))
    }
}
