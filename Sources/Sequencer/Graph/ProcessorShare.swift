/// The processors, which what nobody waits for leaves to the milestone.
///
/// Where more threads compute than there are processors, they share these, and each of them takes longer: those of the milestone's way, too. So, until the
/// milestone has ended, an operation that it does not need, and that keeps a thread, starts only while fewer of that kind run than there are processors.
/// What is suspended keeps none, and does not count.
///
/// Nobody sees whether a thread that is kept computes or waits. One that waits for an operation that is put aside here would wait for ever: so, when no
/// operation has ended for a while, as many more may start.
package struct ProcessorShare: Sendable {
    private struct Aside: Comparable, Sendable {
        let key: Int64
        let node: Int32

        static func < (left: Aside, right: Aside) -> Bool { (left.key, left.node) < (right.key, right.node) }
    }

    /// For how long no operation has to have ended.
    private static let patience: Nanoseconds = 1_000_000_000

    private let processors: Int
    /// How many operations that keep a thread may run before others of that kind are put aside.
    private var limit: Int
    private var running = 0
    private var asideForLanes = Heap<Aside>()
    private var asideForMain = Heap<Aside>()
    private var lastLook: Nanoseconds = 0

    package init(processors: Int) {
        self.processors = processors
        limit = processors
    }

    package var hasRoom: Bool { running < limit }

    /// An operation that keeps a thread has started.
    package mutating func started() { running += 1 }

    package mutating func ended() { running -= 1 }

    /// - Parameter key: of several, the one with the smallest goes first.
    package mutating func putAside(_ node: Int, onMain isMain: Bool, key: Int64) {
        let aside = Aside(key: key, node: Int32(node))
        if isMain { asideForMain.push(aside) } else { asideForLanes.push(aside) }
    }

    /// How many more may start.
    package var room: Int { max(0, limit - running) }

    /// Takes back the first of those that were put aside.
    package mutating func takeBack(onMain isMain: Bool) -> Int? {
        (isMain ? asideForMain.pop() : asideForLanes.pop()).map { Int($0.node) }
    }

    /// All that were put aside.
    package mutating func takeAll() -> [Int] {
        var nodes: [Int] = []
        while let first = asideForLanes.pop() ?? asideForMain.pop() { nodes.append(Int(first.node)) }
        return nodes
    }

    /// When to look whether nothing goes on; nil when nothing was put aside.
    ///
    /// - Parameter lastEnd: when an operation last ended.
    package func nextLook(after lastEnd: Nanoseconds) -> Nanoseconds? {
        asideForLanes.isEmpty && asideForMain.isEmpty ? nil : max(lastEnd, lastLook).addingSaturated(Self.patience)
    }

    /// Nothing has ended for a while.
    package mutating func lookAgain(at time: Nanoseconds) {
        lastLook = time
        // What the milestone needs has started without asking.
        limit = max(limit, running) + processors
    }
}

extension ValidatedGraph {
    /// Whether an operation keeps its thread for all of its time. Nobody sees that in a closure that may suspend, nor in an operation that a step makes: these are
    /// taken to suspend, on a lane; on the main thread, to keep it.
    package func keepsThread(_ node: Int) -> Bool {
        let step = graph.nodes[node]
        if let isSaid = step.policy?.value.isSaidToSuspend { return !isSaid }
        if case .nothing = step.work { return false }
        if step.isMain { return !policy(node).suspends }
        return switch step.work {
        case .action, .synchronous, .main: true
        case .operation(let operation): !operation.isAsynchronous
        case .nothing, .asynchronousAction, .asynchronous, .makeOperation: false
        }
    }
}
