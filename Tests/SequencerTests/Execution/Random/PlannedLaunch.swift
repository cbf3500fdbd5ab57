import Dispatch
import Foundation
import SequencerTesting

@testable import Sequencer

/// A launch that follows a ``RandomLaunch``, and what was seen of it from inside and outside.
struct PlannedLaunch {
    let plan: RandomLaunch
    let graph: OperationGraph
    let handles: [Step<Int>?]
    /// What bodies saw that they should not have seen.
    let complaints = Locked<[String]>([])

    struct Result {
        let report: LaunchReport
        let events: [LaunchEvent]
        /// Those that others see, who ask after the start, in the middle, and after the end.
        let lateEvents: [LaunchEvents]
        let launch: FinishedLaunch
    }

    struct Failure: Error {}

    /// A value, or what makes one, or neither.
    private struct Fallback {
        let value: Int?
        let make: (@Sendable (StepContext, (any Error)?) -> Int)?
    }

    init(_ plan: RandomLaunch) {
        self.plan = plan
        var graph = OperationGraph("random \(plan.seed)")
        var handles: [Step<Int>?] = []
        var conditional: Set<Int> = []
        for (index, step) in plan.steps.enumerated() {
            let dependencies = step.dependencies.map(plan.id)
            // A step without a condition may not read from one that has a condition, be it one that is given here.
            let reads = step.readsOptionally ? [] : step.dependencies.prefix(step.inputs)
            let isGiven = step.condition == nil && reads.contains { plan.steps[$0].hasValue && conditional.contains($0) }
            if isGiven || step.condition != nil { conditional.insert(index) }
            let decider = plan.decider(of: index).flatMap { handles[$0] }
            let options = StepOption.all(
                Self.options(step, decider) + (index == plan.milestone ? [.milestone] : []) + (isGiven ? [.when { true }] : [])
            )
            let make: (@Sendable (StepContext, (any Error)?) -> Int)? =
                if plan.computesFallback(index) { { _, _ in step.fallback(index) } } else { nil }
            let fallback = Fallback(value: step.hasFallback && make == nil ? step.fallback(index) : nil, make: make)
            let id = plan.id(index)
            let script = Script(index: index, step: step, complaints: complaints)
            let inputs = step.dependencies.prefix(step.inputs).compactMap { handles[$0] }
            let expected = step.dependencies.prefix(step.inputs).filter { handles[$0] != nil }
            switch step.body {
            case .join:
                graph.join(id, options, after: dependencies)
                handles.append(nil)
                continue
            case .operation:
                let read: @Sendable (Int?) -> Void = { [first = expected.first] value in
                    if let first { script.check(value, from: first, of: plan) }
                }
                handles.append(Self.addOperation(id, options, inputs.first, dependencies, script, read, to: &graph))
                continue
            case .main where inputs.isEmpty:
                handles.append(
                    graph.add(
                        id,
                        options,
                        after: dependencies,
                        on: .main,
                        fallback: fallback.value,
                        body: { launch in
                            dispatchPrecondition(condition: .onQueue(.main))
                            return try await script.run(launch)
                        },
                        fallback: fallback.make
                    )
                )
            case .synchronous where inputs.isEmpty && !step.hangs:
                handles.append(
                    graph.add(
                        id,
                        options,
                        after: dependencies,
                        fallback: fallback.value,
                        body: { launch in
                            dispatchPrecondition(condition: .notOnQueue(.main))
                            return try script.runThrough(launch)
                        },
                        fallback: fallback.make
                    )
                )
            default:
                handles.append(Self.add(id, options, inputs, dependencies, fallback, script, Array(expected), plan, to: &graph))
            }
        }
        self.graph = graph
        self.handles = handles
    }

    /// A step that reads the values of one or two others, and checks them.
    private static func add(
        _ id: String,
        _ options: StepOption,
        _ inputs: [Step<Int>],
        _ after: [String],
        _ fallback: Fallback,
        _ script: Script,
        _ sources: [Int],
        _ plan: RandomLaunch,
        to graph: inout OperationGraph
    ) -> Step<Int> {
        let one: @Sendable (StepContext, Int?) async throws -> Int = { launch, first in
            script.check(first, from: sources[0], of: plan)
            return try await script.run(launch)
        }
        let two: @Sendable (StepContext, Int?, Int?) async throws -> Int = { launch, first, second in
            script.check(first, from: sources[0], of: plan)
            script.check(second, from: sources[1], of: plan)
            return try await script.run(launch)
        }
        let (value, make) = (fallback.value, fallback.make)
        switch (inputs.count, script.step.readsOptionally) {
        case (0, _):
            return graph.add(id, options, after: after, fallback: value, body: { try await script.run($0) }, fallback: make)
        case (1, false):
            return graph.add(id, options, using: .context, inputs[0], after: after, fallback: value, body: one, fallback: make)
        case (1, true):
            let first = inputs[0].optional
            return graph.add(id, options, using: .context, first, after: after, fallback: value, body: one, fallback: make)
        case (_, false):
            let (a, b) = (inputs[0], inputs[1])
            return graph.add(id, options, using: .context, a, b, after: after, fallback: value, body: two, fallback: make)
        case (_, true):
            let (a, b) = (inputs[0].optional, inputs[1].optional)
            return graph.add(id, options, using: .context, a, b, after: after, fallback: value, body: two, fallback: make)
        }
    }

    /// A step that is a Foundation operation, which may leave a value, and may then read one.
    ///
    /// - Parameter read: is given the value that was read.
    private static func addOperation(
        _ id: String,
        _ options: StepOption,
        _ input: Step<Int>?,
        _ dependencies: [String],
        _ script: Script,
        _ read: @escaping @Sendable (Int?) -> Void,
        to graph: inout OperationGraph
    ) -> Step<Int>? {
        let step = script.step
        let thread: MainThread? = step.startsOnMain ? .main : nil
        // It runs once, and cannot be given a value.
        let existsAlready = step.existsAlready && step.attempts == 1 && input == nil
        guard step.leavesValue else {
            if existsAlready {
                graph.add(ScriptedOperation(script), id: id, options, after: dependencies, on: thread)
            } else {
                graph.addOperation(id, options, after: dependencies, on: thread) { _ in ScriptedOperation(script) }
            }
            return nil
        }
        if existsAlready {
            return graph.add(ScriptedValueOperation(script), id: id, options, after: dependencies, on: thread)
        }
        guard let input else {
            return graph.addValueOperation(id, options, after: dependencies, on: thread) { _ in ScriptedValueOperation(script) }
        }
        if step.readsOptionally {
            return graph.addValueOperation(id, options, using: input.optional, after: dependencies, on: thread) { _, value in
                read(value)
                return ScriptedValueOperation(script)
            }
        }
        return graph.addValueOperation(id, options, using: input, after: dependencies, on: thread) { _, value in
            read(value)
            return ScriptedValueOperation(script)
        }
    }

    private static func options(_ step: RandomLaunch.Step, _ decider: Step<Int>?) -> [StepOption] {
        var options: [StepOption] = [.onFailure(step.policy)]
        if step.attempts > 1 { options.append(.retry(attempts: step.attempts, backoff: .microseconds(100))) }
        if let condition = step.condition { options.append(decider.map { StepOption.when($0) { _ in condition } } ?? .when { condition }) }
        if let resource = step.resource { options.append(.exclusive(resource)) }
        if step.isInteractive { options.append(.interactive) }
        if let timeout = step.timeout { options.append(.timeout(timeout)) }
        return options
    }

    private func deadline(isVirtual: Bool) -> LaunchOptions.Deadline {
        if isVirtual, let deadline = plan.deadline { return .after(deadline) }
        return plan.needsDeadline ? .milliseconds(isVirtual ? 60_000 : 30) : .never
    }

    /// Runs it, cancelling from the outside what the plan says to cancel.
    func run(clock: any Clock<Duration>, queue: OperationQueue? = nil) async throws -> Result {
        var options = LaunchOptions(
            lanes: plan.lanes,
            deadline: deadline(isVirtual: clock is VirtualClock),
            deadlineCountsInteractiveTime: plan.asksForEver,
            grace: .milliseconds(clock is VirtualClock ? 10 : 2000),
            clock: clock,
            seed: plan.seed,
            queue: queue
        )
        // Given to the launch: a stream that is asked for later would not have every attempt.
        let feed = EventFeed()
        let stream = LaunchEvents(feed)
        options.observers.append { _ = feed.add($0) }
        queue?.isSuspended = plan.seed.isMultiple(of: 3)
        let launch = try graph.start(budget: Budget(.seconds(3), isEnforced: false), options: options)
        queue?.isSuspended = false
        var lateEvents = [launch.storage.events]
        if plan.cancelAfterEvents == 0 { launch.cancel() }
        var events: [LaunchEvent] = []
        for await event in stream {
            events.append(event)
            if events.count == plan.steps.count { lateEvents.append(launch.storage.events) }
            if events.count == plan.cancelAfterEvents { launch.cancel() }
            if let cancel = plan.cancelStep, events.count == cancel.afterEvents { try cancelStep(plan.id(cancel.step), of: launch, queue) }
        }
        let finished = await launch.end()
        lateEvents.append(launch.storage.events)
        return Result(report: finished.report, events: events, lateEvents: lateEvents, launch: finished)
    }

    /// Every second launch has it cancelled by whoever looks into the queue, if it is there.
    private func cancelStep(_ id: String, of launch: RunningLaunch, _ queue: OperationQueue?) throws {
        let operation = plan.seed.isMultiple(of: 2) ? queue?.operations.first { $0.name == id } : nil
        if let operation { operation.cancel() } else { try launch.cancel(id) }
    }
}

/// What one step of a plan does, at each attempt.
struct Script: Sendable {
    let index: Int
    let step: RandomLaunch.Step
    let complaints: Locked<[String]>

    func run(_ launch: StepContext) async throws -> Int {
        if step.hangs { try await launch.sleep(for: VirtualScheduler.never) }
        let isVirtual = (launch.host as? LaunchStorage)?.virtualTime != nil
        try await launch.sleep(for: isVirtual ? step.duration : .zero)
        if let wait = step.personWait { try await launch.waitForPerson { try await launch.sleep(for: isVirtual ? wait : .zero) } }
        return try runThrough(launch)
    }

    func runThrough(_ launch: StepContext) throws -> Int {
        if launch.attempt <= step.failures { throw PlannedLaunch.Failure() }
        if step.aborts { launch.abort("test") }
        return step.value(index)
    }

    /// Complains about a value that `source` cannot have left.
    func check(_ value: Int?, from source: Int, of plan: RandomLaunch) {
        let step = plan.steps[source]
        guard let value, value != step.value(source), !(step.hasFallback && value == step.fallback(source)) else { return }
        complaints.withLock { $0.append("\(plan.id(index)) read \(value) from \(plan.id(source))") }
    }
}
