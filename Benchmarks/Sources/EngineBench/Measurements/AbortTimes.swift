import Sequencer
import Synchronization

/// When an abort was called for, and when the last running operation was told.
final class AbortTimes: Sendable {
    private let begin = Atomic<UInt64>(0)
    private let last = Atomic<UInt64>(0)
    private let running = Atomic<Int>(0)

    /// How many operations run.
    var count: Int { running.load(ordering: .acquiring) }

    /// From the call to the last one, in nanoseconds.
    var time: Double { Double(last.load(ordering: .acquiring)) - Double(begin.load(ordering: .acquiring)) }

    /// A running operation: it sleeps until it is told to cancel.
    func sleep() async throws {
        try await withTaskCancellationHandler {
            running.add(1, ordering: .acquiringAndReleasing)
            try await Task.sleep(for: .seconds(60))
        } onCancel: {
            last.max(now(), ordering: .acquiringAndReleasing)
        }
    }

    /// The operation that aborts.
    func abort(_ launch: StepContext) {
        begin.store(now(), ordering: .releasing)
        launch.abort(.forceUpdate)
    }
}
