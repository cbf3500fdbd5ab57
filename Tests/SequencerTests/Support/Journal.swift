@testable import Sequencer

/// Where things happened in which order.
final class Journal: Sendable {
    private let entries = Locked<[String]>([])

    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}
