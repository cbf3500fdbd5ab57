@testable import Sequencer

/// A small launch whose every course is looked at: what its operations may do, and what may be done to it from outside.
struct ExploredLaunch: Sendable {
    /// How an operation's code runs.
    enum Body: Sendable, CaseIterable {
        /// On a worker, to its end.
        case blocking
        /// Gives its worker back, and ends elsewhere.
        case suspending
        /// On the main thread.
        case main
        case join
    }

    struct Step: Sendable {
        var body = Body.blocking
        var dependencies: [Int] = []
        var policy = FailurePolicy.required
        /// It may fail as well as succeed.
        var mayFail = false
        /// It never ends before it is told to cancel.
        var hangs = false
        var hasTimeout = false
        var attempts = 1
        /// nil: none; else a fallback that is computed, or one that is there.
        var computesFallback: Bool?
        var hasCondition = false
        var resource: ExclusiveResource?
        /// It may abort the launch while it runs.
        var mayAbort = false
    }

    var steps: [Step]
    var lanes: Int?
    var workers = 2
    var hasDeadline = false
    var mayCancel = false
    /// The step that may be cancelled alone.
    var cancelledStep: Int?
    var hasTakeover = false
    var milestone: Int?

    /// A launch made up from a seed.
    init(seed: UInt64, operations: ClosedRange<Int>) {
        var random = SplitMix64(seed: seed)
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
        steps = []
        for index in 0..<Int.random(in: operations, using: &random) {
            var step = Step()
            step.body = chance(0.1) ? .join : [.blocking, .blocking, .suspending, .main].randomElement(using: &random) ?? .blocking
            step.dependencies = (0..<index).filter { _ in chance(0.4) }
            step.policy = [.required, .skipDependents, .continue].randomElement(using: &random) ?? .required
            if step.body != .join {
                step.mayFail = chance(0.4)
                step.hasTimeout = chance(0.3)
                step.hangs = !step.mayFail && chance(0.2)
                step.attempts = step.mayFail && chance(0.3) ? 2 : 1
                step.computesFallback = chance(0.3) ? chance(0.6) : nil
                step.hasCondition = chance(0.15)
                step.resource = chance(0.3) ? .userInterface : nil
                step.mayAbort = chance(0.15)
            }
            steps.append(step)
        }
        lanes = [nil, 1, 2].randomElement(using: &random) ?? nil
        workers = chance(0.5) ? 1 : 2
        mayCancel = chance(0.3)
        cancelledStep = chance(0.3) ? Int.random(in: 0..<steps.count, using: &random) : nil
        hasTakeover = chance(0.5)
        // What hangs needs something that ends it.
        hasDeadline = chance(0.2) || steps.contains { $0.hangs && !$0.hasTimeout }
        milestone = chance(0.4) ? Int.random(in: 0..<steps.count, using: &random) : nil
    }

    /// The state machine of this launch, before it begins. What its steps would do is never called.
    func machine() throws -> LaunchStateMachine {
        var graph = OperationGraph("explored")
        for (index, step) in steps.enumerated() {
            var options: [StepOption] = [.onFailure(step.policy)]
            if index == milestone { options.append(.milestone) }
            if step.hasTimeout { options.append(.timeout(.nanoseconds(1_000 + index))) }
            if step.attempts > 1 {
                options.append(.retry(RetryPolicy(attempts: step.attempts, backoff: .nanoseconds(100), jitter: 0)))
            }
            if step.hasCondition { options.append(.when { true }) }
            if let resource = step.resource { options.append(.exclusive(resource)) }
            let value = step.computesFallback == false ? index : nil
            let make: (@Sendable (StepContext, (any Error)?) -> Int)? =
                if step.computesFallback == true { { _, _ in index } } else { nil }
            let (id, after) = ("op\(index)", step.dependencies.map { "op\($0)" })
            switch step.body {
            case .join: graph.join(id, .all(options), after: after)
            case .main:
                graph.add(
                    id,
                    .all(options),
                    after: after,
                    on: .main,
                    fallback: value,
                    body: { (_: StepContext) async throws in index },
                    fallback: make
                )
            case .blocking, .suspending: graph.add(id, .all(options), after: after, fallback: value, body: { index }, fallback: make)
            }
        }
        return LaunchStateMachine(
            graph: try graph.validated(),
            settings: LaunchStateMachine.Configuration(
                lanes: lanes,
                workers: workers,
                deadline: hasDeadline ? 5_000 : nil,
                grace: 500,
                recordsEvents: true
            )
        )
    }
}
