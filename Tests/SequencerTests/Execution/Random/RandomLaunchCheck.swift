@testable import Sequencer

/// Runs a random launch, and says what it did that it should not have done.
struct RandomLaunchCheck {
    enum Time: String, CaseIterable {
        case virtual, wall

        var clock: any Clock<Duration> { self == .virtual ? VirtualClock(patience: .seconds(20)) : SuspendingClock() }
    }

    static func violations(of plan: RandomLaunch, _ time: Time) async throws -> [String] {
        let launch = PlannedLaunch(plan)
        let result = try await launch.run(clock: time.clock)
        let violations = LaunchInvariants(plan, result).violations + launch.complaints.withLock { $0 }
        let model = ReferenceModel(plan)
        return violations + (plan.isQuiet ? try quiet(plan, model, launch, result) : stormy(plan, model, result, time))
    }

    /// Without anything that stops it, a launch comes to what the model says, and its values are the model's.
    private static func quiet(
        _ plan: RandomLaunch,
        _ model: ReferenceModel,
        _ launch: PlannedLaunch,
        _ result: PlannedLaunch.Result
    ) throws -> [String] {
        var violations = result.report.outcome == .completed ? [] : ["\(result.report.outcome)"]
        for (index, operation) in result.report.operations.enumerated() where operation.outcome != model.outcomes[index] {
            violations.append("\(operation.id) \(operation.outcome), by the model \(model.outcomes[index])")
        }
        for (index, handle) in launch.handles.enumerated() {
            guard let handle else { continue }
            let value = try result.sequencer.value(of: handle)
            if value != model.values[index] { violations.append("\(handle.id) produced \(String(describing: value))") }
        }
        return violations
    }

    private static func stormy(_ plan: RandomLaunch, _ model: ReferenceModel, _ result: PlannedLaunch.Result, _ time: Time) -> [String] {
        // A step that was cancelled alone changes what comes after it in ways the model does not follow.
        guard plan.cancelStep == nil else { return [] }
        var violations: [String] = []
        for (index, operation) in result.report.operations.enumerated() {
            // On a busy machine anything may still run at a deadline in real time.
            let isLeftBehind = operation.outcome == .timedOut && result.report.stragglers.contains(operation.id)
            if !model.allows(operation.outcome, of: index), !isLeftBehind {
                violations.append("\(operation.id) \(operation.outcome), by the model \(model.outcomes[index])")
            }
        }
        let hasDeadline = time == .wall ? plan.needsDeadline : plan.deadline != nil
        if !hasDeadline { violations += complaint(about: result.report.outcome, plan, model).map { [$0] } ?? [] }
        return violations
    }

    /// What is wrong with how the launch ended.
    private static func complaint(about outcome: LaunchReport.Outcome, _ plan: RandomLaunch, _ model: ReferenceModel) -> String? {
        switch outcome {
        case .completed:
            return model.stoppers.isEmpty && model.endless.isEmpty ? nil : "completed, in spite of \(model.stoppers) and \(model.endless)"
        case .cancelled:
            return plan.cancelAfterEvents == nil ? "cancelled by nobody" : nil
        case .aborted(let id, _), .failed(let id, _):
            guard let index = plan.steps.indices.first(where: { plan.id($0) == id }) else { return "stopped by \(id), which is not there" }
            return model.stoppers.contains(index) || model.endless.contains(index) ? nil : "\(id) stopped the launch: \(outcome)"
        }
    }
}
