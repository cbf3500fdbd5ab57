import Sequencer
import Synchronization

/// Whether the server can do its work, and if it cannot, why.
final class Readiness: Sendable {
    private struct State {
        var launch: RunningLaunch?
        var isStopped = false
        var operations: [String] = []
        /// What is answered once the launch has ended, or is to end.
        var ended: ReadyAnswer?
        var cache: ProductCache?
    }

    private let state = Mutex(State())

    /// The operations of a launch that has not begun.
    func prepare(_ operations: [String]) { state.withLock { $0.operations = operations } }

    /// The launch whose operations are named until it has ended. It is cancelled by ``stop()``, which may have been called already.
    func begin(_ launch: RunningLaunch) {
        let isStopped = state.withLock { state in
            state.launch = launch
            return state.isStopped
        }
        if isStopped { launch.cancel() }
    }

    /// The cache has been warmed.
    func serve(_ cache: ProductCache) { state.withLock { $0.cache = cache } }

    /// The launch has ended as `report` says. After ``stop()`` it changes nothing.
    func end(_ report: LaunchReport) {
        let answer =
            switch report.outcome {
            case .completed:
                ReadyAnswer(status: .ready, degraded: report.operations.filter { $0.outcome != .succeeded }.map { .init($0) })
            case .failed(let operation, let message): ReadyAnswer(status: .failed, message: "\(operation): \(message)")
            case .aborted, .cancelled: ReadyAnswer(status: .stopping)
            }
        state.withLock { if $0.ended == nil { $0.ended = answer } }
    }

    /// The server is told to shut down: no new work should come to it, and the launch is cancelled. A launch that has failed has still failed.
    func stop() {
        let launch = state.withLock { state in
            if state.ended?.status != .failed { state.ended = ReadyAnswer(status: .stopping) }
            state.isStopped = true
            return state.launch
        }
        launch?.cancel()
    }

    /// What is served, as soon as the launch has completed.
    var cache: ProductCache? { state.withLock { $0.ended?.status == .ready ? $0.cache : nil } }

    var answer: ReadyAnswer {
        let state = state.withLock { $0 }
        // The launch is asked outside this lock: it has one of its own.
        return state.ended ?? (state.launch?.status).map { ReadyAnswer($0) } ?? ReadyAnswer(notBegun: state.operations)
    }
}

/// What `/ready` answers, as JSON.
struct ReadyAnswer: Sendable, Encodable {
    enum Status: String, Sendable, Encodable {
        case starting, ready, failed, stopping
    }

    struct Operation: Sendable, Encodable {
        var operation: String
        /// What it waits for, or why it did not succeed.
        var detail: String
    }

    var status: Status
    /// Why the launch has failed.
    var message: String?
    /// Operations that run.
    var running: [Operation]?
    /// Operations that wait for others, or for the machine.
    var pending: [Operation]?
    /// Operations that did not succeed in a launch that completed all the same.
    var degraded: [Operation]?

    init(status: Status, message: String? = nil, degraded: [Operation]? = nil) {
        self.status = status
        self.message = message
        self.degraded = degraded
    }

    /// The answer while the launch runs.
    init(_ launch: LaunchStatus) {
        status = .starting
        running = launch.operations.filter(\.isRunning).map { Operation($0) }
        pending = launch.operations.filter { !$0.isRunning }.map { Operation($0) }
    }

    /// The answer before the launch begins.
    init(notBegun operations: [String]) {
        status = .starting
        running = []
        pending = operations.map { Operation(operation: $0, detail: "waits for the server to listen") }
    }
}

extension ReadyAnswer.Operation {
    init(_ operation: LaunchStatus.Operation) { self.init(operation: operation.id, detail: operation.description) }

    init(_ report: OperationReport) { self.init(operation: report.id, detail: report.message ?? report.outcome.rawValue) }
}
