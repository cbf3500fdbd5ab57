import Sequencer

/// What an answer of a `LoopbackServer` waits for, until a test opens it.
final class LoopbackGate: Sendable {
    private let state = Locked(false)

    var isOpen: Bool { state.withLock { $0 } }

    func open() { state.withLock { $0 = true } }
}
