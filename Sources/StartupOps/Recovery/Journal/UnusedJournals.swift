import Foundation
import Sequencer

/// The journals of this process without a launch, including those that the app has released. They are removed when the
/// process exits: it wanted to end, and no launch has died.
///
/// A crash runs no exit handler. Neither does a signal that the app does not handle: the next process cannot tell the
/// two apart, and counts both.
enum UnusedJournals {
    private static let paths = Locked<Set<String>>([])
    private static let removesAtExit: Void = { _ = atexit { UnusedJournals.removeAll() } }()

    static func add(_ path: String) {
        _ = removesAtExit
        paths.withLock { _ = $0.insert(path) }
    }

    /// Its end says something from now on.
    static func forget(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
    }

    private static func removeAll() {
        for path in paths.withLock({ $0 }) { unlink(path) }
    }
}
