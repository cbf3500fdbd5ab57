import Dispatch
import Foundation
import Sequencer

/// What Ctrl-C does to a launch: the first one cancels it, the second one ends the process at once. SIGTERM does the same.
final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var sources: [any DispatchSourceSignal] = []
    }

    private let state = Locked(State())

    /// - Parameter cancel: called at the first signal, on a queue that no launch can block.
    init(cancel: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "sequencer-cli.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in
                if isFirst(number) { return cancel() }
                // Nobody is left to restore what a live view, or the question for a password, has hidden.
                TerminalEcho.restoreAll()
                if Terminal.standardOutput.isTerminal { Terminal.standardOutput.write(LiveView.showCursor) }
                _exit(128 + number)
            }
            source.resume()
            return source
        }
        state.withLock { $0.sources = sources }
    }

    private func isFirst(_ number: Int32) -> Bool {
        state.withLock { state in
            defer { state.signal = state.signal ?? number }
            return state.signal == nil
        }
    }

    /// Lets signals end the process again.
    ///
    /// - Returns: the first signal that came.
    func end() -> Int32? {
        let (number, sources) = state.withLock { state in
            defer { state.sources = [] }
            return (state.signal, state.sources)
        }
        for source in sources { source.cancel() }
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        return number
    }
}
