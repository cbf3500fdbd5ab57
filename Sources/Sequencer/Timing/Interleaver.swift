// Which task goes on next, where several could: a virtual clock runs one thing at a time, so that it can choose.
//
// A launch without put-offs is the plain one: jobs are taken first in, first out, and a step or a sleeper begins when
// nothing else is left to run. Put-offs make it another one, as little as possible. The random strategies begin
// everything that may begin, and then choose among the tasks.

/// How the tasks of a launch are chosen: the same one gives the same schedule.
package enum InterleavingStrategy: Sendable, Hashable {
    /// These tasks are held back at one of their parts, until nothing else can run at this moment.
    case putOffs([PutOff])
    /// The task of the highest priority goes first; at `depth - 1` of `length` places it falls behind all others.
    ///
    /// S. Burckhardt, P. Kothari, M. Musuvathi and S. Nagarakatte, "A Randomized Scheduler with Probabilistic
    /// Guarantees of Finding Bugs", ASPLOS 2010.
    case priorities(seed: UInt64, depth: Int, length: Int)
    /// Any task, each time.
    case walk(seed: UInt64)

    /// A task is held back before one of its parts: what it does from one point where it may be suspended to the next.
    package struct PutOff: Sendable, Hashable {
        package let step: String
        /// Of the step's tasks, in the order in which they began; 1 is its own.
        package let task: Int
        /// From 1.
        package var part: Int

        package init(step: String, task: Int, part: Int) { (self.step, self.task, self.part) = (step, task, part) }
    }
}

/// A schedule: what was chosen, and what could not be.
package struct Schedule: Sendable {
    /// Of all choices, in their order.
    package fileprivate(set) var hash = fnv1a([])
    package fileprivate(set) var choices = 0
    /// How many parts each task has had.
    package fileprivate(set) var tasks: [(step: String, task: Int, parts: Int)] = []
    /// Where a task was ready to go on, and another one went first.
    package fileprivate(set) var putOffs: [InterleavingStrategy.PutOff] = []
    /// The steps that were brought back by a thread without the turn.
    package fileprivate(set) var uncontrolled: Set<String> = []
    /// Whether a step came back from the main thread while that was not asked whether it is at rest.
    package fileprivate(set) var usesMainThread = false
}

/// Chooses the tasks of one launch on a virtual clock.
struct Interleaver: Sendable {
    /// A task, as far as it is known: what it does is one thing after the other.
    private struct Owner: Sendable {
        let holder: TimeHolder
        let task: Int
        var parts = 0
        var priority: UInt64
        /// When it was first passed over because it is put off, in choices; nil for one that is not.
        var heldSince: Int?
        /// The parts before which it is put off.
        let putOffs: Set<Int>
    }

    private let strategy: InterleavingStrategy
    /// Whether each choice waits until the main thread is at rest, though no step belongs there.
    let asksMainThread: Bool
    /// Whether each job of the main actor waits for its turn, as others do. If not, it runs at once.
    let takesMainActor = EnqueueHook.hasMainActor
    private let putOffs: [InterleavingStrategy.PutOff]
    private var random: SplitMix64
    /// At these choices the first task falls behind.
    private var changes: Set<Int> = []
    private var lowest = UInt64(UInt32.max)
    private var owners: [Owner] = []
    private var byTask: [UInt64: Int] = [:]
    private var byHolder: [ObjectIdentifier: Int] = [:]
    private var tasksOfSteps: [String: Int] = [:]
    /// No task of the launch has a smaller number, and all that were there before have one.
    private var firstTask: UInt64?
    private var schedule = Schedule()
    /// Who ran last.
    private var last: Int?
    /// Whose job runs, or is being woken.
    private(set) var current: Int?
    /// The launch, once it has begun.
    var launch: Int?
    /// Whether the launch is over: what it has left behind is chosen too, and does not count.
    var isOver = false { didSet { choicesAtEnd = schedule.choices } }
    private var choicesAtEnd = 0
    /// Whether the main thread was asked if it is at rest.
    var hasAskedMainThread = false

    /// After so many choices all take turns: a task that waits by yielding must not go on for ever.
    private static let maximumChoices = 10_000

    init(_ strategy: InterleavingStrategy, asksMainThread: Bool) {
        (self.strategy, self.asksMainThread) = (strategy, asksMainThread)
        switch strategy {
        case .putOffs(let putOffs): (self.putOffs, random) = (putOffs, SplitMix64(seed: 0))
        case .walk(let seed): (putOffs, random) = ([], SplitMix64(seed: seed))
        case .priorities(let seed, let depth, let length):
            (putOffs, random) = ([], SplitMix64(seed: seed))
            for _ in 1..<max(depth, 1) { changes.insert(random.index(below: max(length, 1))) }
        }
    }

    /// Whether all that may begin at this moment does so before the next choice.
    var beginsEverything: Bool { if case .putOffs = strategy { areInTurns } else { true } }

    /// Whether all take turns.
    private var areInTurns: Bool { schedule.choices >= Self.maximumChoices }

    /// What was chosen so far.
    var record: Schedule {
        var record = schedule
        record.tasks = owners.map { ($0.holder.name, $0.task, $0.parts) }
        return record
    }

    // MARK: Whose a job is

    /// - Parameters:
    ///   - task: the number of the task that the job is a part of; nil for a job without one: it belongs to whoever
    ///     brings it.
    ///   - isForeign: whether a thread without the turn brings it.
    ///   - isOwn: whether it belongs to its holder, whoever brings it.
    mutating func owner(of task: UInt64?, for holder: TimeHolder, isForeign: Bool, isOwn: Bool) -> Int {
        if isForeign, !holder.name.isEmpty {
            schedule.uncontrolled.insert(holder.name)
            if MainThreadCheck.isCurrent { schedule.usesMainThread = true }
        }
        if let task {
            if firstTask == nil { firstTask = task }
            if let known = byTask[task] { return known }
            let owner = add(holder)
            byTask[task] = owner
            return owner
        }
        if !isForeign, !isOwn, let current { return current }
        return byHolder[ObjectIdentifier(holder)] ?? add(holder)
    }

    /// A job of that task runs, or its sleep ends; nil for nobody's. One of an earlier launch is not known here.
    mutating func begins(_ owner: Int?) { current = known(owner) }

    /// Code that blocks its thread: others have their turn meanwhile.
    mutating func goesOnWithoutTurn(_ holder: TimeHolder) {
        current = nil
        if !holder.name.isEmpty { schedule.uncontrolled.insert(holder.name) }
    }

    private func known(_ owner: Int?) -> Int? { owner.flatMap { owners.indices.contains($0) ? $0 : nil } }

    /// Whether tasks have gone on for so long after the end of a launch that they may go on for ever.
    var isExhausted: Bool { schedule.choices - choicesAtEnd > 2 * Self.maximumChoices }

    /// Who holds time for a job that came without a holder; nil for one that is not the launch's.
    ///
    /// - Parameter other: who holds time for the code that brings it, as far as that knows.
    func holder(of task: UInt64?, isForeign: Bool, for other: TimeHolder?) -> TimeHolder? {
        if let task {
            if let known = byTask[task] { return owners[known].holder }
            guard let firstTask, task > firstTask else { return nil }
        }
        if !isForeign, let current { return owners[current].holder }
        return other
    }

    private mutating func add(_ holder: TimeHolder) -> Int {
        let task = tasksOfSteps[holder.name, default: 0] + 1
        tasksOfSteps[holder.name] = task
        // Above all that have fallen behind.
        let parts = Set(putOffs.filter { $0.step == holder.name && $0.task == task }.map(\.part))
        owners.append(Owner(holder: holder, task: task, priority: random.next() | 1 << 63, putOffs: parts))
        if !isOver { schedule.hash = fnv1a(holder.name.utf8 + [0xFF], after: schedule.hash) }
        if byHolder[ObjectIdentifier(holder)] == nil { byHolder[ObjectIdentifier(holder)] = owners.count - 1 }
        return owners.count - 1
    }

    // MARK: Choosing

    /// The place of the job that runs next; nil where all are put off.
    ///
    /// - Parameters:
    ///   - jobs: the owners of the jobs that could run, in the order in which they came.
    ///   - releases: whether nothing but what is put off could run.
    mutating func choose(among jobs: [Int?], releases: Bool) -> Int? {
        guard var place = jobs.indices.first else { return nil }
        var ready: [Int] = []
        for (place, owner) in jobs.enumerated() {
            // One that is no step's is not chosen, but goes first.
            guard let owner = known(owner), !owners[owner].holder.name.isEmpty else { return place }
            ready.append(owner)
        }
        if !areInTurns {
            switch strategy {
            case .putOffs:
                guard let free = firstNotPutOff(ready, releases) else { return nil }
                place = free
            case .priorities: place = highest(ready)
            case .walk:
                // Each task once, however many jobs it has.
                var seen: Set<Int> = []
                let places = ready.indices.filter { seen.insert(ready[$0]).inserted }
                place = places[random.index(below: places.count)]
            }
        }
        take(ready[place], from: ready)
        return place
    }

    private mutating func firstNotPutOff(_ ready: [Int], _ releases: Bool) -> Int? {
        for (place, owner) in ready.enumerated() {
            if !isPutOff(owner) { return place }
            if owners[owner].heldSince == nil { owners[owner].heldSince = schedule.choices }
        }
        guard releases else { return nil }
        // Who was put off first goes on first.
        return ready.indices.min { (owners[ready[$0]].heldSince ?? 0, $0) < (owners[ready[$1]].heldSince ?? 0, $1) }
    }

    private func isPutOff(_ owner: Int) -> Bool { owners[owner].putOffs.contains(owners[owner].parts + 1) }

    private func putOff(_ owner: Int) -> InterleavingStrategy.PutOff {
        let owner = owners[owner]
        return InterleavingStrategy.PutOff(step: owner.holder.name, task: owner.task, part: owner.parts + 1)
    }

    private mutating func highest(_ ready: [Int]) -> Int {
        func first() -> Int { ready.indices.max { owners[ready[$0]].priority < owners[ready[$1]].priority } ?? 0 }
        var place = first()
        if changes.remove(schedule.choices) != nil {
            lowest -= 1
            owners[ready[place]].priority = lowest
            place = first()
        }
        // The first job of that task.
        return ready.firstIndex(of: ready[place]) ?? place
    }

    private mutating func take(_ owner: Int, from ready: [Int]) {
        // In the plain launch the last one had gone on, or else those that came first.
        if beginsEverything, !areInTurns, last != owner {
            let passed = last.flatMap { ready.contains($0) ? [$0] : nil } ?? Array(ready.prefix { $0 != owner })
            schedule.putOffs += passed.map(putOff)
        }
        owners[owner].parts += 1
        owners[owner].heldSince = nil
        last = owner
        schedule.choices += 1
        if !isOver { schedule.hash = fnv1a("\(owner) ".utf8, after: schedule.hash) }
    }
}
