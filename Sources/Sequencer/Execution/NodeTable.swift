/// The states of a launch's operations, by position.
///
/// A value, as an array is, but for one thing: whether it may be changed where it is, or has to be copied first because somebody else has it too, is
/// asked once an input, with ``makeUnique()``, and not at each of the thirty changes that an input makes.
struct NodeTable: RandomAccessCollection, Sendable {
    typealias Node = LaunchStateMachine.Node

    private final class Storage: @unchecked Sendable {
        // @unchecked: changed only by a table that alone has it.
        let nodes: UnsafeMutablePointer<Node>

        init(count: Int) {
            nodes = .allocate(capacity: count)
        }

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

    @inline(never)
    private mutating func copy() {
        let copy = Storage(count: count)
        copy.nodes.initialize(from: nodes, count: count)
        storage = copy
        nodes = copy.nodes
    }
}
