import Foundation
import Sequencer
import Synchronization

/// A way to run a launch of the contest, as one would write it.
struct ContestRival: Sendable {
    let name: String
    /// Runs all steps, and returns when the last has ended; each step calls `ended` when it has.
    let run: @Sendable (_ launch: ContestLaunch, _ ended: @escaping @Sendable (_ step: Int) -> Void) async throws -> Void

    /// In the order of tables.
    static let all = [operationQueue, gcd, task, taskGroup, ownQueue, sequencer]

    /// The engine in an `OperationQueue` of the app's, which decides how many steps run: no rival, and not what its goals are of.
    static let ownQueue = sequencer("own queue") { OperationQueue() }

    private static let operationQueue = ContestRival(name: "OperationQueue") { launch, ended in
        let queue = OperationQueue()
        queue.qualityOfService = .userInitiated
        var operations: [Operation] = []
        for (index, step) in launch.steps.enumerated() {
            let operation =
                step.suspends
                ? AwaitingOperation(step) { ended(index) }
                : BlockOperation {
                    step.perform()
                    ended(index)
                }
            for dependency in step.dependencies { operation.addDependency(operations[dependency]) }
            operations.append(operation)
        }
        let all = operations
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                queue.addOperations(all, waitUntilFinished: true)
                continuation.resume()
            }
        }
    }

    private static let gcd = ContestRival(name: "GCD") { launch, ended in
        let graph = ContestDispatchGraph(launch, ended)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                graph.run()
                continuation.resume()
            }
        }
    }

    private static let task = ContestRival(name: "Task") { launch, ended in
        var tasks: [Task<Void, Never>] = []
        for (index, step) in launch.steps.enumerated() {
            let dependencies = step.dependencies.map { tasks[$0] }
            tasks.append(
                Task.detached(priority: .userInitiated) {
                    for dependency in dependencies { await dependency.value }
                    await step.performSuspending()
                    ended(index)
                }
            )
        }
        for task in tasks { await task.value }
    }

    private static let taskGroup = ContestRival(name: "TaskGroup") { launch, ended in
        var open = launch.steps.map(\.dependencies.count)
        await withTaskGroup(of: Int.self) { group in
            func start(_ index: Int) {
                let step = launch.steps[index]
                group.addTask(priority: .userInitiated) {
                    await step.performSuspending()
                    ended(index)
                    return index
                }
            }
            for index in open.indices where open[index] == 0 { start(index) }
            while let index = await group.next() {
                for successor in launch.steps.indices where launch.steps[successor].dependencies.contains(index) {
                    open[successor] -= 1
                    if open[successor] == 0 { start(successor) }
                }
            }
        }
    }

    private static let sequencer = sequencer(Engine.sequencer.name) { nil }

    private static func sequencer(_ name: String, queue: @escaping @Sendable () -> OperationQueue?) -> ContestRival {
        ContestRival(name: name) { launch, ended in
            var graph = OperationGraph(launch.name)
            for (index, step) in launch.steps.enumerated() {
                let dependencies = step.dependencies.map { launch.steps[$0].id }
                let options: StepOption = index == launch.milestone ? .milestone : .all([])
                if step.suspends {
                    graph.add(step.id, options, after: dependencies) {
                        await step.performSuspending()
                        ended(index)
                    }
                } else {
                    graph.add(step.id, options, after: dependencies) {
                        step.perform()
                        ended(index)
                    }
                }
            }
            // To the end of all, not to the milestone alone.
            let outcome = try await graph.start(options: LaunchOptions(queue: queue())).end().report.outcome
            if outcome != .completed { throw EngineFailure("the launch ended as \(outcome.name)") }
        }
    }
}

/// An asynchronous operation, as Foundation asks for it.
private final class AwaitingOperation: Operation, @unchecked Sendable {
    // @unchecked: the state is a lock around all that changes.
    private enum State { case ready, executing, finished }

    private let state = Mutex(State.ready)
    private let step: ContestLaunch.Step
    private let ended: @Sendable () -> Void

    init(_ step: ContestLaunch.Step, _ ended: @escaping @Sendable () -> Void) {
        (self.step, self.ended) = (step, ended)
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0 == .executing } }
    override var isFinished: Bool { state.withLock { $0 == .finished } }

    override func start() {
        move(to: .executing, "isExecuting")
        Task.detached(priority: .userInitiated) { [self] in
            await step.performSuspending()
            ended()
            move(to: .finished, "isExecuting", "isFinished")
        }
    }

    private func move(to next: State, _ keys: String...) {
        for key in keys { willChangeValue(forKey: key) }
        state.withLock { $0 = next }
        for key in keys { didChangeValue(forKey: key) }
    }
}

/// A count of open dependencies a step, and one block for each step that is ready.
private final class ContestDispatchGraph: Sendable {
    private let launch: ContestLaunch
    private let ended: @Sendable (Int) -> Void
    private let open: Mutex<[Int]>
    private let queue = DispatchQueue(label: "launch", qos: .userInitiated, attributes: .concurrent)
    private let group = DispatchGroup()

    init(_ launch: ContestLaunch, _ ended: @escaping @Sendable (Int) -> Void) {
        (self.launch, self.ended) = (launch, ended)
        open = Mutex(launch.steps.map(\.dependencies.count))
    }

    func run() {
        for index in launch.steps.indices where launch.steps[index].dependencies.isEmpty { start(index) }
        group.wait()
    }

    private func start(_ index: Int) {
        let step = launch.steps[index]
        group.enter()
        if step.suspends {
            Task.detached(priority: .userInitiated) { [self] in
                await step.performSuspending()
                end(index)
            }
        } else {
            queue.async { [self] in
                step.perform()
                end(index)
            }
        }
    }

    private func end(_ index: Int) {
        ended(index)
        let ready = open.withLock { open in
            launch.steps.indices.filter { successor in
                guard launch.steps[successor].dependencies.contains(index) else { return false }
                open[successor] -= 1
                return open[successor] == 0
            }
        }
        for successor in ready { start(successor) }
        group.leave()
    }
}
