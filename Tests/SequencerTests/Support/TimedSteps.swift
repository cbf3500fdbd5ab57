import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Steps that take as long as is expected of them, for tests of who goes first.
extension OperationGraph {
    /// Adds a step that is expected to take `milliseconds`, and takes as long, or as long as `takes` says.
    ///
    /// - Parameter computes: keeps its thread, and says so; nil: as true on the main thread, else as false, and unsaid.
    mutating func addTimed(
        _ id: String,
        _ milliseconds: Int,
        takes: Int? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        onMain: Bool = false,
        computes: Bool? = nil
    ) {
        var list = DependencyList()
        for dependency in dependencies { dependency.add(to: &list) }
        let after = list.edges.map(\.dependency.id)
        let (duration, keeps) = (Duration.milliseconds(takes ?? milliseconds), computes ?? onMain)
        let said: [StepOption] = computes.map { [.suspends(!$0)] } ?? []
        let all = StepOption.all(options + said + [.expected(.milliseconds(milliseconds))])
        let body: @Sendable (StepContext) async throws -> Void = { step in
            if keeps { try await step.compute(for: duration) } else { try await step.sleep(for: duration) }
        }
        if onMain {
            // Not `body`, which leaves the main actor.
            add(id, all, after: after, on: .main) { step in
                if keeps { try await step.compute(for: duration) } else { try await step.sleep(for: duration) }
            }
        } else {
            add(id, all, after: after, body: body)
        }
    }

    /// When each operation starts in virtual time, in milliseconds; -1: never.
    ///
    /// - Parameter isPlanned: expects its plan to say the same.
    func starts(lanes: Int? = nil, processors: Int? = nil, isPlanned: Bool = false) async throws -> [String: Int] {
        var options = LaunchOptions.virtual(lanes: lanes)
        options.processors = processors
        let report = try await run(options: options).report
        #expect(report.outcome == .completed)
        if isPlanned {
            var planOptions = PlanOptions(lanes: lanes)
            planOptions.processors = processors
            #expect(try await plan(planOptions).operations.map(\.start) == report.operations.map(\.start))
        }
        return report.operations.reduce(into: [:]) { $0[$1.id] = $1.start.map { Int($0.milliseconds) } ?? -1 }
    }
}
