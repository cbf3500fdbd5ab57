import Foundation

/// A step in a queue that the app made: takes a step that is ready when the queue starts it, and ends with it.
///
/// It is finished when the step has ended, also when the step's code goes on: a step that has timed out keeps its
/// thread, and nothing else.
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
        // One that has not had its turn has nothing more to do with the launch, and a suspended queue may keep it for
        // ever.
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
