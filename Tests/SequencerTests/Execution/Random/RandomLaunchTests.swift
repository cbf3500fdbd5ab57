import Foundation
import Testing

@testable import Sequencer

/// Thousands of random launches, each compared with ``ReferenceModel`` and checked against ``LaunchInvariants``.
///
/// `RANDOM_LAUNCHES` sets how many per case, `RANDOM_SEED` where the seeds begin; a failure names its seed.
@Suite("Random launches", .serialized, .timeLimit(.minutes(10)))
struct RandomLaunchTests {
    static let count = ProcessInfo.processInfo.environment["RANDOM_LAUNCHES"].flatMap { Int($0) } ?? 500
    static let firstSeed = ProcessInfo.processInfo.environment["RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    enum Time: String, CaseIterable {
        case virtual, wall

        var clock: any Clock<Duration> { self == .virtual ? VirtualClock(patience: .seconds(20)) : SuspendingClock() }
    }

    @Test("without anything that stops them, launches come to what the model says", arguments: Time.allCases)
    func quiet(_ time: Time) async throws {
        for offset in 0..<UInt64(Self.count) {
            let plan = RandomLaunch(seed: Self.firstSeed + offset, sizes: 1...(offset % 10 == 0 ? 200 : 30), isQuiet: true)
            let launch = PlannedLaunch(plan)
            let result = try await launch.run(clock: time.clock)
            let model = ReferenceModel(plan)
            var violations = LaunchInvariants(plan, result).violations + launch.complaints.withLock { $0 }
            if result.report.outcome != .completed { violations.append("\(result.report.outcome)") }
            for (index, operation) in result.report.operations.enumerated() where operation.outcome != model.outcomes[index] {
                violations.append("\(operation.id) \(operation.outcome), by the model \(model.outcomes[index])")
            }
            for (index, handle) in launch.handles.enumerated() {
                guard let handle else { continue }
                let value = try result.sequencer.value(of: handle)
                if value != model.values[index] { violations.append("\(handle.id) produced \(String(describing: value))") }
            }
            #expect(violations.isEmpty, "seed \(plan.seed), \(time.rawValue) time")
            if !violations.isEmpty { return }
        }
    }

    @Test("with failures, hangs, aborts and cancels, every launch ends and keeps its promises", arguments: Time.allCases)
    func stormy(_ time: Time) async throws {
        for offset in 0..<UInt64(Self.count) {
            let plan = RandomLaunch(seed: Self.firstSeed + 1_000_000 + offset, sizes: 1...(offset % 10 == 0 ? 200 : 30), isQuiet: false)
            let launch = PlannedLaunch(plan)
            let result = try await launch.run(clock: time.clock)
            let model = ReferenceModel(plan)
            var violations = LaunchInvariants(plan, result).violations + launch.complaints.withLock { $0 }
            // On a busy machine anything may still run at a deadline in real time.
            // A step that was cancelled alone changes what comes after it in ways the model does not follow.
            if plan.cancelStep == nil {
                for (index, operation) in result.report.operations.enumerated() {
                    let isLeftBehind = operation.outcome == .timedOut && result.report.stragglers.contains(operation.id)
                    if !model.allows(operation.outcome, of: index), !isLeftBehind {
                        violations.append("\(operation.id) \(operation.outcome), by the model \(model.outcomes[index])")
                    }
                }
                if time == .virtual || !plan.needsDeadline {
                    violations += complaint(about: result.report.outcome, plan, model).map { [$0] } ?? []
                }
            }
            #expect(violations.isEmpty, "seed \(plan.seed), \(time.rawValue) time")
            if !violations.isEmpty { return }
        }
    }

    /// What is wrong with how the launch ended.
    private func complaint(about outcome: LaunchReport.Outcome, _ plan: RandomLaunch, _ model: ReferenceModel) -> String? {
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
