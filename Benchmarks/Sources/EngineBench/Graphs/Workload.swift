import Synchronization

/// What the nodes of a graph do: next to nothing, so that what is measured is the engine; and the proof that each did it.
///
/// A node writes a slot that no other node writes. In a run that is checked, or whose start is timed, it does a little more.
final class Workload: @unchecked Sendable {
    // @unchecked: each slot is written by its node alone, and read when the run is over; all else is constant or atomic.

    /// What is written down of a run.
    enum Purpose: Sendable {
        /// How often each node ran: for runs that are timed.
        case counting
        /// Also in which order, and when the first one began: for runs that are not.
        case checking
    }

    private let purpose: Purpose
    private let counts: UnsafeMutableBufferPointer<UInt32>
    /// The place of each node in the order of all bodies, from 1.
    private let stamps: UnsafeMutableBufferPointer<UInt32>
    private let lastStamp = Atomic<UInt32>(0)
    private let firstBegin = Atomic<UInt64>(0)

    init(count: Int, purpose: Purpose) {
        self.purpose = purpose
        counts = .allocate(capacity: count)
        counts.initialize(repeating: 0)
        stamps = .allocate(capacity: purpose == .checking ? count : 0)
        stamps.initialize(repeating: 0)
    }

    deinit {
        counts.deallocate()
        stamps.deallocate()
    }

    /// The body of a node.
    @inline(__always)
    func perform(_ node: Int) {
        counts[node] &+= 1
        if purpose == .checking { stamp(node) }
    }

    @inline(never)
    private func stamp(_ node: Int) {
        stamps[node] = lastStamp.add(1, ordering: .acquiringAndReleasing).newValue
        if stamps[node] == 1 { firstBegin.store(now(), ordering: .releasing) }
    }

    /// When the first body began.
    var beginOfFirst: UInt64 { firstBegin.load(ordering: .acquiring) }

    /// What is wrong after `runs` runs of `shape`, in one sentence; nil when every node ran once a run and, where that was written down, after
    /// everything it waits for.
    func complaint(after runs: Int, of shape: Shape) -> String? {
        for node in 0..<shape.count {
            if counts[node] != UInt32(runs) { return "\(shape.identifiers[node]) ran \(counts[node]) times in \(runs) runs" }
            guard purpose == .checking else { continue }
            for dependency in shape.dependencies(of: node) where stamps[Int(dependency)] >= stamps[node] {
                return "\(shape.identifiers[node]) ran before \(shape.identifiers[Int(dependency)])"
            }
        }
        return nil
    }
}
