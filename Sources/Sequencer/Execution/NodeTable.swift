/// The states of a launch's operations, by position.
///
/// It is a value, as an array is. An array asks at each change whether somebody else has it too; this table asks once an input, with ``makeUnique()``,
/// since an input makes about thirty changes. "running, instructions" in `Benchmarks/instructions.json` pays for it.
struct NodeTable: RandomAccessCollection, Sendable {
    typealias Node = LaunchStateMachine.Node

    private final class Storage: @unchecked Sendable {
        // @unchecked: changed only by a table that alone has it.
        let nodes: UnsafeMutablePointer<Node>

        init(count: Int) {
            nodes = .allocate(capacity: count)
        }

        // Nodes are plain numbers: there is nothing to deinitialise.
        deinit { nodes.deallocate() }
    }

    private var storage: Storage
    // Unsafe only in name: it is the storage's, which lives as long as the table.
    private nonisolated(unsafe) var nodes: UnsafeMutablePointer<Node>
    let count: Int

    /// A table of operations that wait for as many others as `degrees` says.
    init(degrees: [Int32]) {
        count = degrees.count
        storage = Storage(count: count)
        nodes = storage.nodes
        for (index, degree) in degrees.enumerated() { (nodes + index).initialize(to: Node(waiting: degree)) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Node {
        // Not `get`, which would copy a whole node for one of its members.
        @inline(__always) _read {
            precondition(index >= 0 && index < count)
            yield nodes[index]
        }
        // To be called after ``makeUnique()``.
        @inline(__always) _modify {
            precondition(index >= 0 && index < count)
            assert(isKnownUniquelyReferenced(&storage), "an operation's state was changed outside an input")
            yield &nodes[index]
        }
    }

    /// Copies the states if another table has them too.
    @inline(__always)
    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { copy() }
    }

    // Not inlined: the check before it is in every input, and this is rare.
    @inline(never)
    private mutating func copy() {
        let copy = Storage(count: count)
        copy.nodes.initialize(from: nodes, count: count)
        storage = copy
        nodes = copy.nodes
    }
}

/// Which lanes are taken: each running operation off the main thread has one, and takes the lowest that is free.
///
/// A bit a lane, so that the lowest free lane is one instruction away: "running, instructions" in `Benchmarks/instructions.json`.
struct LaneSet {
    /// The most lanes; nil for as many as there is work for.
    let limit: Int?
    private(set) var taken = 0
    /// The most lanes that were taken at the same time.
    private(set) var widest = 0
    /// A bit for each of the first 64 lanes, 1 when it is free.
    private var free = UInt64.max
    /// The same for the lanes after them, 64 each.
    private var more: [UInt64] = []
    /// No word of `more` before this one has a free lane.
    private var firstFreeWord = 0

    init(limit: Int?) {
        self.limit = limit
    }

    /// How many more operations could start.
    var available: Int { limit.map { $0 - taken } ?? .max }

    /// Takes the lowest free lane, or returns nil when all are taken.
    @inline(__always)
    mutating func take() -> Int? {
        guard available > 0 else { return nil }
        taken += 1
        widest = max(widest, taken)
        guard free != 0 else { return takeMore() }
        let lane = free.trailingZeroBitCount
        free &= free - 1
        return lane
    }

    private mutating func takeMore() -> Int {
        while firstFreeWord < more.count, more[firstFreeWord] == 0 { firstFreeWord += 1 }
        if firstFreeWord == more.count { more.append(.max) }
        let bit = more[firstFreeWord].trailingZeroBitCount
        more[firstFreeWord] &= more[firstFreeWord] - 1
        return (firstFreeWord + 1) << 6 | bit
    }

    /// Gives a lane back.
    @inline(__always)
    mutating func giveBack(_ lane: Int) {
        let bit: UInt64 = 1 << UInt64(lane & 63)
        taken -= 1
        if lane < 64 {
            free |= bit
        } else {
            more[lane >> 6 - 1] |= bit
            firstFreeWord = min(firstFreeWord, lane >> 6 - 1)
        }
    }
}
