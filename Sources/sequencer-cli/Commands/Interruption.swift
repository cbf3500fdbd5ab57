import Foundation
import Sequencer

/// What Ctrl-C does to a launch: the first one cancels it, the second one ends the process at once. SIGTERM does the same.
final class Interruption: Sendable {
    private let signal = Locked<Int32?>(nil)
    private let watch: Locked<SignalWatch?> = Locked(nil)

    /// - Parameters:
    ///   - abandon: called at the second signal, before the process ends: removes what nobody else will.
    ///   - cancel: called at the first signal. Both are called on a queue that no launch can block.
    init(abandon: @escaping @Sendable () -> Void = {}, cancel: @escaping @Sendable () -> Void) {
        let watch = SignalWatch([SIGINT, SIGTERM]) { [signal] number in
            let isFirst = signal.withLock { signal in
                defer { signal = signal ?? number }
                return signal == nil
            }
            if isFirst { return cancel() }
            // Nobody is left to restore what a live view, or the question for a password, has hidden.
            TerminalEcho.restoreAll()
            if Terminal.standardOutput.isTerminal { Terminal.standardOutput.write(LiveView.showCursor) }
            abandon()
            _exit(128 + number)
        }
        self.watch.withLock { $0 = watch }
    }

    /// Lets signals end the process again.
    ///
    /// - Returns: the first signal that came.
    func end() -> Int32? {
        let watch = watch.withLock { watch in
            defer { watch = nil }
            return watch
        }
        watch?.end()
        return signal.withLock { $0 }
    }
}
