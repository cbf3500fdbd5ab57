/// Where each identifier is among a graph's operations.
///
/// A hash table with open addressing and linear probing that holds positions only: the identifiers themselves are looked at where they are. Two
/// identifiers are the same when they are as strings, so however their characters are composed.
struct IdentifierIndex: Sendable {
    private let nodes: [GraphNode]
    /// Positions, or -1; a power of two of them, at least twice as many as operations.
    private var slots: [Int32]

    /// The index of `nodes`, of which the first with an identifier counts.
    ///
    /// - Parameter duplicate: called with the positions of two operations that have one identifier.
    init(_ nodes: [GraphNode], duplicate: (_ first: Int, _ second: Int) -> Void = { _, _ in }) {
        self.nodes = nodes
        var capacity = 8
        while capacity < nodes.count * 2 { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        for position in nodes.indices {
            let slot = slot(of: nodes[position].id)
            if slots[slot] < 0 {
                slots[slot] = Int32(position)
            } else {
                duplicate(Int(slots[slot]), position)
            }
        }
    }

    /// The position of the operation named `id`.
    subscript(id: String) -> Int32? {
        let position = slots[slot(of: id)]
        return position < 0 ? nil : position
    }

    /// The slot that holds the position of `id`, or the empty one where it belongs.
    private func slot(of id: String) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: Self.hash(id)) & mask
        while slots[slot] >= 0, nodes[Int(slots[slot])].id != id { slot = (slot + 1) & mask }
        return slot
    }

    /// Differs from one process to the next, so that nobody can prepare a file whose identifiers all collide.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Eight bytes at a time, folded by multiplication as in wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash); identifiers that are
    /// not plain ASCII go the way of the standard library, which knows about composed characters.
    private static func hash(_ id: String) -> UInt64 {
        var id = id
        let plain: UInt64? = id.withUTF8 { bytes in
            var hash = seed
            var word: UInt64 = 0
            var seen: UInt8 = 0
            for (place, byte) in bytes.enumerated() {
                seen |= byte
                word = word << 8 | UInt64(byte)
                if place & 7 == 7 {
                    hash = folded(hash ^ word)
                    word = 0
                }
            }
            return seen < 0x80 ? folded(hash ^ word ^ UInt64(bytes.count) << 56) : nil
        }
        return plain ?? folded(seed ^ UInt64(bitPattern: Int64(id.hashValue)))
    }

    private static func folded(_ value: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}
