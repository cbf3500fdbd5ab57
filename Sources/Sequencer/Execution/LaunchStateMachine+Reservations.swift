/// Operations that would be in the milestone's way are put aside, and looked at again when another one ends, or an
/// expectation was wrong.
extension LaunchStateMachine {
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
    mutating func yieldProcessor(_ ready: Ready) -> Bool {
        let node = Int(ready.node)
        // As above: a further attempt does not wait.
        guard traits[node].contains(.yieldsProcessor), nodes[node].attempts == 0, case let level = traits.levels[node], level < soughtLevel,
            processors?.hasRoom(for: level) == false
        else { return false }
        nodes[node].state = .aside
        processors?.putAside(node, of: level, onMain: traits[node].contains(.isMain), key: -ready.rank)
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
        if nodes[node].thread == .asleepWorker { wakes(node) }
        let code = self.code(of: node)
        // It was given up, and continues.
        if replacedWorkers.contains(code) {
            lostKeepers.append(code)
        } else {
            processors?.ended(traits.levels[node])
        }
    }

    private mutating func enqueueAgain(_ node: Int) {
        // An operation that was cancelled meanwhile has ended.
        if nodes[node].state == .aside { enqueue(node) }
    }
}
