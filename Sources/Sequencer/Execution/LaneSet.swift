/// Which lanes are taken: each running operation off the main thread has one, and takes the lowest that is free.
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
