/// Exclusive and counted resources: decides which operation gets which, on lanes and on the main thread.
///
/// Of two ready operations that need the same resource, the one of the higher rank gets it. In virtual time it also
/// comes first. In real time either side takes its own when its thread comes, and so leaves a resource to the first
/// operation of the other side, if that outranks it and is about to start. It then waits for the resource as if that
/// were held. It is woken in each case: when the other one takes the resource and gives it back, waits for something
/// else, or ends.
extension LaunchStateMachine {
    /// Takes the resources that a ready operation needs; parks the operation if it cannot have all of them now.
    mutating func acquireResources(for ready: KeyedNode, onMain isMain: Bool) -> Bool {
        let node = ready.node
        guard traits[node].contains(.hasResources), !holdsClaim(node) else { return true }
        let left = resourceLeftToOther(by: ready, onMain: isMain)
        let yields = processors != nil && traits[node].contains(.yieldsProcessor) && nodes[node].attempts == 0
        if let left {
            // It is woken also where the one of the other side waits for a processor: that may then wait for its
            // thread.
            resources.park(ready, at: left, onMain: isMain, yieldsAt: nil)
            if !isMain { resources.leftToMain.append(left) }
        } else if resources.acquire(for: ready, onMain: isMain, yieldsAt: yields ? traits.levels[node] : nil) {
            if graph.policy(node).claims.isEmpty { return true }
            claim(node)
            return false
        }
        nodes[node].state = .parked
        if keeper != nil { watchParked(node) }
        offerFreeResources(of: node, except: left)
        return false
    }

    /// Whether an operation has the resources of the process that it needs, and all others.
    func holdsClaim(_ node: Int) -> Bool { !claims.isEmpty && claims[node]?.isGranted == true }

    /// Lets an operation that has all else wait for resources of the process.
    private mutating func claim(_ node: Int) {
        nodes[node].state = .parked
        if keeper != nil { watchParked(node) }
        // It may be looked at again meanwhile.
        if claims[node] != nil { return }
        claimCount += 1
        claims[node] = (number: claimCount, isGranted: false)
        actions.claims.append(ProcessResources.Change(node: node, number: claimCount, isOver: false))
    }

    /// An operation has its resources of the process, unless it has given up that claim meanwhile.
    mutating func claimGranted(_ node: Int, _ number: Int) {
        guard claims[node]?.number == number else { return }
        claims[node]?.isGranted = true
        enqueue(node)
    }

    /// Gives back what an operation holds, or waits for.
    mutating func releaseResources(of node: Int) {
        if let claim = claims.removeValue(forKey: node) {
            actions.claims.append(ProcessResources.Change(node: node, number: claim.number, isOver: true))
        }
        resources.release(by: node)
        offerFreeResources(of: node)
    }

    /// An operation that holds its resources for others has ended, and another one has its turn.
    mutating func releaseTurn(of node: Int) {
        if let turn = resources.releaseTurn(of: node) { offer(turn) }
    }

    /// Wakes, for each free resource that `node` needs, one operation that waits for it on a lane, and one on the main
    /// thread.
    ///
    /// - Parameter level: of `node`, if it waits for a processor. Others that may have to do so continue waiting for
    ///   the resource, unless they are more urgent. It is `node` that wakes them: when it has the resource and gives it
    ///   back, or waits for another one, or ends.
    mutating func offerFreeResources(of node: Int, except left: Int? = nil, above level: UInt8? = nil) {
        for resource in resources.free(of: node) where resource != left { offer(resource, above: level) }
    }

    private mutating func offer(_ resource: Int, above level: UInt8? = nil) {
        offer(resource, onMain: false, above: level)
        offer(resource, onMain: true, above: level)
    }

    private mutating func offer(_ resource: Int, onMain isMain: Bool, above level: UInt8?) {
        while let waiting = resources.nextWaiting(for: resource, onMain: isMain, above: level) {
            // An operation that ended while it waited has left its entry.
            guard nodes[waiting].state == .parked else { continue }
            return enqueue(waiting)
        }
    }

    /// An operation that keeps the main thread begins: resources left to other operations of the main thread are
    /// offered to the lanes.
    mutating func keepMain() {
        mainKeepers += 1
        let left = resources.leftToMain
        resources.leftToMain.removeAll(keepingCapacity: true)
        for resource in left where resources.isFree(resource) { offer(resource, onMain: false, above: nil) }
    }

    /// The free resource that an operation leaves to the first of the other side, if that outranks it and needs it too.
    private func resourceLeftToOther(by ready: KeyedNode, onMain isMain: Bool) -> Int? {
        // In virtual time the first of both sides is taken.
        guard !settings.takesOneAtATime, isMain ? hasFreeWorker : mainKeepers == 0,
            let other = isMain ? readyForWorkers.first : readyForMain.first,
            other < ready, nodes[other.node].state == .ready
        else { return nil }
        return resources.lastUnit(neededBy: ready.node, and: other.node)
    }

    /// Whether there is a lane, and a worker on its way. Without one, operations might wait for a worker that is
    /// blocked; an app's queue may be suspended.
    private var hasFreeWorker: Bool { !settings.usesQueue && lanes.available > 0 && activeWorkers > lanes.taken }
}

/// The holders of exclusive resources, and the operations that wait for them.
///
/// A resource that becomes free is offered to one operation that waits for it, the one with the longest remaining path:
/// waking them all would cost as many looks as there are waiting, each time. An operation that turns an offer down
/// passes it on. It is offered to one of the lanes and to one of the main thread, for either may have to wait for its
/// place.
struct ResourceTable {
    private struct Resource: Sendable {
        let name: ExclusiveResource
        /// How many more may hold it.
        var unitsLeft: Int
        /// The operation that took it last, if that one still holds it.
        var lastHolder: Int?
        /// Operations that wait for it, of lanes and of the main thread.
        var parked = [ParkedOperations(), ParkedOperations()]
    }

    private var resources: [Resource] = []
    // By operation, as few need any.
    private var needs: [Int: [Int]] = [:]
    /// The operations that hold their resources.
    private var holding: Set<Int> = []
    /// Of an operation that holds them for others: how many of these have not ended.
    private var openCounts: [Int: Int] = [:]
    /// By operation: those that hold resources for it.
    private var takers: [Int: [Int]] = [:]
    /// Resources that operations of lanes have left to the main thread.
    var leftToMain: [Int] = []

    /// Of a graph without resources.
    init() {}

    init(_ graph: ValidatedGraph) {
        var numbers: [ExclusiveResource: Int] = [:]
        for (node, value) in graph.nodes.enumerated() {
            guard let names = value.policy?.value.exclusive, !names.isEmpty else { continue }
            needs[node] = names.map { name in
                let number = numbers[name] ?? resources.count
                if numbers.updateValue(number, forKey: name) == nil {
                    resources.append(Resource(name: name, unitsLeft: graph.limit(of: name)))
                }
                return number
            }
        }
        let ranges = needs.keys.compactMap { node in graph.policy(node).taking.map { (ObjectIdentifier($0), node) } }
        if ranges.isEmpty { return }
        let owners = Dictionary(ranges) { first, _ in first }
        for node in graph.nodes.indices {
            for taker in graph.policy(node).holds.compactMap({ owners[ObjectIdentifier($0)] }) {
                openCounts[taker, default: 0] += 1
                takers[node, default: []].append(taker)
            }
        }
    }

    private static func side(_ isMain: Bool) -> Int { isMain ? 1 : 0 }

    /// Takes all that an operation needs, or none of it: then it waits for the first one that is held.
    ///
    /// - Parameter level: of one that may have to wait for a processor as well, and then waits apart from the others.
    mutating func acquire(for ready: KeyedNode, onMain isMain: Bool, yieldsAt level: UInt8?) -> Bool {
        let node = ready.node
        let needed = needs[node] ?? []
        if holding.contains(node) { return true }
        // Before any is taken: two operations that each hold what the other one needs would wait for ever.
        if let held = needed.first(where: { !isFree($0) }) {
            park(ready, at: held, onMain: isMain, yieldsAt: level)
            return false
        }
        for number in needed {
            resources[number].unitsLeft -= 1
            resources[number].lastHolder = node
        }
        holding.insert(node)
        return true
    }

    /// Lets an operation wait for a resource.
    mutating func park(
        _ ready: KeyedNode,
        at resource: Int,
        onMain isMain: Bool,
        yieldsAt level: UInt8?
    ) {
        resources[resource].parked[Self.side(isMain)].push(ready, yieldsAt: level)
    }

    /// The resource that a parked operation waits for, and its holder; of several holders the last to take it or, if
    /// that one has given it back, the first that was added.
    func obstacle(of node: Int) -> (resource: ExclusiveResource, holder: Int)? {
        guard !holding.contains(node), let held = (needs[node] ?? []).first(where: { !isFree($0) }) else { return nil }
        let holder = resources[held].lastHolder ?? holding.filter { needs[$0]?.contains(held) == true }.min()
        return holder.map { (resources[held].name, $0) }
    }

    /// Gives back what `node` holds.
    mutating func release(by node: Int) {
        guard holding.remove(node) != nil else { return }
        for number in needs[node] ?? [] { giveBack(number, by: node) }
    }

    private mutating func giveBack(_ resource: Int, by node: Int) {
        resources[resource].unitsLeft += 1
        if resources[resource].lastHolder == node { resources[resource].lastHolder = nil }
    }

    /// Gives back the turn of an operation that continues holding all else.
    ///
    /// - Returns: the resource; nil where operations have no turns.
    mutating func releaseTurn(of node: Int) -> Int? {
        guard holding.contains(node), let place = needs[node]?.firstIndex(where: { resources[$0].name == .turn }),
            let turn = needs[node]?.remove(at: place)
        else { return nil }
        giveBack(turn, by: node)
        return turn
    }

    /// Whether an operation that has succeeded still holds its resources for others.
    func isKept(_ node: Int) -> Bool { openCounts[node] ?? 0 > 0 }

    /// An operation has ended.
    ///
    /// - Returns: operations that hold their resources for others no longer.
    mutating func ended(_ node: Int) -> [Int] {
        (takers[node] ?? []).filter { taker in
            openCounts[taker]? -= 1
            return openCounts[taker] == 0
        }
    }

    func isFree(_ resource: Int) -> Bool { resources[resource].unitsLeft > 0 }

    /// A resource that two operations need, of which one unit is left: with more there is one for either.
    func lastUnit(neededBy one: Int, and other: Int) -> Int? {
        let wanted = needs[other] ?? []
        return needs[one]?.first { wanted.contains($0) && resources[$0].unitsLeft == 1 }
    }

    /// The resources that `node` needs and nobody holds.
    func free(of node: Int) -> [Int] { (needs[node] ?? []).filter(isFree) }

    /// The next operation that waits for a resource; it waits for it no longer.
    ///
    /// - Parameter level: of one that waits for a processor, if it is that one which turns the resource down.
    mutating func nextWaiting(for resource: Int, onMain isMain: Bool, above level: UInt8?) -> Int? {
        resources[resource].parked[Self.side(isMain)].pop(above: level)?.node
    }
}
