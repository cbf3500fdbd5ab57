import Sequencer

/// Runs a launch in many legal orders, and looks for one that comes to something else: then an operation needs another one that it does not wait for.
///
/// ```swift
/// let exploration = try await explore(appLaunch())
/// #expect(exploration.hidden == nil && exploration.unsteady == nil)
/// ```
///
/// The orders are drawn by random priorities from a seed. Where an operation needs one that it does not wait
/// for, each order shows it with a probability of 1/(n + 2) at least, with n operations before it; as many are run as find it with 99%, unless
/// said otherwise. The order that fails is compared with one that does not, until the two differ in two neighbours only: these are named.
/// Orders are launched again, the usual one always: what ends differently in two launches of one order does so by itself, and is named as that.
///
/// Each order is a launch of its own, in virtual time and without a budget. Steps must begin anew each time: `graph` is called once for
/// each order, so make there the objects that steps share. Operations run one at a time, so that an order is an order of whole operations. A timeout counts an
/// operation's own time, its pauses and its wait for an event, but not the time in which others have their turn: without the orders they would not be in its way.
///
/// - Parameters:
///   - graph: makes the graph. It must be the same each time.
///   - orders: how many orders to run; nil for enough.
///   - depth: how many pairs of operations have to be in the wrong order for something to fail. More than 1 takes far more orders.
///   - seed: the same one gives the same orders.
///   - oneAtATime: false for a launch whose steps wait for signals of each other: then the orders are those in which steps start.
///   - options: how to run each launch; nil for virtual time, with a deadline of an hour. Lanes and order are this function's.
///   - check: throws if a launch is wrong in another way than by an operation that fails.
/// - Returns: the number of orders, and the missing dependency, or the operation that ends differently by itself, if one was found.
/// - Throws: a ``FailsInEveryOrder`` when the launch or its check fails in each order that was run. One cause is a service that sleeps on another
///   virtual clock, which nothing moves on. A `GraphError` when the graph is not valid.
nonisolated(nonsending) public func explore(
    _ graph: @autoclosure () throws -> OperationGraph,
    orders: Int? = nil,
    depth: Int = 1,
    seed: UInt64 = 0,
    oneAtATime: Bool = true,
    options: LaunchOptions? = nil,
    check: nonisolated(nonsending) (FinishedLaunch) async throws -> Void = { _ in }
) async throws -> Exploration {
    nonisolated(nonsending) func course(_ order: [String]) async throws -> ExploredCourse {
        var graph = try graph()
        if oneAtATime { graph.runOneAtATime() }
        var options = options ?? .ofExplorations
        options.order = order
        options.admission = options.admission ?? .unlimited
        // More would stand empty, and an order says nothing where several are free.
        if oneAtATime { (options.lanes, options.hasTurns) = (1, true) }
        let launch = try await graph.run(options: options)
        // One that was cancelled shows nothing of its order.
        try Task.checkCancellation()
        do {
            try await check(launch)
            return ExploredCourse(launch.report, check: nil)
        } catch {
            return ExploredCourse(launch.report, check: error)
        }
    }
    nonisolated(nonsending) func shrink(
        passing: [String],
        _ good: ExploredCourse,
        failing: [String],
        _ bad: ExploredCourse.Problem
    ) async throws -> Exploration.Finding {
        var search = OrderSearch(passing: passing, failing: failing)
        var problem = bad
        while let order = search.next {
            let found = try await course(order).problem(against: good)
            if let found { problem = found }
            search.add(fails: found != nil)
        }
        guard let (first, second) = search.pair else { return .unsteady(problem) }
        // An operation that fails now and then has no hidden order. Of one that fails half of the time, eight rounds let one in 65,000 pass.
        for _ in 0..<8 {
            if let other = try await course(search.passing).problem(against: good) { return .unsteady(other) }
            guard let again = try await course(search.failing).problem(against: good) else { return .unsteady(problem) }
            problem = again
        }
        let hidden = HiddenOrder(
            operation: problem.operation,
            message: problem.message,
            first: first,
            second: second,
            failing: search.failing,
            passing: search.passing
        )
        return .hidden(hidden)
    }

    let validated = try graph().validated()
    var source = PriorityOrders(validated, depth: depth, seed: seed)
    let count = max(orders ?? source.enough, 0)
    let usual = validated.order.map { validated.id(Int($0)) }
    let usualCourse = try await course(usual)
    var alwaysFails = usualCourse.failureText != nil
    let again = try await course(usual)
    if let problem = again.problem(against: usualCourse) ?? usualCourse.problem(against: again) {
        return Exploration(orders: 0, seed: seed, finding: .unsteady(problem))
    }
    for number in 0..<count {
        try Task.checkCancellation()
        let order = source.next()
        let found = try await course(order)
        if found.failureText == nil { alwaysFails = false }
        // Either of the two orders may be the one that fails.
        let finding: Exploration.Finding
        if let problem = found.problem(against: usualCourse) {
            finding = try await shrink(passing: usual, usualCourse, failing: order, problem)
        } else if let problem = usualCourse.problem(against: found) {
            finding = try await shrink(passing: order, found, failing: usual, problem)
        } else {
            continue
        }
        return Exploration(orders: number + 1, seed: seed, finding: finding)
    }
    if alwaysFails, let text = usualCourse.failureText {
        throw FailsInEveryOrder(orders: count, seed: seed, report: usualCourse.report, description: text)
    }
    return Exploration(orders: count, seed: seed, finding: nil)
}

extension LaunchOptions {
    /// One operation at a time takes longer than all at once.
    fileprivate static var ofExplorations: LaunchOptions {
        LaunchOptions(deadline: .seconds(3_600), deadlineCountsInteractiveTime: true, clock: VirtualClock(), seed: 0)
    }
}
