/// The threads of a launch's workers, and what was seen of them.
struct WorkerThreads {
    /// What a thread had done when it was last looked at.
    struct Look {
        var code: StepAssignment?
        let time: Nanoseconds
        let processorTime: Nanoseconds
        var isAsleep = false
    }

    /// How soon after a change the threads are looked at, and how seldom, at the most, when nothing changes.
    private static let (soon, late): (Nanoseconds, Nanoseconds) = (250_000, 2_000_000)

    private var all: [StepThread] = []
    private(set) var looks: [ThreadClock: Look] = [:]
    /// Of the looks; made when it is first needed.
    var alarm: Int?
    private var delay = WorkerThreads.soon
    private var lastLook: Nanoseconds = 0

    /// A worker begins.
    ///
    /// - Parameter isLookedAt: whether the threads are being looked at.
    mutating func add(_ thread: StepThread, isLookedAt: Bool) {
        // Those that have ended leave without a word: they are dropped here, now and then.
        if all.count >= 2 * LaunchOptions.maximumThreads { all.removeAll { $0.isDone } }
        all.append(thread)
        if isLookedAt, let clock = thread.clock, let time = clock.processorTime {
            looks[clock] = Look(time: monotonicNanoseconds(), processorTime: time)
        }
    }

    /// What each thread runs now.
    mutating func running() -> [ThreadClock: StepAssignment] {
        all.removeAll { $0.isDone }
        var running: [ThreadClock: StepAssignment] = [:]
        for thread in all { if let clock = thread.clock { running[clock] = thread.assignment } }
        return running
    }

    mutating func note(_ seen: [ThreadClock: Look]) {
        // Others have begun meanwhile. Threads that are gone are dropped now and then.
        if looks.count > 4 * LaunchOptions.maximumThreads { looks = [:] }
        looks.merge(seen) { $1 }
    }

    /// How long until the next look.
    ///
    /// - Parameter hasChanged: whether the last look has changed anything; nil for the first one since something waits.
    mutating func nextDelay(hasChanged: Bool?, at now: Nanoseconds) -> Nanoseconds {
        // Short operations that come and go have something wait again and again: that is no reason to look more often.
        let isNew = hasChanged == nil && now - lastLook > Self.late
        if hasChanged == true || isNew { delay = Self.soon } else if hasChanged == false { delay = min(2 * delay, Self.late) }
        lastLook = now
        return delay
    }
}
