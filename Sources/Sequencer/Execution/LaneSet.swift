/// Which lanes are taken: each running operation off the main thread has one, and takes the lowest that is free.
struct LaneSet {
    /// The most lanes; nil for as many as there is work for.
    let limit: Int?
    /// The most lanes that were taken at the same time.
    private(set) var widest = 0
    /// Those below ``widest`` that are free.
    private var free = Heap<Int>()

    init(limit: Int?) {
        self.limit = limit
    }

    var taken: Int { widest - free.count }

    /// How many more operations could start.
    var available: Int { limit.map { $0 - taken } ?? .max }

    /// Takes the lowest free lane, or returns nil when all are taken.
    mutating func take() -> Int? {
        guard available > 0 else { return nil }
        if let lane = free.pop() { return lane }
        defer { widest += 1 }
        return widest
    }

    /// Gives a lane back.
    mutating func giveBack(_ lane: Int) { free.push(lane) }
}
