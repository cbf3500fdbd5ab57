import Synchronization

/// Counts bodies, and does something when there have been enough.
final class HalfWay: @unchecked Sendable {
    // @unchecked: `action` is set before anything is counted, and after everything has been.
    private let limit: Int
    private let counted = Atomic<Int>(0)
    private var action: @Sendable () -> Void = {}

    init(_ limit: Int) {
        self.limit = limit
    }

    func whenReached(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func count() {
        if counted.add(1, ordering: .relaxed).newValue == limit { action() }
    }
}
