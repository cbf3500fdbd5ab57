/// Which lanes are taken: each running operation off the main thread has one, and takes the lowest that is free.
struct LaneSet {
    /// The most lanes; nil for as many as there is work for.
    let limit: Int?
    private(set) var taken = 0
    /// The most lanes that were taken at the same time.
    private(set) var widest = 0
    /// A bit per lane, 1 when it is free.
    private var free: [UInt64] = []
    /// No word before this one has a free lane.
    private var firstFreeWord = 0

    init(limit: Int?) {
        self.limit = limit
    }

    /// How many more operations could start.
    var available: Int { limit.map { $0 - taken } ?? .max }

    /// Takes the lowest free lane, or returns nil when all are taken.
    mutating func take() -> Int? {
        guard available > 0 else { return nil }
        while firstFreeWord < free.count, free[firstFreeWord] == 0 { firstFreeWord += 1 }
        if firstFreeWord == free.count { free.append(.max) }
        let bit = free[firstFreeWord].trailingZeroBitCount
        free[firstFreeWord] &= ~(1 << UInt64(bit))
        taken += 1
        widest = max(widest, taken)
        return firstFreeWord << 6 | bit
    }

    /// Gives a lane back.
    mutating func giveBack(_ lane: Int) {
        free[lane >> 6] |= 1 << UInt64(lane & 63)
        firstFreeWord = min(firstFreeWord, lane >> 6)
        taken -= 1
    }
}
