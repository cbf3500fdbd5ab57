import Synchronization

/// Work that was started and may go on: decides who tells of its end.
///
/// If it has ended by the time that its start returns, the thread that started it does, which then goes on with the next operation in the same
/// breath; otherwise whoever ends it.
final class StartedWork: Sendable {
    typealias Ending = Result<any Sendable, any Error>

    private enum Phase {
        static let starting: UInt8 = 0
        static let ended: UInt8 = 1
        static let goesOn: UInt8 = 2
    }

    private let phase = Atomic<UInt8>(Phase.starting)
    // Unsafe: written once, before `phase` says so, and read only by who has seen `phase` say so.
    private nonisolated(unsafe) var ending: Ending?

    /// The work has ended; called once.
    ///
    /// - Returns: whether the caller has to tell of it.
    func end(_ ending: Ending) -> Bool {
        self.ending = ending
        return phase.exchange(Phase.ended, ordering: .acquiringAndReleasing) == Phase.goesOn
    }

    /// The start has returned; called once.
    ///
    /// - Returns: how the work ended, if the caller has to tell of it.
    func startReturned() -> Ending? {
        let goesOn = phase.compareExchange(expected: Phase.starting, desired: Phase.goesOn, ordering: .acquiringAndReleasing).exchanged
        return goesOn ? nil : ending
    }
}
