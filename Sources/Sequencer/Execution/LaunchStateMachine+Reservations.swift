/// Operations that would be in the milestone's way are put aside until another one ends.
extension LaunchStateMachine {
    /// Puts a ready operation aside if something that the milestone needs is expected to want its place before it would end.
    ///
    /// - Returns: whether it did.
    mutating func holdBack(_ node: Int, onMain isMain: Bool) -> Bool {
        // An app's queue gives its turns to whoever is ready.
        guard traits[node].contains(.mayBeHeld), reservations != nil, !nodes[node].isComputingFallback, isMain || !settings.usesQueue else {
            return false
        }
        let takesLastLane = !isMain && lanes.available == 1
        guard let limit = reservations?.obstacle(to: node, at: time, takesLastLane: takesLastLane) else { return false }
        nodes[node].state = .parked
        reservations?.putAside(node, onMain: isMain)
        reservationEnd = min(reservationEnd ?? .max, limit)
        needsWake = true
        // What it turns down is for whoever waits for that.
        if traits[node].contains(.hasResources) { offerFreeResources(of: node) }
        return true
    }

    mutating func noteReady(_ node: Int, at time: Nanoseconds) {
        reservations?.becameReady(node, at: time)
    }

    mutating func noteStart(of node: Int, at time: Nanoseconds) {
        reservations?.started(node, at: time)
    }

    /// An operation runs no longer: some of those that were put aside may start now.
    mutating func lookAgain(after node: Int) {
        reservations?.ended(node)
        for isMain in [false, true] { enqueueAgain(reservations?.takeBack(onMain: isMain) ?? []) }
        if reservations?.hasPutAside == false { reservationEnd = nil }
    }

    /// What everybody was put aside for has taken far longer than was expected.
    mutating func lookAgainAtAll() {
        reservationEnd = nil
        needsWake = true
        for isMain in [false, true] { enqueueAgain(reservations?.takeAll(onMain: isMain) ?? []) }
    }

    /// The milestone has ended: nobody waits for it any more.
    mutating func endReservations() {
        guard reservations != nil else { return }
        lookAgainAtAll()
        reservations = nil
    }

    private mutating func enqueueAgain(_ putAside: [Int]) {
        // One that was cancelled meanwhile has ended.
        for node in putAside where nodes[node].state == .parked { enqueue(node) }
    }
}
