import Foundation

/// A step in a queue that the app made: takes a step that is ready when the queue starts it, and ends with it.
///
/// It is finished when the step has ended, also when the step's code goes on: a step that has timed out keeps its thread, and nothing else.
final class QueuedStep: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: `state` is a lock around all that changes.
    private struct State {
        /// Nil when the step has ended, or the launch is over: the app may keep the operation.
        var launch: LaunchStorage?
        /// The operation that it has taken.
        var node: Int?
    }

    /// In the order in which they were added to the queue.
    let number: Int
    private let state: Locked<State>

    init(_ launch: LaunchStorage, number: Int) {
        self.number = number
        state = Locked(State(launch: launch))
        super.init()
    }

    var node: Int? {
        get { state.withLock { $0.node } }
        set { state.withLock { $0.node = newValue } }
    }

    /// The step's identifier; while it waits, that of the step it would take now.
    override var name: String? {
        get { super.name ?? launch?.identifier(ofWaiting: self) }
        set { super.name = newValue }
    }

    override func main() {
        // The launch may be over since the queue has started this.
        if let launch { launch.run(self) } else { finish() }
    }

    /// Cancels the step.
    override func cancel() {
        super.cancel()
        // One that has not had its turn has nothing more to do with the launch, and a suspended queue may keep it for ever.
        if launch?.cancel(self) == true { letGo() }
    }

    /// The step has ended.
    func end() {
        letGo()
        finish()
    }

    /// The launch is over, and this has not had its turn.
    func drop() {
        letGo()
        // Not its own `cancel()`, which would ask the launch to cancel a step.
        super.cancel()
    }

    private var launch: LaunchStorage? { state.withLock { $0.launch } }

    private func letGo() {
        // The launch is not released under the lock.
        _ = state.withLock { state in
            defer { state.launch = nil }
            return state.launch
        }
    }
}

/// The operations of a launch that are in the app's queue.
struct QueuedSteps {
    private var count = 0
    /// Those that have not been started, by number.
    private var waiting: [Int: QueuedStep] = [:]
    private var numbers = CountedNumbers()
    /// Those that run, by lane.
    private var running: [Int: QueuedStep] = [:]

    mutating func add(_ launch: LaunchStorage) -> QueuedStep {
        let step = QueuedStep(launch, number: count)
        count += 1
        waiting[step.number] = step
        numbers.insert(step.number)
        return step
    }

    /// - Returns: false when it has been taken out before.
    mutating func removeWaiting(_ step: QueuedStep) -> Bool {
        numbers.remove(step.number)
        return waiting.removeValue(forKey: step.number) != nil
    }

    /// How many wait before it; nil when it does not wait.
    func place(of step: QueuedStep) -> Int? {
        waiting[step.number] == nil ? nil : numbers.count(below: step.number)
    }

    mutating func begin(_ step: QueuedStep, lane: Int) { running[lane] = step }

    // The lane may be that of another step by now.
    func isRunning(_ step: QueuedStep, lane: Int) -> Bool { running[lane] === step }

    mutating func removeRunning(lane: Int) -> QueuedStep? { running.removeValue(forKey: lane) }

    mutating func removeWaiting() -> [QueuedStep] {
        defer { (waiting, numbers) = ([:], CountedNumbers()) }
        return Array(waiting.values)
    }
}

extension LaunchStorage {
    /// Ends the operations of steps that have ended, then adds others for steps that are ready: in the app's queue too an operation has finished before
    /// one starts that waits for it.
    ///
    /// Foundation tells observers of the operations, and the queue may be of a class of the app's: this is code of the app, which may block.
    func tellQueue(ended: [QueuedStep], turns: Int, defersAppCode: Bool) {
        guard let queue, !ended.isEmpty || turns > 0 else { return }
        let tell: @Sendable () -> Void = { [self] in
            for step in ended { step.end() }
            addTurns(turns, to: queue)
        }
        // In a queue whose class is Foundation's, the operations can be seen, and cancelled, as soon as the launch has started.
        let isAppCode = !ended.isEmpty || type(of: queue) != OperationQueue.self
        if defersAppCode, isAppCode { callApp(tell) } else { tell() }
    }

    /// Adds operations to the app's queue, each for a step that is ready.
    private func addTurns(_ count: Int, to queue: OperationQueue) {
        let steps = state.withLock { state in
            // A launch that is over does not let go of anything more.
            state.record == nil ? (0..<count).map { _ in state.queued.add(self) } : []
        }
        for step in steps { queue.addOperation(step) }
    }

    /// Runs the step whose turn it is.
    func run(_ step: QueuedStep) {
        let assignment = input { state, now -> Assignment? in
            // It was cancelled after the queue had begun to start it.
            guard state.queued.removeWaiting(step) else { return nil }
            let assignment = state.machine.takeForQueue(at: now, &state.actions)
            if let assignment {
                step.node = assignment.node
                state.queued.begin(step, lane: Int(state.machine.nodes[assignment.node].lane))
            }
            return assignment
        }
        guard let assignment else { return step.end() }
        step.name = graph.id(assignment.node)
        // It has no next one: each operation of the app's queue is a turn of its own.
        withCallersValues {
            StepThread.with(self) { thread in
                thread.assignment = assignment
                self.state.withLock { $0.add(thread) }
                _ = self.perform(assignment)
            }
        }
    }

    /// Somebody has cancelled an operation of the app's queue.
    ///
    /// - Returns: whether it was waiting for its turn, which it does not get any more.
    func cancel(_ step: QueuedStep) -> Bool {
        input(defersAppCode: true) { state, now in
            if let place = state.queued.place(of: step) {
                _ = state.queued.removeWaiting(step)
                state.machine.queueTurnCancelled(at: place, at: now, &state.actions)
                return true
            }
            if let node = step.node, state.queued.isRunning(step, lane: Int(state.machine.nodes[node].lane)) {
                state.machine.cancelOperation(node, at: now, &state.actions)
            }
            return false
        }
    }

    /// The step that an operation of the app's queue would take now.
    func identifier(ofWaiting step: QueuedStep) -> String? {
        let node = state.withLock { state in state.queued.place(of: step).flatMap { state.machine.nodeOfTurn(at: $0) } }
        return node.map(graph.id)
    }
}
