import Foundation
import SequencerTesting

@testable import Sequencer

/// A made-up launch whose expectations are wrong, the same for the same seed.
struct MisjudgedLaunch: CustomStringConvertible {
    /// Whose expectations are wrong, each by a factor of 0.3 to 3.
    enum Wrong {
        case all
        /// Of the operations that can be cut, one.
        case one
    }

    struct Step {
        var dependencies: [Int]
        var expected: Nanoseconds
        var actual: Nanoseconds
        var hasFallback = false
        var isDeferrable = false
    }

    let seed: UInt64
    private(set) var steps: [Step] = []
    private(set) var budget: Nanoseconds = 0

    var description: String { "seed \(seed): \(steps), budget \(budget)" }

    /// - Parameter canDefer: whether some of its operations can be put off.
    init(seed: UInt64, _ wrong: Wrong = .all, canDefer: Bool = true) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 3...14, using: &random)
        for index in 0..<count {
            var dependencies = Set<Int>()
            for _ in 0..<Int.random(in: 0...min(index, 3), using: &random) {
                dependencies.insert(Int.random(in: max(0, index - 5)..<index, using: &random))
            }
            let expected = Int64.random(in: 50...1000, using: &random) * 1_000_000
            let factor = pow(10, Double.random(in: log10(0.3)...log10(3), using: &random))
            var step = Step(dependencies: dependencies.sorted(), expected: expected, actual: expected)
            if wrong == .all { step.actual = Nanoseconds(Double(expected) * factor) }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: step.hasFallback = true
            case 4 where canDefer: step.isDeferrable = true
            default: break
            }
            steps.append(step)
        }
        // The last one is the milestone, and waits for most of the others.
        steps[count - 1].hasFallback = false
        steps[count - 1].isDeferrable = false
        let waiting = Set(steps.flatMap(\.dependencies))
        steps[count - 1].dependencies += (0..<(count - 1)).filter { !waiting.contains($0) && Int.random(in: 0..<10, using: &random) > 0 }
        if wrong == .one, let node = steps.indices.filter({ steps[$0].hasFallback }).randomElement(using: &random) {
            steps[node].actual *= 3
        }
        let path = ends(\.expected)[count - 1]
        let room = wrong == .one ? Double.random(in: 1...1.6, using: &random) : Double.random(in: 0.7...1.8, using: &random)
        budget = Nanoseconds(Double(path) * room)
    }

    var milestone: Int { steps.count - 1 }
    func id(_ index: Int) -> String { "step-\(index)" }

    var graph: OperationGraph {
        var graph = OperationGraph("misjudged \(seed)")
        for (index, step) in steps.enumerated() {
            var options: [StepOption] = [.expected(.nanoseconds(step.expected))]
            if step.isDeferrable { options.append(.deferrable) }
            if step.hasFallback { options.append(.cuttable) }
            if index == milestone { options.append(.milestone) }
            graph.add(
                id(index),
                .all(options),
                after: step.dependencies.map(id),
                fallback: step.hasFallback ? 0 : nil
            ) { launch in
                try await launch.sleep(for: .nanoseconds(step.actual))
                return 1
            }
        }
        return graph
    }

    func run(lanes: Int?, isEnforced: Bool, on clock: ExactOrLateClock = .exact) async throws -> LaunchReport {
        let budget = Budget(.nanoseconds(budget), isEnforced: isEnforced)
        return try await graph.run(budget: budget, options: clock.options(lanes: lanes, seed: seed)).report
    }

    // MARK: What the engine should make of it, computed in another way

    /// When each operation ends if each takes that long, with as many lanes as it takes.
    func ends(_ duration: (Int) -> Nanoseconds) -> [Nanoseconds] {
        var ends: [Nanoseconds] = []
        for (index, step) in steps.enumerated() { ends.append((step.dependencies.map { ends[$0] }.max() ?? 0) + duration(index)) }
        return ends
    }

    private func ends(_ duration: KeyPath<Step, Nanoseconds>) -> [Nanoseconds] { ends { steps[$0][keyPath: duration] } }

    /// The longest way from an operation's end to the milestone's, of operations that can neither be cut nor put off; nil where there is none.
    func leastRest(of node: Int) -> Nanoseconds? {
        if node == milestone { return 0 }
        let successors = steps.indices.filter { steps[$0].dependencies.contains(node) }
        return successors.compactMap { next in
            leastRest(of: next).map { $0 + (steps[next].hasFallback || steps[next].isDeferrable ? 0 : steps[next].expected) }
        }.max()
    }

    /// When the milestone would have ended if `node` had not been cut, and all else had taken as long as it did.
    func milestoneEnd(in report: LaunchReport, withoutCutting node: Int) -> Nanoseconds {
        ends { index in
            let operation = report.operations[index]
            if index == node { return steps[index].actual }
            return operation.isDeferred ? 0 : operation.duration.nanoseconds
        }[milestone]
    }

    /// The last moment at which a cut saves the budget: twenty milliseconds, or a tenth of a short budget, are kept for the cut itself.
    func lastCut(before rest: Nanoseconds) -> Nanoseconds { budget - max(rest, min(20_000_000, budget / 10)) }

    /// Whether the milestone could still end in time at `time`, or late by a tenth of the budget at most, by expected durations, if all that can be cut were cut then.
    func canBeKept(at time: Nanoseconds, in report: LaunchReport) -> Bool {
        for (index, operation) in report.operations.enumerated() {
            guard let ready = operation.ready?.nanoseconds, ready <= time, operation.end.nanoseconds > time, !operation.isDeferred,
                let rest = leastRest(of: index)
            else { continue }
            let end = steps[index].hasFallback ? time : max(time, ready + steps[index].expected)
            if end + rest > budget + budget / 10 { return false }
        }
        return true
    }
}
