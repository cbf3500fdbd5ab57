/// The values the state machine is made of.
extension LaunchStateMachine {
    enum NodeState: UInt8 {
        case waiting, deferred, ready, parked, checking, running, pausing, ended
    }

    /// One operation's state: 48 bytes.
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
        /// What happened before the fallback took over.
        var failure: Outcome?
        var holdsLane = false
        /// Its code runs on a worker's thread.
        var holdsWorker = false
        var isToldToCancel = false
        var isSkippedByCondition = false
        var isComputingFallback = false
        /// It was ended so that the budget could be kept.
        var isCut = false
        /// It was put off until the milestone had ended.
        var isDeferred = false
        /// It still ran when the launch stopped waiting for it.
        var isStraggler = false

        init(waiting: Int32) {
            self.waiting = waiting
        }
    }

    /// A ready operation: highest rank first, then the one that was added first.
    struct Ready: Comparable {
        let rank: Nanoseconds
        let node: Int32

        static func < (left: Ready, right: Ready) -> Bool {
            left.rank != right.rank ? left.rank > right.rank : left.node < right.node
        }
    }

    struct Timer: Comparable {
        enum Kind {
            case timeout, retry
        }

        let time: Nanoseconds
        /// Timers of one time fire in the order they were set.
        let sequence: Int
        let node: Int32
        let kind: Kind

        static func < (left: Timer, right: Timer) -> Bool {
            left.time != right.time ? left.time < right.time : left.sequence < right.sequence
        }

        static func == (left: Timer, right: Timer) -> Bool {
            left.sequence == right.sequence
        }
    }

    struct PendingEnd {
        let node: Int
        let outcome: Outcome
    }

    /// Something that happened, before it is dressed for an observer.
    struct RawEvent: Equatable {
        enum Kind: Equatable {
            case launchStarted, ready, started, retrying, ended, stopped, launchEnded
        }

        let kind: Kind
        let node: Int
        let attempt: Int
        let time: Nanoseconds
    }

    /// What was said about each operation, as bits, so that the common case looks nothing up.
    struct NodeTraits: Sendable {
        struct Bits: OptionSet {
            let rawValue: UInt16
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
            /// It produces a value, or reads one.
            static let hasValue = Bits(rawValue: 1024)

            /// What has to be looked at when an operation becomes ready, is taken, starts, or ends.
            static let whenReady: Bits = [.isJoin, .isDeferrable, .hasFallback]
            static let whenTaken: Bits = [.hasResources, .hasCondition, .computesFallback]
            static let whenStarted: Bits = [.isInteractive, .hasTimeout]
            static let whenEnded: Bits = [.isInteractive, .hasResources]
        }

        private let bits: [Bits]
        /// What is so for any operation.
        let all: Bits
        /// Of several ready operations, the one of the highest rank goes first.
        let ranks: [Nanoseconds]

        /// Whether there is anything to cut or to put off.
        var canKeepBudgets: Bool { !all.isDisjoint(with: [.hasFallback, .isDeferrable]) }

        init(_ graph: ValidatedGraph, plan: LaunchPlan?) {
            bits = graph.graph.nodes.map { node in
                var bits: Bits = node.work.isMain ? .isMain : []
                if node.hasValue { bits.insert(.hasValue) }
                guard let policy = node.policy?.value else {
                    if case .nothing = node.work { bits.insert(.isJoin) }
                    return bits
                }
                if !policy.inputs.isEmpty { bits.insert(.hasValue) }
                if policy.isInteractive { bits.insert(.isInteractive) }
                if policy.condition != nil { bits.insert(.hasCondition) }
                if !policy.exclusive.isEmpty { bits.insert(.hasResources) }
                if policy.timeout != nil { bits.insert(.hasTimeout) }
                if policy.retry != nil { bits.insert(.hasRetry) }
                if policy.isDeferrable { bits.insert(.isDeferrable) }
                if case .nothing = node.work, policy.condition == nil, policy.exclusive.isEmpty { bits.insert(.isJoin) }
                switch policy.fallback {
                case .value?: bits.insert(.hasFallback)
                case .compute?: bits.formUnion([.hasFallback, .computesFallback])
                case nil: break
                }
                return bits
            }
            all = bits.reduce(into: []) { $0.formUnion($1) }
            ranks = plan?.ranks(in: graph) ?? graph.ranks
        }

        subscript(node: Int) -> Bits { bits[node] }
    }
}

/// Who holds which exclusive resource, and who waits for one.
///
/// A resource that becomes free is offered to one operation that waits for it, the one with the longest remaining path: waking them all would
/// cost as many looks as there are waiting, each time. Whoever turns an offer down passes it on.
struct ResourceTable {
    private var needs: [Int: [Int]] = [:]
    private var holder: [Int] = []
    private var parked: [Heap<LaunchStateMachine.Ready>] = []
    /// The resources' names, by their number.
    private(set) var names: [ExclusiveResource] = []

    /// Of a graph without resources.
    init() {}

    init(_ graph: ValidatedGraph) {
        var numbers: [ExclusiveResource: Int] = [:]
        for (node, value) in graph.graph.nodes.enumerated() {
            guard let resources = value.policy?.value.exclusive, !resources.isEmpty else { continue }
            needs[node] = resources.map { resource in
                if let number = numbers[resource] { return number }
                numbers[resource] = names.count
                names.append(resource)
                return names.count - 1
            }
        }
        holder = Array(repeating: -1, count: names.count)
        parked = Array(repeating: Heap(), count: names.count)
    }

    /// Takes all that an operation needs, or none of it: then it waits for the first one that is held.
    mutating func acquire(for ready: LaunchStateMachine.Ready) -> Bool {
        let node = Int(ready.node)
        let needed = needs[node] ?? []
        if let held = needed.first(where: { holder[$0] >= 0 && holder[$0] != node }) {
            parked[held].push(ready)
            return false
        }
        for resource in needed { holder[resource] = node }
        return true
    }

    /// What a parked operation waits for, and who holds it.
    func obstacle(of node: Int) -> (resource: ExclusiveResource, holder: Int)? {
        guard let held = (needs[node] ?? []).first(where: { holder[$0] >= 0 && holder[$0] != node }) else { return nil }
        return (names[held], holder[held])
    }

    /// Gives back what `node` holds.
    mutating func release(by node: Int) {
        for resource in needs[node] ?? [] where holder[resource] == node { holder[resource] = -1 }
    }

    /// What `node` needs and nobody holds.
    func free(of node: Int) -> [Int] {
        (needs[node] ?? []).filter { holder[$0] < 0 }
    }

    /// The next operation that waits for a resource; it waits for it no longer.
    mutating func nextWaiting(for resource: Int) -> Int? {
        parked[resource].pop().map { Int($0.node) }
    }
}

/// How long an operation has waited for a person, which may be several times, one within another.
struct PersonWait {
    private var clock = InteractiveClock()

    var isRunning: Bool { clock.isRunning }
    /// When the wait that is going on began; nil when there is none.
    var since: Nanoseconds? { clock.isRunning ? clock.since : nil }
    /// The time of the waits that are over.
    private(set) var total: Nanoseconds = 0

    mutating func begin(at time: Nanoseconds) { clock.begin(at: time) }

    mutating func end(at time: Nanoseconds) {
        guard clock.isRunning else { return }
        clock.end(at: time)
        if !clock.isRunning { total = clock.total(at: time) }
    }
}

/// How long at least one interactive operation was running: the union of their intervals.
struct InteractiveClock {
    private var running = 0
    /// When the interval that is going on began.
    private(set) var since: Nanoseconds = 0
    private var ended: Nanoseconds = 0
    /// When the last interval ended.
    private(set) var lastEnd: Nanoseconds = 0

    var isRunning: Bool { running > 0 }

    mutating func begin(at time: Nanoseconds) {
        if running == 0 { since = time }
        running += 1
    }

    mutating func end(at time: Nanoseconds) {
        running -= 1
        guard running == 0 else { return }
        ended += time - since
        lastEnd = time
    }

    func total(at time: Nanoseconds) -> Nanoseconds {
        ended + (running > 0 ? time - since : 0)
    }
}

extension RetryPolicy {
    /// The pause after attempt `attempt` (from 1) failed.
    func pause(afterAttempt attempt: Int, random: inout SplitMix64) -> Nanoseconds {
        var pause = Double(backoff.nanoseconds)
        let longest = Double(maximumBackoff.nanoseconds)
        for _ in 1..<max(attempt, 1) where pause < longest { pause *= multiplier }
        pause = min(pause, longest)
        if jitter > 0, pause > 0 { pause *= 1 + Double.random(in: -jitter...jitter, using: &random) }
        return Nanoseconds(min(max(pause, 0), Double(OperationGraph.longestDuration.nanoseconds)))
    }
}
