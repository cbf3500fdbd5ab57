import Foundation
import Sequencer

/// The embedded backends that live, by host.
enum EmbeddedRegistry {
    private struct State {
        struct Entry {
            weak var backend: EmbeddedBackend?
        }

        var backends: [String: Entry] = [:]
        var count = 0
    }

    // Global because `URLSession` takes a class, not an object, and makes its own instances: they have only the address to go by.
    private static let state = Locked(State())

    /// A host that was not used before.
    static func reserveHost() -> String {
        state.withLock { state in
            state.count += 1
            return "sample-\(state.count).invalid"
        }
    }

    static func add(_ backend: EmbeddedBackend, host: String) {
        state.withLock { $0.backends[host] = State.Entry(backend: backend) }
    }

    static func remove(host: String) { state.withLock { $0.backends[host] = nil } }

    static func backend(for url: URL?) -> EmbeddedBackend? {
        guard let host = url?.host() else { return nil }
        // Its last reference may be the one returned: it is never released while the lock is held, for its deinitializer takes the lock.
        return state.withLock { $0.backends[host]?.backend }
    }
}
