import Dispatch
import Foundation
import Sequencer
import Testing

/// Lets threads and tasks wait for one another in a test, in an order that the test draws; nobody waits longer than a test is patient.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())
    private let semaphore = DispatchSemaphore(value: 0)
    private let patience: Duration

    package init(patience: Duration = TestSupport.patience) { self.patience = patience }

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        // First: a task cannot be resumed while one of its cancel handlers blocks here.
        semaphore.signal()
        for waiter in waiters { waiter() }
    }

    package func wait(sourceLocation: SourceLocation = #_sourceLocation) async {
        await callback(within: patience, sourceLocation: sourceLocation) { goOn in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(goOn) }
                return state.isOpen
            }
            if isOpen { goOn() }
        }
    }

    /// Blocks the calling thread: for steps that do what they should not.
    package func block(sourceLocation: SourceLocation = #_sourceLocation) {
        semaphore.waitPatiently(within: patience, sourceLocation: sourceLocation)
        semaphore.signal()
    }
}
