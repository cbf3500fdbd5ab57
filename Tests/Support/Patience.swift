import Dispatch
import Foundation
import Sequencer
import Testing

/// How long a test waits for what should come at once.
///
/// It is a duration, counted from the beginning of each wait: a moment that all tests share is over before the last of them begin, on a machine
/// that is slow enough. It is less than a test's time limit, so that the wait that was in vain is what fails, by its name.
package let patience: Duration = .seconds(300)

/// Waits for a callback, and no longer than a test is patient.
///
/// - Parameters:
///   - value: what is returned when the callback does not come in time, which is an issue of the test.
///   - begin: what leads to the callback, which may come at once, and on any thread; a second one is an issue too.
package func callback<Value: Sendable>(
    orElse value: Value,
    within patience: Duration = patience,
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    from begin: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let result: Value? = await withCheckedContinuation { continuation in
        let wait = Wait(continuation, within: patience)
        begin { value in
            if !wait.end(with: value) { Issue.record("what was waited for came twice", sourceLocation: sourceLocation) }
        }
    }
    // Here, where it is known which test it belongs to.
    if result == nil { Issue.record("what was waited for did not come within \(patience)", sourceLocation: sourceLocation) }
    return result ?? value
}

/// Waits for a callback that brings nothing, and no longer than a test is patient.
package func callback(
    within patience: Duration = patience,
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    from begin: (@escaping @Sendable () -> Void) -> Void
) async {
    await callback(orElse: (), within: patience, sourceLocation: sourceLocation, isolation: isolation) { done in begin { done(()) } }
}

/// Waits until it is so, and no longer than a test is patient.
///
/// - Returns: false when it was not so in time, which is an issue of the test.
@discardableResult
package func eventually(
    within patience: Duration = patience,
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    _ isSo: () throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + patience
    while try !isSo() {
        // A sleep between two looks: whoever only yields takes the processor from what it waits for.
        guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(1))) != nil else {
            Issue.record("what was waited for was not so within \(patience)", sourceLocation: sourceLocation)
            return false
        }
    }
    return true
}

extension DispatchSemaphore {
    /// Blocks the thread until the signal comes, and no longer than a test is patient.
    package func waitPatiently(within patience: Duration = patience, sourceLocation: SourceLocation = #_sourceLocation) {
        if wait(timeout: .now() + patience.timeInterval) == .timedOut {
            Issue.record("no signal came within \(patience)", sourceLocation: sourceLocation)
        }
    }
}

extension DispatchGroup {
    /// Blocks the thread until all have left, and no longer than a test is patient.
    package func waitPatiently(within patience: Duration = patience, sourceLocation: SourceLocation = #_sourceLocation) {
        if wait(timeout: .now() + patience.timeInterval) == .timedOut {
            Issue.record("not all have left within \(patience)", sourceLocation: sourceLocation)
        }
    }
}

extension Duration {
    fileprivate var timeInterval: Double { self / .seconds(1) }
}

/// A wait that ends once: with what was waited for, or with nil when patience is over.
private final class Wait<Value: Sendable>: Sendable {
    private enum State: @unchecked Sendable {
        // @unchecked: a timer may be cancelled on any thread, which Dispatch does not say to the compiler.
        case waiting(CheckedContinuation<Value?, Never>, timer: any DispatchSourceTimer)
        case ended
        case inVain
    }

    private let state: Locked<State>

    init(_ continuation: CheckedContinuation<Value?, Never>, within patience: Duration) {
        let timer = DispatchSource.makeTimerSource(queue: patienceQueue)
        state = Locked(.waiting(continuation, timer: timer))
        timer.setEventHandler { self.end(with: nil) }
        timer.schedule(deadline: .now() + patience.timeInterval)
        timer.activate()
    }

    /// - Returns: false when it had ended before with something.
    @discardableResult
    func end(with value: Value?) -> Bool {
        let last = state.withLock { state in
            defer { if case .waiting = state { state = value == nil ? .inVain : .ended } }
            return state
        }
        switch last {
        case .waiting(let continuation, let timer):
            timer.cancel()
            continuation.resume(returning: value)
            return true
        case .ended: return value == nil
        case .inVain: return true
        }
    }
}

/// Of its own: tests block every thread of the system's pool.
private let patienceQueue = DispatchQueue(label: "sequencer.tests.patience")

extension Duration {
    package static let patience = Duration.seconds(600)
}

extension LaunchOptions.Deadline {
    /// That of launches in real time whose test is not about deadlines: on a busy machine the default one can pass before a step has begun.
    package static let patience = Self.after(.patience)
}

extension LaunchOptions {
    /// The defaults, for a busy machine.
    package static var patient: LaunchOptions { LaunchOptions(deadline: .patience) }
}
