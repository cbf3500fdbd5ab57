import Sequencer

/// Runs a launch many times, and at each point where a task may be suspended chooses which one goes on: then a race
/// between steps shows that neither real time nor a plain virtual clock shows.
///
/// ```swift
/// let exploration = try await explore(appLaunch(), interleavings: 1_000)
/// #expect(exploration.race == nil)
/// ```
///
/// First one task, then two, are held back before one of their parts: a part is what a task does from one `await` that
/// may suspend it to the next. After that come random priorities (Burckhardt et al., ASPLOS 2010) and random walks, in
/// turns. A launch that ends otherwise than the plain one is run again, and made as plain as it can be: the fewest
/// tasks are held back that still make it end so. What ends otherwise in two launches of one interleaving is set aside.
///
/// With a `jitter` all that sleeps wakes a little late, as on a busy machine: that shows races between timers, such as
/// a retry beside a timeout.
///
/// Where the runtime lets it, as on Linux, parts of tasks on the main actor are chosen like others. Elsewhere they go on
/// at once: ``InterleavingExploration/notControlled`` says so.
///
/// Each launch has a virtual clock of its own, unless `options` has one on which nothing runs; `graph` is called once
/// for each, so make there the objects that steps share. Everything comes from `seed`: the same program finds the same race.
///
/// - Parameters:
///   - graph: makes the graph. It must be the same each time.
///   - interleavings: how many to run at most, beside the plain one.
///   - seed: the same one gives the same interleavings.
///   - jitter: how late, in virtual time, sleepers, timeouts and pauses wake in each launch but the plain one, by a
///       random time of the range; nil for never.
///   - options: how to run each launch; nil for virtual time, with a deadline of an hour. A clock that is not virtual
///       is replaced, and any clock with a `jitter`.
///   - check: throws if a launch is wrong in another way than by its outcome or by an operation that fails.
/// - Returns: the race, if one was found, and what was under control.
/// - Throws: a ``FailsInEveryOrder`` when the launch or its check fails in each interleaving. A `GraphError` when the
///     graph is not valid.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
nonisolated(nonsending) public func explore(
    _ graph: @autoclosure () throws -> OperationGraph,
    interleavings: Int,
    seed: UInt64 = 0,
    jitter: ClosedRange<Duration>? = nil,
    options: LaunchOptions? = nil,
    check: nonisolated(nonsending) (FinishedLaunch) async throws -> Void = { _ in }
) async throws -> InterleavingExploration {
    var launches = InterleavedLaunches(graph: try graph().validated(), options: options)
    let plain = try await launches.plain(graph, check)
    nonisolated(nonsending) func course(_ plan: InterleavingPlan) async throws -> InterleavedCourse {
        try await launches.run(graph(), plan, check)
    }
    var exploration = InterleavingExploration(seed: seed)
    exploration.note(plain.schedule)
    exploration.compare(try await course(InterleavingPlan()), with: plain)
    var source = InterleavingSource(plain.schedule, count: interleavings, seed: seed, jitter)
    var alwaysFails = plain.course.failureText != nil
    while exploration.interleavings < interleavings {
        try Task.checkCancellation()
        let plan = source.next()
        let found = try await course(plan)
        exploration.interleavings += 1
        exploration.note(found.schedule)
        if found.course.failureText == nil { alwaysFails = false }
        let isSample = exploration.interleavings % InterleavingExploration.sample == 1
        guard found.problem(against: plain, but: exploration.unsteady) != nil else {
            if isSample { exploration.compare(try await course(plan), with: found) }
            continue
        }
        exploration.compare(try await course(plan), with: found)
        guard found.problem(against: plain, but: exploration.unsteady) != nil else { continue }
        var last = (plan: plan, course: found)
        nonisolated(nonsending) func isFound(with plainer: InterleavingPlan) async throws -> Bool {
            let course = try await course(plainer)
            guard course.problem(against: plain, but: exploration.unsteady) != nil else { return false }
            last = (plainer, course)
            return true
        }
        // As plain as it can be: without the jitter, or with nothing else, and with the fewest put-offs.
        if let jitter = plan.jitter, try await !isFound(with: InterleavingPlan(strategy: plan.strategy)) {
            for plainer in jitter.similar where try await isFound(with: InterleavingPlan(jitter: plainer)) { break }
        }
        try await shrinkPutOffs(of: last.plan.strategy, last.course.schedule, seed: seed) { putOffs in
            try await isFound(with: InterleavingPlan(strategy: .putOffs(putOffs), jitter: last.plan.jitter))
        }
        guard let problem = last.course.problem(against: plain, but: exploration.unsteady) else { continue }
        exploration.race = FoundRace(problem, last.plan, of: last.course, against: plain)
        return exploration
    }
    if alwaysFails, let text = plain.course.failureText {
        throw FailsInEveryOrder(orders: interleavings, report: plain.course.report, description: text)
    }
    return exploration
}

/// Runs an interleaving again that ``explore(_:interleavings:seed:jitter:options:check:)`` has found, beside the plain
/// launch.
///
/// - Parameters:
///   - graph: makes the graph.
///   - interleaving: that of the race that was found. The program must be the same as then.
///   - options: how to run each launch, as then.
///   - check: throws if a launch is wrong in another way than by its outcome or by an operation that fails.
/// - Returns: the race, if the launch ends otherwise than the plain one. Its interleaving has another
///     ``Interleaving/hash`` where tasks went on in another order than then.
@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
nonisolated(nonsending) public func explore(
    _ graph: @autoclosure () throws -> OperationGraph,
    replaying interleaving: Interleaving,
    options: LaunchOptions? = nil,
    check: nonisolated(nonsending) (FinishedLaunch) async throws -> Void = { _ in }
) async throws -> InterleavingExploration {
    var launches = InterleavedLaunches(graph: try graph().validated(), options: options)
    let plain = try await launches.plain(graph, check)
    let found = try await launches.run(graph(), interleaving.plan, check)
    var exploration = InterleavingExploration(seed: 0, interleavings: 1)
    exploration.note(found.schedule)
    exploration.race = found.problem(against: plain, but: []).map {
        FoundRace($0, interleaving.plan, of: found, against: plain)
    }
    return exploration
}

/// How a launch is run: which tasks go on, and how late sleepers wake.
struct InterleavingPlan: Sendable, Hashable {
    struct Jitter: Sendable, Hashable {
        let lateness: ClosedRange<Duration>
        let seed: UInt64

        /// This one, and others as late: in another order of tasks each sleeper may get another one's time.
        var similar: [Jitter] { [self] + (1...50).map { Jitter(lateness: lateness, seed: $0) } }
    }

    var strategy = InterleavingStrategy.putOffs([])
    var jitter: Jitter?
}

/// Runs launches whose tasks are chosen.
struct InterleavedLaunches {
    let graph: ValidatedGraph
    let options: LaunchOptions?
    /// Whether steps go to the main thread that do not belong there: the plain launch shows it.
    private(set) var asksMainThread = false

    /// How long a step that waits for something off the clock holds time still: nothing else is going on meanwhile.
    private static let patience = Duration.milliseconds(100)

    /// The launch that the others are compared with.
    nonisolated(nonsending) mutating func plain(
        _ graph: () throws -> OperationGraph,
        _ check: nonisolated(nonsending) (FinishedLaunch) async throws -> Void
    ) async throws -> InterleavedCourse {
        let first = try await run(graph(), InterleavingPlan(), check)
        guard first.schedule.usesMainThread else { return first }
        asksMainThread = true
        return try await run(graph(), InterleavingPlan(), check)
    }

    nonisolated(nonsending) func run(
        _ graph: OperationGraph,
        _ plan: InterleavingPlan,
        _ check: nonisolated(nonsending) (FinishedLaunch) async throws -> Void
    ) async throws -> InterleavedCourse {
        let shared = plan.jitter == nil ? options?.clock as? VirtualClock : nil
        let (lateness, seed) = (plan.jitter?.lateness, plan.jitter?.seed ?? 0)
        let ownClock = VirtualClock(ofInterleavings: Self.patience, wakesLateBy: lateness, seed: seed)
        let clock = shared.flatMap { $0.scheduler.isInUse ? nil : $0 } ?? ownClock
        var options = options ?? .ofExplorations
        options.clock = clock
        options.admission = options.admission ?? .unlimited
        switch plan.strategy {
        case .putOffs: break
        case .priorities(let seed, _, _), .walk(let seed):
            // Where lanes or a resource let one step go first, the order decides which.
            var orders = PriorityOrders(self.graph, depth: 1, seed: seed)
            options.order = orders.next()
        }
        clock.scheduler.interleave(plan.strategy, asksMainThread: asksMainThread)
        let (result, schedule) = await clock.scheduler.whileOtherClocksWait { [options] in
            let result: Result<FinishedLaunch, any Error>
            do { result = .success(try await graph.run(options: options)) } catch { result = .failure(error) }
            return (result, await clock.scheduler.endInterleaving())
        }
        return InterleavedCourse(course: try await ExploredCourse.of(try result.get(), check), schedule: schedule)
    }
}

/// A launch, and what was chosen in it.
struct InterleavedCourse {
    let course: ExploredCourse
    let schedule: Schedule

    /// What ends otherwise here than there.
    func problem(against other: InterleavedCourse, but unsteady: [String]) -> ExploredCourse.Problem? {
        if let problem = course.difference(from: other.course, but: unsteady) { return problem }
        let (outcome, otherOutcome) = (course.report.outcome.name, other.course.report.outcome.name)
        guard outcome != otherOutcome, !unsteady.contains(Self.launch) else { return nil }
        let message = "it is \(outcome), and otherwise \(otherOutcome)"
        return ExploredCourse.Problem(operation: Self.launch, message: message)
    }

    static let launch = "the launch"
}

/// The interleavings of a seed, one after the other.
struct InterleavingSource {
    private var singles: [InterleavingStrategy.PutOff] = []
    private var pairs: [InterleavingStrategy] = []
    private let jitter: ClosedRange<Duration>?
    private let length: Int
    private var random: SplitMix64
    private var number = 0

    /// A task that does more is put off at its first parts only: later ones are for the random strategies.
    private static let maximumParts = 30

    init(_ plain: Schedule, count: Int, seed: UInt64, _ jitter: ClosedRange<Duration>?) {
        self.jitter = jitter
        length = plain.choices
        random = SplitMix64(seed: seed)
        for (step, task, parts) in plain.tasks where !step.isEmpty {
            for part in (1...Self.maximumParts).prefix(parts) {
                singles.append(InterleavingStrategy.PutOff(step: step, task: task, part: part))
            }
        }
        singles.shuffle(using: &random)
        // Half of the launches at most are for put-offs.
        singles.removeLast(max(singles.count - max(count / 4, 1), 0))
        for (place, first) in singles.enumerated() { pairs += singles[..<place].map { .putOffs([first, $0]) } }
        pairs.shuffle(using: &random)
        pairs.removeLast(max(pairs.count - count / 4, 0))
    }

    mutating func next() -> InterleavingPlan {
        let strategy = nextStrategy()
        let jitter = jitter.map { InterleavingPlan.Jitter(lateness: $0, seed: random.next()) }
        return InterleavingPlan(strategy: strategy, jitter: jitter)
    }

    private mutating func nextStrategy() -> InterleavingStrategy {
        number += 1
        if number <= singles.count { return .putOffs([singles[number - 1]]) }
        if let pair = pairs.popLast() { return pair }
        let seed = random.next()
        return number % 2 == 0 ? .walk(seed: seed) : .priorities(seed: seed, depth: 2 + number / 2 % 3, length: length)
    }
}

/// Looks for the fewest put-offs that make a launch end as one of that schedule did.
///
/// - Parameter fails: whether a launch ends so with these alone. Asked 400 times at most; what it said yes to last is
///     the result.
private nonisolated(nonsending) func shrinkPutOffs(
    of strategy: InterleavingStrategy,
    _ schedule: Schedule,
    seed: UInt64,
    _ fails: nonisolated(nonsending) ([InterleavingStrategy.PutOff]) async throws -> Bool
) async throws {
    var (putOffs, left, random) = (schedule.putOffs, 400, SplitMix64(seed: seed))
    if case .putOffs(let those) = strategy {
        putOffs = those
    } else {
        var seen: Set<InterleavingStrategy.PutOff> = []
        putOffs.removeAll { !seen.insert($0).inserted }
    }
    nonisolated(nonsending) func keep(_ fewer: [InterleavingStrategy.PutOff]) async throws -> Bool {
        left -= 1
        guard left > 0, !fewer.isEmpty, try await fails(fewer) else { return false }
        putOffs = fewer
        return true
    }
    // All at once; single ones and pairs by chance, where all at once do not.
    var size = (putOffs.count + 1) / 2
    if try await !keep(putOffs) {
        size = 1
        var tries = 200
        while tries > 0, try await !keep(Array(putOffs.shuffled(using: &random).prefix(1 + tries % 3))) { tries -= 1 }
        if tries == 0 { return }
    }
    // Without so many, from each place. At least one stays: without any, it is the plain launch.
    while size > 0 {
        var place = 0
        while place < putOffs.count, size < putOffs.count {
            var fewer = putOffs
            fewer.removeSubrange(place..<min(place + size, putOffs.count))
            if try await !keep(fewer) { place += size }
        }
        size /= 2
    }
    // Each before an earlier part.
    for place in putOffs.indices {
        for part in stride(from: 1, to: putOffs[place].part, by: 1) {
            var earlier = putOffs
            earlier[place].part = part
            if try await keep(earlier) { break }
        }
    }
}
