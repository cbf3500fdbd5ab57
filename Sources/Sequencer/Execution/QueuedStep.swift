import Foundation

/// A step in a queue that the app made: takes a step that is ready when the queue starts it, and ends with it.
///
/// It is finished when the step has ended, also when the step's code continues: a step that has timed out keeps its
/// thread, and nothing else.
final class QueuedStep: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: `state` is a lock around all that changes.
    private struct State: ~Copyable {
        /// Nil when the step has ended, or the launch is over: the app may keep the operation.
        var launch: LaunchStorage?
        /// The operation that it has taken, or would take if all that wait began now.
        var node: Int
    }

    private let state: Locked<State>

    init(_ launch: LaunchStorage, node: Int) {
        state = Locked(State(launch: launch, node: node))
        super.init()
    }

    var node: Int {
        get { state.withLock { $0.node } }
        set { state.withLock { $0.node = newValue } }
    }

    /// The step's identifier; while it waits, that of the step it would take now.
    override var name: String? {
        get { super.name ?? launch?.graph.id(node) }
        set { super.name = newValue }
    }

    override func main() {
        // The launch may be over since the queue has started this.
        if let launch { launch.run(self) } else { finish() }
    }

    /// Cancels the step.
    override func cancel() {
        super.cancel()
        // A step that has not had its turn is done with the launch, and a suspended queue may keep it for ever.
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
        _ = state.withLock { $0.launch.take() }
    }
}

/// The operations of a launch that are in the app's queue.
struct QueuedSteps {
    /// The steps that have not been started, by operation.
    private var waiting: [Int: QueuedStep] = [:]
    /// The running steps, by operation.
    private var running: [Int: QueuedStep] = [:]

    mutating func add(_ launch: LaunchStorage, _ node: Int) -> QueuedStep {
        let step = QueuedStep(launch, node: node)
        waiting[node] = step
        return step
    }

    /// - Returns: false when it has been taken out before.
    mutating func removeWaiting(_ step: QueuedStep) -> Bool {
        guard waiting[step.node] === step else { return false }
        waiting[step.node] = nil
        return true
    }

    /// Its turn has begun, with an operation that another one may have been for: that gets its own.
    mutating func begin(_ step: QueuedStep, _ node: Int) {
        if let other = waiting.removeValue(forKey: node) {
            waiting[step.node] = other
            other.node = step.node
        }
        step.node = node
        running[node] = step
    }

    func isRunning(_ step: QueuedStep) -> Bool { running[step.node] === step }

    mutating func removeRunning(_ node: Int) -> QueuedStep? { running.removeValue(forKey: node) }

    mutating func removeWaiting() -> [QueuedStep] { Array(exchange(&waiting, with: [:]).values) }
}
