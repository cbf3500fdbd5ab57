/// The processors: operations that the milestone does not need leave them to it; all others leave them to an initial
/// display before it.
///
/// Where more threads compute than there are processors, they share these, and each of them takes longer: those of the
/// milestone's way, too. So, until the milestone has ended, an operation that it does not need, and that keeps a
/// thread, starts only while fewer that are as urgent (``Urgency/levels``), or more, run than there are processors. A
/// suspended operation keeps none, and does not count.
///
/// Nobody sees whether a thread that is kept computes or waits. A thread that waits for an operation that is put aside
/// here would wait for ever: so, when no operation has ended for a while, as many more may start.
struct ProcessorShare: Sendable {
    /// For how long no operation has to have ended.
    private static let patience: Nanoseconds = 1_000_000_000

    private let processors: Int
    /// How urgent each operation is.
    private let levels: [UInt8]
    /// How many operations that keep a thread may run before others of that kind are put aside.
    private var limit: Int
    /// By level, how many of them run.
    private var running = [0, 0, 0]
    /// The operations for lanes, and those for the main thread.
    private var aside = [Heap<KeyedNode>(), Heap<KeyedNode>()]
    private var lastLook: Nanoseconds = 0

    init(processors: Int, levels: [UInt8]) {
        (self.processors, self.levels) = (processors, levels)
        limit = processors
    }

    /// Whether an operation waits for a processor.
    var hasAside: Bool { !aside.allSatisfy(\.isEmpty) }

    /// Whether one of this level may start.
    func hasRoom(for level: UInt8) -> Bool { running[Int(level)...].reduce(0, +) < limit }

    /// An operation that keeps a thread has started.
    mutating func started(_ node: Int) { running[Int(levels[node])] += 1 }

    mutating func ended(_ node: Int) { running[Int(levels[node])] -= 1 }

    mutating func putAside(_ operation: KeyedNode, onMain isMain: Bool) { aside[isMain ? 1 : 0].push(operation) }

    /// Takes back the first of those that were put aside, if there is room for it.
    ///
    /// - Parameter others: by level, how many have been taken back and not started.
    mutating func takeBack(onMain isMain: Bool, besides others: [Int]) -> Int? {
        let place = isMain ? 1 : 0
        guard let level = aside[place].first.map({ Int(levels[$0.node]) }),
            (running[level...] + others[level...]).reduce(0, +) < limit
        else { return nil }
        return aside[place].pop()?.node
    }

    /// Takes every operation that was put aside: the operations that they made room for have ended.
    mutating func takeAll() -> [Int] {
        var nodes: [Int] = []
        while let first = aside[0].pop() ?? aside[1].pop() { nodes.append(first.node) }
        // Where nothing happened, more were let in: those that come next share the processors anew.
        limit = processors
        return nodes
    }

    /// When to look whether nothing happens; nil when nothing was put aside.
    ///
    /// - Parameter lastEnd: when an operation last ended.
    func nextLook(after lastEnd: Nanoseconds) -> Nanoseconds? {
        // Not at once after the last look, which has let as many more in.
        hasAside ? max(lastEnd, lastLook).addingSaturated(Self.patience) : nil
    }

    /// Nothing has ended for a while.
    mutating func lookAgain(at time: Nanoseconds) {
        lastLook = time
        // Operations that the milestone needs have started without asking.
        limit = max(limit, running.reduce(0, +)) + processors
    }
}

/// Operations that wait for a resource. Operations that may also have to wait for a processor are kept apart: while one
/// of them waits for a processor, the others that are not more urgent stay here. Otherwise each of them would be woken
/// and put aside again whenever the resource is free.
struct ParkedOperations: Sendable {
    private var others = Heap<KeyedNode>()
    /// By level (``Urgency``). The highest never waits for a processor.
    private var yielding = [Heap<KeyedNode>](repeating: Heap(), count: 2)

    /// - Parameter level: of one that may have to wait for a processor; nil for another one.
    mutating func push(_ operation: KeyedNode, yieldsAt level: UInt8?) {
        if let level { yielding[Int(level)].push(operation) } else { others.push(operation) }
    }

    /// Takes the first one out.
    ///
    /// - Parameter level: of the operation that waits for a processor: of those that may have to do so as well, only
    ///     more urgent ones are taken; nil for any.
    mutating func pop(above level: UInt8?) -> KeyedNode? {
        var (first, place) = (others.first, -1)
        for index in yielding.indices where level.map({ index > Int($0) }) ?? true {
            if let other = yielding[index].first, first.map({ other < $0 }) ?? true { (first, place) = (other, index) }
        }
        return place < 0 ? others.pop() : yielding[place].pop()
    }
}

extension ValidatedGraph {
    /// Whether an operation keeps its thread for all of its time. Nobody sees that in a closure that may suspend, nor
    /// in an operation that a step makes: these are taken to suspend, on a lane; on the main thread, to keep it.
    package func keepsThread(_ node: Int) -> Bool {
        let step = nodes[node]
        if let isSaid = step.policy?.value.isSaidToSuspend { return !isSaid }
        if case .nothing = step.work { return false }
        if step.isMain { return !policy(node).suspends }
        return switch step.work {
        case .synchronous, .main, .prologue: true
        case .operation(let operation): !operation.isAsynchronous
        case .nothing, .asynchronous, .makeOperation, .event: false
        }
    }
}
