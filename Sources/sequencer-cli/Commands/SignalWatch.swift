import Dispatch
import Foundation

/// Handles signals instead of what they would do by themselves, on a queue that no launch can block.
///
/// From the end of ``init(_:handler:)`` no signal is missed.
struct SignalWatch: Sendable {
    private let numbers: [Int32]
    // Dispatch sources can be used from any thread, though not every platform's headers say so.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameter handler: called for each signal, one at a time.
    init(_ numbers: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "sequencer-cli.signals")
        let registrations = DispatchGroup()
        self.numbers = numbers
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.resume()
            return source
        }
        // Until it is registered, a signal is ignored. That takes microseconds.
        registrations.wait()
    }

    /// Lets the signals do again what they do by themselves.
    func end() {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }
}
