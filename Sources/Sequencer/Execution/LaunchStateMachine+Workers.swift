/// Workers: how many there are, what each continues with, and which of them wait in the code of an operation.
///
/// At most as many workers as there are processors run without waiting: a worker whose thread is asleep in an
/// operation's code keeps no processor, and another may start. Which of them are asleep is measured, while something
/// waits for a worker (``measured(_:)``).
extension LaunchStateMachine {
    // MARK: Operations that hold a worker

    /// A worker takes an operation.
    mutating func holdWorker(_ node: Int) {
        // The worker of an earlier attempt, which has suspended and ended elsewhere, may still be on its way back.
        if nodes[node].thread != .none { return }
        nodes[node].thread = .worker
        awakeWorkers[level(of: node)] += 1
    }

    /// A worker has returned from the operation's code, or is not waited for any more.
    mutating func letGoOfWorker(_ node: Int) {
        guard nodes[node].isHeldByWorker else { return }
        if nodes[node].thread == .asleepWorker { setAsleep(node, false) }
        nodes[node].thread = .none
        awakeWorkers[level(of: node)] -= 1
    }

    /// An operation's thread sleeps, or does so no longer: then it keeps a processor again, see ``measured(_:)``.
    mutating func setAsleep(_ node: Int, _ isAsleep: Bool) {
        nodes[node].thread = isAsleep ? .asleepWorker : .worker
        asleepWorkers += isAsleep ? 1 : -1
        awakeWorkers[level(of: node)] += isAsleep ? -1 : 1
        guard measuresProcessors, traits[node].contains(.keepsThread) else { return }
        if isAsleep { processors?.ended(node) } else { processors?.started(node) }
    }

    private func level(of node: Int) -> Int { traits.highestLevel == 0 ? 0 : Int(traits.levels[node]) }

    // MARK: How many

    /// How many more may start.
    var missingWorkers: Int {
        guard let maximum = settings.maximumWorkers else { return settings.workers - activeWorkers }
        return min(settings.workers + asleepWorkers, maximum) - activeWorkers
    }

    /// Whether less urgent operations alone keep the processors from the first that is ready: they do not count against
    /// it.
    ///
    /// Asked only where some operations are more urgent than others.
    ///
    /// - Parameter others: the workers beside one that asks for an operation, or beside one that would be added.
    private func isOwedWorker(besides others: Int) -> Bool {
        guard let first = readyForWorkers.first, others < settings.maximumWorkers ?? 0 else { return false }
        let level = level(of: first.node)
        return level > 0 && others - asleepWorkers - awakeWorkers[..<level].reduce(0, +) < settings.workers
    }

    /// Asks for workers for operations that are ready, and has the threads of the others looked at if there can be
    /// none.
    mutating func settleWorkers() {
        // An operation waits for a processor.
        if measuresProcessors, processors?.hasAside == true { beginMeasuring() }
        // Entries of operations that have ended count as well: a worker that finds nothing ends, and looking through
        // the heap costs more.
        let wanted = min(readyForWorkers.count, lanes.available)
        if wanted == 0 { return }
        let missing = min(wanted, missingWorkers)
        if missing > 0 { addWorkers(missing) }
        if settings.maximumWorkers != nil, wanted > activeWorkers - workersInCode {
            if traits.highestLevel > 0, isOwedWorker(besides: activeWorkers) { addWorkers(1) }
            beginMeasuring()
        }
    }

    mutating func beginMeasuring() {
        guard !isMeasuring else { return }
        isMeasuring = true
        actions.looksAtWorkers = true
    }

    private mutating func addWorkers(_ count: Int) {
        actions.workers += count
        activeWorkers += count
    }

    // MARK: Measuring

    /// Whether threads are looked at when something waits: for a worker, or for a processor.
    var mayMeasure: Bool { settings.maximumWorkers != nil || measuresProcessors }

    /// Whether a thread that is asleep releases its processor. In virtual time, code that computes is asleep as well.
    private var measuresProcessors: Bool { processors != nil && !settings.takesOneAtATime }

    /// Says which threads are asleep in the code of their operations: these keep no processor.
    ///
    /// - Parameter threads: what each thread ran when it was looked at. It may have gone on since.
    /// - Returns: whether anything has changed; nil when nothing waits for a worker, and nobody needs to look again.
    mutating func measured(_ threads: [(code: Assignment, isAsleep: Bool)]) -> Bool? {
        guard isMeasuring else { return nil }
        promisedWorkers = min(promisedWorkers, activeWorkers - workersInCode)
        var hasChanged = false
        for (code, isAsleep) in threads where isHeld(by: code) && (nodes[code.node].thread == .asleepWorker) != isAsleep {
            setAsleep(code.node, isAsleep)
            hasChanged = true
        }
        settle()
        let wanted = settings.maximumWorkers == nil ? 0 : min(readyForWorkers.count, lanes.available)
        isMeasuring = phase == .running && (wanted > 0 || measuresProcessors && processors?.hasAside == true)
        guard isMeasuring else { return nil }
        // All of them sleep, so those that come next may do so too: twice as many again start. Not all at once, or the
        // most urgent would share the processors with the rest where these compute.
        if let maximum = settings.maximumWorkers, asleepWorkers == workersInCode {
            let begin = activeWorkers - asleepWorkers
            let more = min(wanted, 2 * asleepWorkers, maximum - asleepWorkers) - begin
            if more > 0 {
                promisedWorkers += more
                addWorkers(more)
            }
        }
        return hasChanged || actions.workers > 0
    }

    /// Whether a worker runs this. It is told of an operation's condition, and then runs the operation.
    private func isHeld(by code: Assignment) -> Bool {
        let node = nodes[code.node]
        return node.isHeldByWorker && max(Int(node.attempts), 1) == code.attempt && code.kind != .computeFallback
    }

    // MARK: Coming and going

    /// The next operation for a worker that has left `previous`; nil when the worker must end, or was counted out
    /// meanwhile.
    mutating func nextForWorker(after previous: Assignment?) -> Assignment? {
        if let previous {
            // Another worker has its place since it was given up: with both there would be one too many.
            if !replacedWorkers.isEmpty, cameBack(previous) { return nil }
            // It has ended, or has suspended and blocks this thread no longer. Or a later attempt runs on another
            // worker.
            let node = previous.node
            // The states of a launch that is over are in its report, and change no more.
            let isOfOther = nodes[node].state == .running && (!isCurrent(previous) || previous.kind == .checkCondition)
            if phase != .over, !isOfOther { letGoOfWorker(node) }
        }
        let next = mayTakeNext(after: previous) ? takeNext(forMain: false) : nil
        if next == nil { activeWorkers -= 1 }
        return next
    }

    private func mayTakeNext(after previous: Assignment?) -> Bool {
        // Each operation of the app's queue is started by that queue, or its limit and its suspension would not count.
        if settings.usesQueue || settings.takesOneAtATime && previous != nil { return false }
        // A sleeping worker is back, or a worker was added for something urgent.
        if missingWorkers + promisedWorkers >= 0 || settings.maximumWorkers == nil { return true }
        return traits.highestLevel > 0 && isOwedWorker(besides: activeWorkers - 1)
    }

    /// Code has ended.
    ///
    /// - Returns: whether it was given up before.
    mutating func cameBack(_ code: Assignment) -> Bool {
        guard let place = replacedWorkers.firstIndex(where: { $0.code == code }) else { return false }
        if replacedWorkers.remove(at: place).keepsProcessor { processors?.ended(code.node) }
        return true
    }

    /// Counts the worker that runs `node` out, for it may never come back.
    mutating func replaceWorker(of node: Int) {
        if nodes[node].thread == .none { return }
        replacedWorkers.append((code(of: node), keepsProcessor: false))
        if nodes[node].isHeldByWorker {
            letGoOfWorker(node)
            activeWorkers -= 1
        }
        nodes[node].thread = .none
    }

    /// The code of an operation that runs now.
    func code(of node: Int) -> Assignment {
        if nodes[node].state == .checking { return Assignment(node: node, attempt: 1, kind: .checkCondition) }
        let kind: StepAssignment.Kind = nodes[node].state == .computing ? .computeFallback : .run
        return Assignment(node: node, attempt: Int(nodes[node].attempts), kind: kind)
    }

    // MARK: In a queue of the app's

    // Operations in a queue of the app's: the queue gives turns, and each turn takes one operation and ends with it.
    //
    // Each is asked for by an operation that is ready, and has its name. Which operation it takes is decided when it
    // begins: of several that are ready, the one with the longest remaining path, as on lanes.

    /// The queue begins the turn of an operation, which has that of the operation that this one takes from here on.
    mutating func beginTurn(of own: Int) -> Assignment? {
        givenTurns.remove(own)
        let next = takeNext(forMain: false)
        if next != nil { activeWorkers += 1 }
        if let next, givenTurns.remove(next.node) != nil {
            givenTurns.insert(own)
        } else {
            // It waits for another turn, if it is ready at all.
            withoutTurn.push(KeyedNode(key: -traits.ranks[own], node: own))
        }
        return next
    }

    /// A turn was cancelled before it began, and with it the operation that has it.
    mutating func queueTurnCancelled(of node: Int) {
        givenTurns.remove(node)
        cancelOperation(node)
    }

    /// Asks for a turn for each operation that is ready and finds a lane.
    mutating func settleQueue() {
        while givenTurns.count < lanes.available, let next = withoutTurn.pop() {
            // It may have ended meanwhile, or have been put aside with its turn.
            let node = next.node
            if nodes[node].state == .ready, givenTurns.insert(node).inserted { actions.queueTurns.append(node) }
        }
    }

    // MARK: Waits for events from outside. An operation that waits counts as running, but uses no lane and has no code
    // that could continue after its end

    /// Whether an operation waits for an event while it runs.
    func isEvent(_ node: Int) -> Bool { traits[node].contains(.isEvent) }

    /// A worker has reached the wait of an operation that had a condition or needs a resource, was put off, or is tried
    /// again: it gives the lane back.
    mutating func eventIsAwaited(_ assignment: Assignment) {
        let node = assignment.node
        guard isCurrent(assignment), nodes[node].holdsLane else { return }
        giveBackLane(of: node)
        // Reports say that it ran on no lane.
        nodes[node].lane = -1
        waitsForTurn(node)
    }

    // MARK: Operations in the milestone's way

    // Operations that would be in the milestone's way are put aside, and looked at again when another one ends, or an
    // expectation was wrong.

    /// Puts a ready operation aside if something that the milestone needs is expected to want its place before it would
    /// end, or may do so.
    ///
    /// - Returns: whether it did.
    mutating func holdBack(_ node: Int, onMain isMain: Bool) -> Bool {
        // A further attempt has a timeout that runs already. And an app's queue gives its turns to any ready operation.
        guard traits[node].contains(.mayBeHeld), nodes[node].attempts == 0, isMain || !settings.usesQueue else { return false }
        let freeLanes = isMain ? Int.max : lanes.available - 1
        guard ongoing?.putAside(node, at: time, lastEnd: lastProgress, freeLanes: freeLanes) == true else { return false }
        nodes[node].state = .aside
        needsWake = true
        // Operations that wait for the resources that it turns down get them.
        if traits[node].contains(.hasResources) { offerFreeResources(of: node) }
        return true
    }

    /// Takes back those of the operations that were put aside which may start.
    mutating func lookAgain() {
        let before = ongoing?.nextLook
        for node in ongoing?.takeBack(at: time, lastEnd: lastProgress, freeLanes: lanes.available - 1) ?? [] { enqueueAgain(node) }
        // An alarm costs a call to the timer: only if the look is sooner now, or the alarm for the one before is used
        // up.
        if let next = ongoing?.nextLook, next < before ?? .max || before ?? 0 <= time { needsWake = true }
    }

    /// Takes back operations that may start now, when all that ends in this input has ended.
    mutating func offerAside() {
        if ongoing?.isLookDue == true { lookAgain() }
        if processors != nil { offerProcessors() }
    }

    /// The operations more urgent than `level` have ended: nobody waits for them any more.
    mutating func endReservations(above level: UInt8) {
        guard soughtLevel > level else { return }
        soughtLevel = level
        guard ongoing != nil || processors != nil else { return }
        for node in ongoing?.takeAll() ?? [] { enqueueAgain(node) }
        for node in processors?.takeAll() ?? [] { enqueueAgain(node) }
        if level == 0 { (processors, ongoing) = (nil, nil) }
        needsWake = true
    }

    // MARK: Processors

    /// Puts a ready operation aside that would take processor time from the milestone.
    ///
    /// - Returns: whether it did.
    mutating func yieldProcessor(_ ready: KeyedNode) -> Bool {
        let node = ready.node
        // As above: a further attempt does not wait.
        guard traits[node].contains(.yieldsProcessor), nodes[node].attempts == 0, case let level = traits.levels[node], level < soughtLevel,
            processors?.hasRoom(for: level) == false
        else { return false }
        nodes[node].state = .aside
        processors?.putAside(ready, onMain: traits[node].contains(.isMain))
        needsWake = true
        if traits[node].contains(.hasResources) { offerFreeResources(of: node, above: level) }
        return true
    }

    /// Takes back as many as there is room for, of those for lanes and of those for the main thread: who of them starts
    /// is decided when they are taken.
    mutating func offerProcessors() {
        // Each kind apart: the first of one may have to wait, and must not hold up the other.
        for isMain in [false, true] {
            var others = [0, 0, 0]
            // An operation that was cancelled meanwhile takes no room.
            while let node = processors?.takeBack(onMain: isMain, besides: others) {
                guard nodes[node].state == .aside else { continue }
                enqueue(node)
                others[Int(traits.levels[node])] += 1
            }
        }
    }

    /// An operation releases its processor, if it keeps one.
    mutating func releaseProcessor(_ node: Int, hasBegun: Bool) {
        guard nodes[node].state == .computing || traits[node].contains(.keepsThread) && hasBegun else { return }
        // Its thread has released the processor already.
        if nodes[node].thread == .asleepWorker { setAsleep(node, false) }
        let code = self.code(of: node)
        // It was given up, and continues.
        if let place = replacedWorkers.firstIndex(where: { $0.code == code }) {
            replacedWorkers[place].keepsProcessor = true
        } else {
            processors?.ended(node)
        }
    }

    private mutating func enqueueAgain(_ node: Int) {
        // An operation that was cancelled meanwhile has ended.
        if nodes[node].state == .aside { enqueue(node) }
    }
}
