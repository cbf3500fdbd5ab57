import Foundation

/// Where each identifier is among a graph's operations.
///
/// Validation makes one for every launch, and most launches ask it nothing: it has to be cheap to make. "running, instructions" in
/// `Benchmarks/instructions.json` pays for it.
///
/// A hash table with open addressing and linear probing that holds positions only, each with as much of the identifier's hash as there is room for beside
/// it: the identifiers themselves are where they are, and looked at when the hash is the same. Two identifiers are the same when they are as
/// strings, so however their characters are composed.
struct IdentifierIndex: Sendable {
    private var nodes: [GraphNode]
    /// A position in the low bits, a part of the hash above them, or `empty`; a power of two of them, at least half as many again as operations.
    private var slots: [UInt32]
    /// Of a position: enough that none has all of them set, as `empty` has.
    private let positionBits: UInt32

    private static let empty = UInt32.max

    /// The same index over `nodes`, which have the same identifiers in the same places.
    func over(_ nodes: [GraphNode]) -> IdentifierIndex {
        var index = self
        index.nodes = nodes
        return index
    }

    /// The index of `nodes`. Of several with one identifier the first counts.
    ///
    /// - Parameters:
    ///   - duplicate: called with the positions of two operations that have one identifier.
    ///   - unusual: called with the position of each operation whose identifier is not 1 to 256 printable ASCII characters.
    init(
        _ nodes: [GraphNode],
        duplicate: (_ first: Int, _ second: Int) -> Void = { _, _ in },
        unusual: (_ position: Int) -> Void = { _ in }
    ) {
        self.nodes = nodes
        positionBits = UInt32(Int.bitWidth - nodes.count.leadingZeroBitCount)
        var capacity = 8
        // Two thirds full at the most: fuller tables make linear probing long.
        while 2 * capacity < 3 * nodes.count { capacity *= 2 }
        slots = Array(repeating: Self.empty, count: capacity)
        let seed = Self.seed
        for position in nodes.indices {
            let hash = Self.hash(nodes[position].id, seed)
            if !hash.isUsual { unusual(position) }
            let slot = slot(of: nodes[position].id, hash.value)
            if slots[slot] == Self.empty {
                slots[slot] = tag(hash.value) | UInt32(position)
            } else {
                duplicate(self.position(in: slots[slot]), position)
            }
        }
    }

    /// The position of the operation named `id`.
    subscript(id: String) -> Int32? {
        let value = slots[slot(of: id, Self.hash(id, Self.seed).value)]
        return value == Self.empty ? nil : Int32(position(in: value))
    }

    /// The slot that holds the position of `id`, or the empty one where it belongs.
    private func slot(of id: String, _ hash: UInt64) -> Int {
        let mask = slots.count - 1
        let tag = tag(hash)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != Self.empty {
            let isSameHash = (slots[slot] ^ tag) >> positionBits == 0
            if isSameHash, nodes[position(in: slots[slot])].id == id { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    /// The part of the hash that a slot has room for, in its place.
    private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) << positionBits }

    private func position(in slot: UInt32) -> Int { Int(slot & (1 << positionBits - 1)) }

    /// Differs from one process to the next, so that nobody can prepare a file whose identifiers all collide.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Eight bytes at a time, folded by multiplication as in wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash); identifiers that are
    /// not plain ASCII go the way of the standard library, which knows about composed characters, unless they are equal to one that is, as the sign for
    /// kelvin is to K.
    ///
    /// - Returns: the hash, and whether the identifier is 1 to 256 printable ASCII characters, none of them white space.
    private static func hash(_ id: String, _ seed: UInt64) -> (value: UInt64, isUsual: Bool) {
        // A copy, since `withUTF8` may change how the string is stored.
        var id = id
        let (hash, isASCII, isUsual) = id.withUTF8 { bytes in
            let words = UnsafeRawBufferPointer(bytes)
            var hash = seed
            var odd: UInt64 = 0
            var place = 0
            while place + 8 < words.count {
                let word = words.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                odd |= oddBytes(word)
                hash = folded(hash ^ word)
                place += 8
            }
            let word = lastWord(of: words)
            odd |= oddBytes(word)
            // With the length: the last word of a short identifier has some of its bytes twice.
            let value = folded(hash ^ word ^ UInt64(words.count) << 56)
            let isUsual = odd == 0 && !words.isEmpty && words.count <= OperationGraph.maximumIdentifierLength
            return (value, isUsual || words.allSatisfy { $0 < 0x80 }, isUsual)
        }
        if isASCII { return (hash, isUsual) }
        let normal = id.precomposedStringWithCanonicalMapping
        if normal.utf8.allSatisfy({ $0 < 0x80 }) { return (self.hash(normal, seed).value, isUsual) }
        return (folded(seed ^ UInt64(bitPattern: Int64(id.hashValue))), isUsual)
    }

    /// The last eight bytes; of a shorter identifier all bytes, some of them twice.
    @inline(__always)
    private static func lastWord(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        if count >= 8 { return bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) }
        if count >= 4 {
            let (first, last) = (bytes.loadUnaligned(as: UInt32.self), bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return UInt64(first) << 32 | UInt64(last)
        }
        // Filled up with exclamation marks, which are the first of the usual characters.
        guard count > 0 else { return 0x2121_2121_2121_2121 }
        return 0x2121_2121_2100_0000 | UInt64(bytes[0]) << 16 | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1])
    }

    /// Not zero when one of eight bytes is a control character, a space, or no ASCII at all (S. E. Anderson, "Bit Twiddling Hacks", "Determine
    /// if a word has a byte less than n"): subtracting borrows from the high bit of a byte that is too small, adding 1 carries into that of 0x7F.
    private static func oddBytes(_ word: UInt64) -> UInt64 {
        let (low, one): (UInt64, UInt64) = (0x2121_2121_2121_2121, 0x0101_0101_0101_0101)
        return ((word &- low) | (word &+ one) | word) & 0x8080_8080_8080_8080
    }

    private static func folded(_ value: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}
