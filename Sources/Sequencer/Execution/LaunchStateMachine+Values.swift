extension LaunchStateMachine {
    /// The settings of a launch, given before it begins.
    struct Configuration {
        /// The most operations off the main thread that run at the same time; nil for no limit.
        var lanes: Int?
        /// Identifiers in the order in which ready operations go first; nil for the longest remaining path first.
        var order: [String]?
        /// Whether operations run one at a time, and others' turns do not count for timeouts.
        var hasTurns = false
        /// The processors, where more operations can run than that; nil where that does not matter.
        var processors: Int?
        /// The most workers, the threads that start operations; where they are measured, the most that are not asleep.
        var workers = 2
        /// The most workers in all, where they are measured; nil where they are not.
        var maximumWorkers: Int?
        /// Whether operations run in a queue of the app's instead, each in a separate turn.
        var usesQueue = false
        /// Whether a worker, or a turn of the main thread, takes one operation at most, and who takes the next is
        /// decided anew: in virtual time.
        var takesOneAtATime = false
        var deadline: Nanoseconds?
        var deadlineCountsInteractiveTime = true
        /// How long operations that run get to end after the launch was stopped.
        var grace: Nanoseconds = 250_000_000
        /// Of the random part of retry pauses.
        var seed: UInt64 = 0
        var recordsEvents = false
        /// The scope that events name.
        var scope: String?
        /// The limit for the milestone's end, in time that counts; nil if the budget is only measured.
        var budget: Nanoseconds?
        /// After how long without an operation's end that is reported.
        var stallLimit: Nanoseconds?
        /// Whether a failure of the launch is shown.
        var hasFailureTakeover = false
        /// How long the launch waits, past the grace period, until it is known whose screen shows that.
        var takeoverLimit: Nanoseconds = 0
    }

    // The values the state machine is made of.

    enum NodeState: UInt8 {
        case waiting, deferred, ready, parked
        /// Ready, and not in the milestone's way.
        case aside
        case checking, running, pausing
        /// Its fallback is computed.
        case computing
        case ended
    }

    /// The question whether an operation should run, if that is known before all its dependencies have ended.
    ///
    /// While it is asked, the operation has its turn for the question alone, and goes back to waiting if the answer is
    /// yes.
    enum EarlyQuestion: UInt8 { case none, asked, answered }

    /// The thread that is in the code of an operation.
    enum CodeThread: UInt8 {
        case none
        case worker
        /// A worker that waits within that code.
        case asleepWorker
        /// A thread that computes a fallback, and is not a worker.
        case ofFallback
    }

    /// The state of an operation: 56 bytes.
    struct Node {
        /// Dependencies that have not ended.
        var waiting: Int32
        /// From 0; -1 for an operation that never had a lane (it ran on the main thread, or not at all).
        var lane: Int32 = -1
        /// The operation whose end is the reason that this one is skipped, however far back; or -1.
        var cause: Int32 = -1
        var ready: Nanoseconds = -1
        var start: Nanoseconds = -1
        var end: Nanoseconds = -1
        /// Attempts begun: a hundred at most.
        var attempts: UInt8 = 0
        var state = NodeState.waiting
        var outcome = Outcome.succeeded
        /// The outcome before the fallback took over.
        var failure: Outcome?
        var holdsLane = false
        var thread = CodeThread.none
        var isToldToCancel = false
        /// It is skipped, and its dependents run, but for those that need its value.
        var isSkippedAlone = false
        /// It was ended so that the budget could be kept.
        var isCut = false
        /// It was put off until the milestone had ended.
        var isDeferred = false
        /// It still ran when the launch stopped waiting for it.
        var isStraggler = false
        /// It ended when the launch proper had.
        var isAfterMilestone = false
        /// Its last attempt has taken longer than one may.
        var hasAttemptTimedOut = false
        var question = EarlyQuestion.none

        var isHeldByWorker: Bool { thread == .worker || thread == .asleepWorker }
        /// Whether the operation, or its fallback, continues.
        var isGoingOn: Bool { state == .running || state == .computing }
        /// Whether a worker runs its code, or asks its condition.
        var isOnWorker: Bool { thread != .none && (isGoingOn || state == .checking) }
        /// Whether it could begin, and its delay is not over.
        var isDelayed: Bool { state == .pausing && attempts == 0 }
        /// Whether it has gone on to its fallback, and has ended if it is not computing that.
        var hasFallenBack: Bool { failure != nil }
    }

    struct Timer: Comparable {
        enum Kind {
            case timeout, attempt, grace
            /// A pause ends: before the next attempt, or the delay of the first.
            case pause
            /// See ``ShownScreen``.
            case screen
        }

        let time: Nanoseconds
        /// Timers of one time fire in the order they were set.
        let sequence: Int
        let node: Int32
        let kind: Kind

        static func < (left: Timer, right: Timer) -> Bool {
            left.time != right.time ? left.time < right.time : left.sequence < right.sequence
        }
    }

    /// A consequence of an input that is left until those before it have taken effect.
    struct PendingEnd {
        enum Kind {
            case ended(Outcome)
            /// It was put off: it has not ended, but others no longer wait for it.
            case putOff
            /// It begins to wait for an event from outside, or settles one.
            case ofEvent
            /// It is ready, and past the time of its cut.
            case lateCut
            /// Its fallback must be computed.
            case fallback
            /// A dependency has succeeded, perhaps the first of several that compete.
            case race
        }

        let node: Int
        let kind: Kind
    }

    /// The traits of each operation, as bits, so that the common case looks nothing up. "running, instructions" in
    /// `Benchmarks/instructions.json` pays for it.
    struct NodeTraits: Sendable {
        struct Bits: OptionSet {
            let rawValue: UInt32
            static let isMain = Bits(rawValue: 1)
            static let isInteractive = Bits(rawValue: 2)
            static let hasCondition = Bits(rawValue: 4)
            static let hasResources = Bits(rawValue: 8)
            static let hasTimeout = Bits(rawValue: 16)
            static let hasRetry = Bits(rawValue: 32)
            static let hasFallback = Bits(rawValue: 64)
            static let computesFallback = Bits(rawValue: 128)
            static let isJoin = Bits(rawValue: 256)
            static let isDeferrable = Bits(rawValue: 512)
            /// It always runs, even if others or the launch fail.
            static let isAlways = Bits(rawValue: 1024)
            /// It takes the first of the operations that it waits for.
            static let isRace = Bits(rawValue: 2048)
            /// It keeps the main thread while it runs; not said where no operation needs a resource.
            static let keepsMain = Bits(rawValue: 4096)
            /// It may have to wait so that it is not in the milestone's way.
            static let mayBeHeld = Bits(rawValue: 8192)
            /// The milestone needs it: when it is ready, and when it starts, decides how long others have to wait for
            /// that reason.
            static let isAwaited = Bits(rawValue: 16384)
            /// When it ends, others that had to wait for that reason are looked at again.
            static let freesOthers = Bits(rawValue: 32768)
            /// It keeps a thread, where that is counted.
            static let keepsThread = Bits(rawValue: 65536)
            /// It keeps one, and leaves the processors to the milestone.
            static let yieldsProcessor = Bits(rawValue: 131_072)
            /// It may be cut to keep the budget.
            static let isCuttable = Bits(rawValue: 262_144)
            /// It begins later than it could.
            static let hasDelay = Bits(rawValue: 524_288)
            /// Something is shown when it takes long.
            static let showsIfSlow = Bits(rawValue: 1_048_576)
            /// It waits for an event from outside.
            static let isEvent = Bits(rawValue: 2_097_152)
            /// Its end settles events from outside, or may release something that is held for it.
            static let settlesEvents = Bits(rawValue: 4_194_304)
            /// Its condition may be asked before all that it waits for has ended.
            static let asksEarly = Bits(rawValue: 8_388_608)
            /// Once it has begun, a launch that is stopped does not tell it to cancel.
            static let isShielded = Bits(rawValue: 16_777_216)
        }

        private var bits: [Bits]
        /// Of operations that are asked early, for each condition those that it goes by.
        private(set) var deciders: [Int: [Set<Int>?]] = [:]
        /// The traits that at least one operation has.
        let all: Bits
        /// Of several ready operations, the one of the highest rank goes first.
        let ranks: [Nanoseconds]
        /// The parts that must not be taken from the milestone; nil if nothing can take them.
        let ongoing: OngoingNeeds?
        /// How urgent each operation is (``Urgency/levels``); none where all are alike.
        let levels: [UInt8]
        /// The largest of them; 0 where all are alike.
        let highestLevel: UInt8

        /// - Parameters:
        ///   - order: identifiers in the order in which ready operations go first; nil for the most urgent first.
        ///   - lanes: nil for no limit.
        ///   - processors: nil where they do not matter.
        init(_ graph: ValidatedGraph, order: [String]?, lanes: Int?, processors: Int?) {
            bits = graph.nodes.map { node in
                var bits: Bits = node.isMain ? .isMain : []
                if case .event = node.work { bits.insert(.isEvent) }
                guard let policy = node.policy?.value else {
                    if case .nothing = node.work { bits.insert(.isJoin) }
                    return bits
                }
                if policy.isPersonsTime { bits.insert(.isInteractive) }
                if policy.isConditional { bits.insert(.hasCondition) }
                if policy.conditions.contains(where: { !$0.inputs.isEmpty }) { bits.insert(.asksEarly) }
                if !policy.exclusive.isEmpty { bits.insert(.hasResources) }
                if policy.timeout != nil { bits.insert(.hasTimeout) }
                if policy.retry != nil { bits.insert(.hasRetry) }
                if policy.delay != nil { bits.insert(.hasDelay) }
                if policy.isShielded { bits.insert(.isShielded) }
                if policy.isDeferrable { bits.insert(.isDeferrable) }
                if policy.isAlways { bits.insert(.isAlways) }
                if policy.racers != nil { bits.insert(.isRace) }
                if policy.canBeCut { bits.insert(.isCuttable) }
                // While the user is asked, nothing must be shown over the question.
                if policy.slowScreen != nil, !policy.isPersonsTime { bits.insert(.showsIfSlow) }
                if !policy.events.isEmpty || !policy.holds.isEmpty { bits.insert(.settlesEvents) }
                // With a condition, or a resource, it has something to wait for.
                if case .nothing = node.work, !policy.isConditional, policy.exclusive.isEmpty { bits.insert(.isJoin) }
                switch policy.fallback {
                case .value?: bits.insert(.hasFallback)
                case .compute?: bits.formUnion([.hasFallback, .computesFallback])
                case nil: break
                }
                return bits
            }
            for node in bits.indices where bits[node].contains(.asksEarly) {
                let early = graph.deciders(of: node)
                if early.isEmpty { bits[node].remove(.asksEarly) } else { deciders[node] = early }
            }
            let urgency = order == nil ? graph.urgency : nil
            ranks = order.map(graph.ranks(inOrder:)) ?? urgency?.ranks(lanes: lanes) ?? []
            // With a lane for each, nobody waits for one.
            let hasLanes = (lanes ?? .max) < graph.count
            let hasLevels = urgency?.hasLevels == true
            ongoing = urgency.flatMap { OngoingNeeds(graph, $0, hasLanes: hasLanes) }
            if let ongoing {
                for node in bits.indices {
                    if ongoing.mayHold(node) { bits[node].insert(.mayBeHeld) }
                    if ongoing.isAwaited(node) { bits[node].insert(.isAwaited) }
                    if ongoing.freesOthers(node) { bits[node].insert(.freesOthers) }
                }
            }
            (levels, highestLevel) = hasLevels ? (urgency?.levels ?? [], urgency?.highest ?? 0) : ([], 0)
            if processors != nil, let urgency, urgency.hasLevels {
                for node in bits.indices where graph.keepsThread(node) {
                    bits[node].formUnion(levels[node] == urgency.highest ? .keepsThread : [.keepsThread, .yieldsProcessor])
                }
            }
            all = bits.reduce(into: []) { $0.formUnion($1) }
            // Elsewhere nothing is left to the main thread, so who keeps it need not be counted.
            if all.isSuperset(of: [.isMain, .hasResources]) {
                for node in bits.indices where bits[node].contains(.isMain) && !graph.policy(node).suspends {
                    bits[node].insert(.keepsMain)
                }
            }
        }

        subscript(node: Int) -> Bits { bits[node] }
    }
}

/// The time of an operation's waits for users; there may be several, one within another.
struct PersonWaits {
    /// The user is asked: the time does not count.
    private(set) var asked = InteractiveClock()
    /// The operation's timeout stands still.
    private(set) var paused = InteractiveClock()

    mutating func begin(_ wait: PersonWait, at time: Nanoseconds) {
        if wait.isAsked { asked.begin(at: time) }
        if wait.pausesTimeout { paused.begin(at: time) }
    }

    mutating func end(_ wait: PersonWait, at time: Nanoseconds) {
        if wait.isAsked { asked.end(at: time) }
        if wait.pausesTimeout { paused.end(at: time) }
    }

    func isRunning(_ wait: PersonWait) -> Bool {
        (asked.isRunning || !wait.isAsked) && (paused.isRunning || !wait.pausesTimeout)
    }
}

/// The time in which the user is asked at least one question: the union of the intervals.
struct InteractiveClock {
    private var running = 0
    /// Whether an interval has ever begun.
    private(set) var hasBegun = false
    /// When the interval that is going on began.
    private(set) var since: Nanoseconds = 0
    private var ended: Nanoseconds = 0
    /// When the last interval ended.
    private(set) var lastEnd: Nanoseconds = 0
    /// The intervals that have ended, in order and apart from each other; beyond a hundred, the last one continues to
    /// the end of the last.
    private(set) var intervals: [Range<Nanoseconds>] = []
    // Bounded, for each report has them: a step may ask again and again.
    private static let maximumIntervals = 100

    var isRunning: Bool { running > 0 }

    mutating func begin(at time: Nanoseconds) {
        if running == 0 { since = time }
        hasBegun = true
        running += 1
    }

    mutating func end(at time: Nanoseconds) {
        running -= 1
        guard running == 0 else { return }
        lastEnd = time
        // An interval without a length would show nothing, and take the place of one of the hundred.
        if time == since { return }
        ended += time - since
        if let last = intervals.last, last.upperBound == since || intervals.count == Self.maximumIntervals {
            intervals[intervals.count - 1] = last.lowerBound..<time
        } else {
            intervals.append(since..<time)
        }
    }

    /// The intervals up to now, the one that continues among them.
    func intervals(at time: Nanoseconds) -> [Range<Nanoseconds>] {
        guard isRunning else { return intervals }
        var copy = self
        // As if all of them ended: `end(at:)` takes away only one.
        copy.running = 1
        copy.end(at: time)
        return copy.intervals
    }

    func total(at time: Nanoseconds) -> Nanoseconds { ended + (running > 0 ? time - since : 0) }
}

extension RetryPolicy {
    /// When an attempt begins at the earliest, if each before it takes that long.
    package func earliestStart(ofAttempt attempt: Int, afterAttemptsOf duration: Duration = .zero) -> Duration {
        var (shortest, random) = (self, SplitMix64(seed: 0))
        (shortest.backoff, shortest.maximumBackoff, shortest.jitter) = (backoff * (1 - jitter), maximumBackoff * (1 - jitter), 0)
        return (1..<attempt).reduce(.zero) { $0 + duration + .nanoseconds(shortest.pause(afterAttempt: $1, random: &random)) }
    }

    /// The pause after attempt `attempt` (from 1) failed.
    func pause(afterAttempt attempt: Int, random: inout SplitMix64) -> Nanoseconds {
        var pause = Double(backoff.nanoseconds)
        let longest = Double(maximumBackoff.nanoseconds)
        // Not a power, which can be infinite: the loop stops at the longest pause.
        for _ in 1..<max(attempt, 1) where pause < longest { pause *= multiplier }
        pause = min(pause, longest)
        if jitter > 0, pause > 0 { pause *= 1 + Double.random(in: -jitter...jitter, using: &random) }
        // A conversion traps where the number does not fit.
        return Nanoseconds(min(max(pause, 0), Double(OperationGraph.maximumDuration.nanoseconds)))
    }
}

/// Which lanes are taken: each running operation off the main thread has one, and takes the lowest that is free.
struct LaneSet {
    /// The most lanes; nil for as many as there is work for.
    let limit: Int?
    /// The most lanes that were taken at the same time.
    private(set) var widest = 0
    /// The free ones below ``widest``.
    private var free = Heap<Int>()

    init(limit: Int?) { self.limit = limit }

    var taken: Int { widest - free.count }

    /// How many more operations could start.
    var available: Int { limit.map { $0 - taken } ?? .max }

    /// Takes the lowest free lane, or returns nil when all are taken.
    mutating func take() -> Int? {
        guard available > 0 else { return nil }
        if let lane = free.pop() { return lane }
        defer { widest += 1 }
        return widest
    }

    /// Gives a lane back.
    mutating func giveBack(_ lane: Int) { free.push(lane) }
}
