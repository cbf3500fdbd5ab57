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
    private var aside = Heap<Aside>()
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
    package mutating func putAside(_ node: Int, key: Int64) { aside.push(Aside(key: key, node: Int32(node))) }

    /// Takes back as many as there is room for.
    package mutating func takeBack() -> [Int] {
        if aside.isEmpty { return [] }
        var nodes: [Int] = []
        while nodes.count < limit - running, let first = aside.pop() { nodes.append(Int(first.node)) }
        return nodes
    }

    /// All that were put aside.
    package mutating func takeAll() -> [Int] {
        limit = .max
        return takeBack()
    }

    /// When to look whether nothing goes on; nil when nothing was put aside.
    ///
    /// - Parameter lastEnd: when an operation last ended.
    package func nextLook(after lastEnd: Nanoseconds) -> Nanoseconds? {
        aside.isEmpty ? nil : max(lastEnd, lastLook).addingSaturated(Self.patience)
    }

    /// Nothing has ended for a while.
    package mutating func lookAgain(at time: Nanoseconds) {
        lastLook = time
        limit += processors
    }
}

extension ValidatedGraph {
    /// Whether an operation keeps its thread for all of its time. Nobody sees that in a closure that may suspend, nor in an operation that a step makes: these are
    /// taken to suspend, on a lane; on the main thread, to keep it.
    package func keepsThread(_ node: Int) -> Bool {
        let step = graph.nodes[node]
        if let isSaid = step.policy?.value.isSaidToSuspend { return !isSaid }
        return switch step.work {
        case .action, .synchronous: true
        case .main: !policy(node).suspends
        case .operation(let operation): !operation.isAsynchronous
        case .nothing, .asynchronousAction, .asynchronous, .makeOperation: false
        }
    }
}
