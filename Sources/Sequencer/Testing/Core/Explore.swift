import Sequencer

/// Runs a launch in many legal orders, and looks for one that comes to something else: then an operation needs another
/// one that it does not wait for.
///
/// ```swift
/// let exploration = try await explore(appLaunch())
/// #expect(exploration.hidden == nil && exploration.unsteady.isEmpty)
/// ```
///
/// The orders are drawn by random priorities from a seed. Where an operation needs one that it does not wait for, each
/// order shows it with a probability of 1/(n + 2) at least, with n operations before it; as many are run as find it
/// with 99%, unless said otherwise. The order that fails is compared with one that does not, until the two differ in
/// two neighbours only: these are named. The usual order is always launched again, and so are others. An operation that
/// then ends in another way does so by itself, or because of an earlier order. It is named as such, not blamed on a
/// dependency, and the search continues for the other operations.
///
/// Here steps run whole. Races between their parts are found by `explore(_:interleavings:seed:jitter:options:check:)`.
///
/// Each order is a launch of its own, in virtual time and without a budget. Steps must begin anew each time: `graph` is
/// called once for each order, so make there the objects that steps share. Operations run one at a time, so that an
/// order is an order of whole operations. A timeout counts an operation's own time, its pauses and its wait for an
/// event, but not the time in which others have their turn: without the orders they would not be in its way.
///
/// - Parameters:
///   - graph: makes the graph. It must be the same each time.
///   - orders: how many orders to run; nil for enough.
///   - depth: how many pairs of operations have to be in the wrong order for something to fail. More than 1 takes far
///       more orders.
///   - seed: the same one gives the same orders.
///   - oneAtATime: false for a launch whose steps wait for signals of each other: then the orders are those in which
///       steps start.
///   - options: how to run each launch; nil for virtual time, with a deadline of an hour. Lanes and order are this
///       function's.
///   - check: throws if a launch is wrong in another way than by an operation that fails.
/// - Returns: the number of orders, the missing dependency, if one was found, and the operations that ended in another
///     way when their order was launched again.
/// - Throws: a ``FailsInEveryOrder`` when the launch or its check fails in each order. A possible cause is a
///   service that sleeps on another virtual clock, which nothing moves on. A `GraphError` when the graph is not valid.
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
        return try await ExploredCourse.of(launch, check)
    }
    // Operations that ended in another way when their order was launched again: they are not compared any more.
    var unsteady: [String] = []
    /// - Returns: nil where something ends otherwise in two launches of one order; that is set aside.
    nonisolated(nonsending) func shrink(
        passing: [String],
        _ good: ExploredCourse,
        failing: [String],
        _ bad: ExploredCourse
    ) async throws -> HiddenOrder? {
        var search = OrderSearch(passing: passing, failing: failing)
        var last = (passing: good, failing: bad)
        try await search.bringTogether { order in
            let found = try await course(order)
            let fails = found.problem(against: good, but: unsteady) != nil
            if fails { last.failing = found } else { last.passing = found }
            return fails
        }
        guard let problem = last.failing.problem(against: good, but: unsteady) else { return nil }
        // An operation that fails now and then has no hidden order. Of one that fails half of the time, eight rounds
        // let one in 65,000 pass.
        for _ in 0..<(search.pair == nil ? 0 : 8) {
            for (order, earlier) in [(search.passing, last.passing), (search.failing, last.failing)] {
                guard let other = try await course(order).difference(from: earlier, but: unsteady) else { continue }
                unsteady.append(other.name)
                return nil
            }
        }
        // Nor does an order count of something that ends as it likes.
        guard let (first, second) = search.pair, !unsteady.contains(first), !unsteady.contains(second) else {
            unsteady.append(problem.name)
            return nil
        }
        return HiddenOrder(
            operation: problem.operation,
            message: problem.message,
            first: first,
            second: second,
            failing: search.failing,
            passing: search.passing
        )
    }

    let validated = try graph().validated()
    var source = PriorityOrders(validated, depth: depth, seed: seed)
    let count = max(orders ?? source.enough, 0)
    let usual = validated.order.map { validated.id(Int($0)) }
    var usualCourse = try await course(usual)
    let again = try await course(usual)
    while let problem = again.difference(from: usualCourse, but: unsteady) { unsteady.append(problem.name) }
    // In a failed launch, operations that have not run say nothing of the orders.
    if usualCourse.failureText != nil { usualCourse = again }
    var alwaysFails = usualCourse.failureText != nil
    for number in 0..<count {
        try Task.checkCancellation()
        let order = source.next()
        let found = try await course(order)
        if found.failureText == nil { alwaysFails = false }
        // Either of the two orders may be the one that fails. Where no order is found, something was set aside.
        while found.difference(from: usualCourse, but: unsteady) != nil {
            let isFailing = found.problem(against: usualCourse, but: unsteady) != nil
            let hidden =
                isFailing
                ? try await shrink(passing: usual, usualCourse, failing: order, found)
                : try await shrink(passing: order, found, failing: usual, usualCourse)
            if let hidden { return Exploration(orders: number + 1, hidden: hidden, unsteady: unsteady) }
        }
    }
    if alwaysFails, let text = usualCourse.failureText {
        throw FailsInEveryOrder(orders: count, report: usualCourse.report, description: text)
    }
    return Exploration(orders: count, hidden: nil, unsteady: unsteady)
}

extension LaunchOptions {
    /// One operation at a time takes longer than all at once.
    static var ofExplorations: LaunchOptions {
        LaunchOptions(deadline: .seconds(3_600), deadlineCountsInteractiveTime: true, clock: VirtualClock(), seed: 0)
    }
}
