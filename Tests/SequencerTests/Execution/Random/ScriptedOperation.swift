import Dispatch
import Foundation

@testable import Sequencer

/// A step of a plan as a Foundation operation.
final class ScriptedOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: `work` is constant, and Sendable itself.
    private let work: ScriptedWork

    init(_ script: Script) { work = ScriptedWork(script) }

    override func main() { work.begin(self) { [self] _ in finish() } }

    override func didCancel() { work.cancel(self) }
}

/// The same, for a step that leaves a value.
final class ScriptedValueOperation: ValueOperation<Int>, @unchecked Sendable {
    // @unchecked: `work` is constant, and Sendable itself.
    private let work: ScriptedWork

    init(_ script: Script) { work = ScriptedWork(script) }

    override func main() { work.begin(self) { [self] in finish(returning: $0) } }

    override func didCancel() { work.cancel(self) }
}

/// The work of an operation that finishes later, from another thread, or by being told to cancel.
private struct ScriptedWork: Sendable {
    private let script: Script
    private let sleep = Locked<Task<Void, Never>?>(nil)

    init(_ script: Script) { self.script = script }

    /// - Parameter finish: finishes the operation, with the step's value.
    func begin(_ operation: ConcurrentOperation, finish: @escaping @Sendable (Int) -> Void) {
        if MainThreadCheck.isCurrent != script.step.isOnMain {
            script.complaints.withLock { $0.append("\(script.index) was started on the wrong thread") }
        }
        // There is none when the launch is over.
        guard let launch = operation.stepContext else { return operation.finish() }
        if script.step.hangs {
            // Waits on the clock, so that virtual time knows that there is nothing to wait for.
            sleep.withLock { $0 = Task { try? await launch.sleep(for: VirtualScheduler.never) } }
            return
        }
        DispatchQueue.global().async {
            do {
                finish(try script.runThrough(launch))
                if script.step.finishesTwice { operation.finish() }
            } catch {
                operation.finish(throwing: error)
            }
        }
    }

    func cancel(_ operation: ConcurrentOperation) {
        guard script.step.hangs else { return }
        sleep.withLock { $0 }?.cancel()
        operation.finish()
    }
}
