import Foundation
import SequencerTesting
import TestSupport

@testable import Sequencer

/// Runs a random launch, and says what it did that it should not have done.
struct RandomLaunchCheck {
    enum Time: String, CaseIterable {
        case virtual, wall
        /// By the wall clock, in an operation queue of the app's.
        case queue

        var clock: any Clock<Duration> { self == .virtual ? VirtualClock(patience: .seconds(300)) : SuspendingClock() }

        /// One that starts one operation at a time, a few, or as many as there are.
        func queue(for plan: RandomLaunch) -> OperationQueue? {
            guard self == .queue else { return nil }
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = [1, 2, 4, OperationQueue.defaultMaxConcurrentOperationCount][Int(plan.seed % 4)]
            return queue
        }
    }

    static func violations(of plan: RandomLaunch, _ time: Time) async throws -> [String] {
        let launch = PlannedLaunch(plan)
        let queue = time.queue(for: plan)
        let result = try await launch.run(clock: time.clock, queue: queue)
        let violations = LaunchInvariants(plan, result).violations + launch.complaints.withLock { $0 }
        if let queue, let complaint = await complaint(about: queue) { return violations + [complaint] }
        // On a busy machine a condition, or a fallback, which take no time, can still take longer than a timeout of a millisecond.
        if time != .virtual, result.report.operations.contains(where: \.wasHeldUp) { return violations }
        let model = ReferenceModel(plan)
        return violations + (plan.isQuiet ? quiet(plan, model, launch, result) : stormy(plan, model, result, time))
    }

    /// A launch that is over leaves nothing in the queue; the last of it ends at the same time as the launch.
    private static func complaint(about queue: OperationQueue) async -> String? {
        let end = ContinuousClock.now + patience
        while queue.operationCount > 0, ContinuousClock.now < end { try? await Task.sleep(for: .microseconds(100)) }
        return queue.operationCount == 0 ? nil : "\(queue.operationCount) operations are left in the queue"
    }

    /// Without anything that stops it, a launch comes to what the model says, and its values are the model's.
    private static func quiet(
        _ plan: RandomLaunch,
        _ model: ReferenceModel,
        _ launch: PlannedLaunch,
        _ result: PlannedLaunch.Result
    ) -> [String] {
        let outcome = result.report.outcome
        let isAsExpected = model.lostMilestone == nil ? outcome == .completed : outcome.operation == model.lostMilestone.map(plan.id)
        var violations = isAsExpected ? [] : ["\(outcome)"]
        for (index, operation) in result.report.operations.enumerated() where operation.outcome != model.outcomes[index] {
            let reason = operation.message.map { " (\($0))" } ?? ""
            violations.append("\(operation.id) \(operation.outcome)\(reason), by the model \(model.outcomes[index])")
        }
        for (index, handle) in launch.handles.enumerated() {
            guard let handle else { continue }
            let value = try? result.launch[handle]
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
                let reason = operation.message.map { " (\($0))" } ?? ""
                violations.append("\(operation.id) \(operation.outcome)\(reason), by the model \(model.outcomes[index])")
            }
        }
        let hasDeadline = time == .virtual ? plan.deadline != nil : plan.needsDeadline
        if hasDeadline { return violations }
        let later = result.report.afterMilestone
        let isLater = Set(later?.operations ?? [])
        let parts = Dictionary(grouping: plan.steps.indices) { isLater.contains(plan.id($0)) }
        violations += complaint(about: result.report.outcome, of: parts[false] ?? [], result.report, plan, model).map { [$0] } ?? []
        guard let later else { return violations }
        guard let outcome = later.outcome else { return violations + ["no outcome after the milestone"] }
        let complaint = complaint(about: outcome, of: parts[true] ?? [], result.report, plan, model)
        return violations + (complaint.map { ["after the milestone: \($0)"] } ?? [])
    }

    /// What is wrong with how the launch ended, or what ran on after its milestone.
    ///
    /// - Parameter part: the steps that this is about.
    private static func complaint(
        about outcome: LaunchReport.Outcome,
        of part: [Int],
        _ report: LaunchReport,
        _ plan: RandomLaunch,
        _ model: ReferenceModel
    ) -> String? {
        switch outcome {
        case .completed:
            let stoppers = model.stoppers.union(model.endless).intersection(part).filter { index in
                ![.cancelled, .skipped].contains(report.operations[index].outcome)
            }
            return stoppers.isEmpty ? nil : "completed, in spite of \(stoppers)"
        case .cancelled:
            return plan.cancelAfterEvents == nil ? "cancelled by nobody" : nil
        case .aborted(let id, _), .failed(let id, _):
            guard let index = plan.steps.indices.first(where: { plan.id($0) == id }) else { return "stopped by \(id), which is not there" }
            if !part.contains(index) { return "stopped by \(id), which ended in another part" }
            if index == plan.milestone, report.operations[index].outcome == .skipped { return nil }
            return model.stoppers.contains(index) || model.endless.contains(index) ? nil : "\(id) stopped the launch: \(outcome)"
        }
    }
}

extension OperationReport {
    /// Whether it timed out while it was asked whether it is to run, or while its fallback was computed.
    fileprivate var wasHeldUp: Bool {
        guard let message else { return false }
        return message.hasPrefix("its condition did not answer") || message.hasPrefix("its fallback was not computed")
    }
}

extension LaunchReport.Outcome {
    /// The operation that has failed.
    fileprivate var operation: String? { if case .failed(let operation, _) = self { operation } else { nil } }
}
