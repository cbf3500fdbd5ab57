import Dispatch

/// Those who watch a launch run their own code, which may block: no timeout and no report waits for it.
extension LaunchStorage {
    /// How long the end of a launch waits for observers: much longer than one needs to write a line to a slow disk.
    private static let patience = Duration.seconds(2).nanoseconds

    /// Tells the observers what has happened. When the launch is over, its report is given when they know, or when they have had time enough.
    func tell(isOver: Bool, onTimer: Bool) {
        if isOver, virtualTime == nil {
            let end = timekeeper.now.addingSaturated(Self.patience)
            state.withLock { $0.endOfWatching = end }
            timekeeper.wake(at: end)
        }
        run(onTimer: onTimer) { self.deliverEvents() }
    }

    /// Reports a stall, as things are now.
    func reportStall(onTimer: Bool) {
        guard let stallWatch else { return }
        let status = status
        run(onTimer: onTimer) { stallWatch.report(status) }
    }

    /// Gives the report of a launch that is over to those who wait for it, if the observers have had time enough.
    func endWatching() {
        guard let end = state.withLock({ $0.endOfWatching }) else { return }
        // This may be an earlier alarm, of a timeout that is none any more.
        if timekeeper.now >= end { finish() } else { timekeeper.wake(at: end) }
    }

    /// Runs code of watchers: here, or, where the timer's thread would have to wait for it, on one of its own. A serial queue has that also while every
    /// pool thread is blocked. In virtual time everything is on one thread, whose clock stands still meanwhile.
    private func run(onTimer: Bool, _ body: @escaping @Sendable () -> Void) {
        if onTimer, virtualTime == nil {
            DispatchQueue(label: "sequencer.watchers", qos: .userInitiated).async(execute: body)
        } else {
            body()
        }
    }
}
