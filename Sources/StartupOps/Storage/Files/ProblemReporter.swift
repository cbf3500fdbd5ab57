import Sequencer

/// Tells each problem once.
final class ProblemReporter: Sendable {
    /// More than this many are no news; nothing here may grow for ever.
    private static let limit = 1000

    private let reported = Locked<Set<StorageError>>([])
    private let onProblem: @Sendable (StorageError) -> Void

    init(_ onProblem: @escaping @Sendable (StorageError) -> Void) {
        self.onProblem = onProblem
    }

    /// Calls back on this thread, unless the same problem was told before.
    func report(_ problem: StorageError) {
        let isNew = reported.withLock { $0.count < Self.limit && $0.insert(problem).inserted }
        if isNew { onProblem(problem) }
    }
}
