/// The launches on a virtual clock, and when each is to be told that time has passed.
///
/// Each call takes logarithmic time at most, spread over all calls, so that thousands of launches can share a clock.
struct LaunchesOnClock: Sendable {
    struct Launch: Sendable {
        let engine: TimeHolder
        let hasMainSteps: Bool
        /// When it is to be told that time has passed.
        fileprivate(set) var wake: Duration?

        init(engine: TimeHolder, hasMainSteps: Bool) {
            self.engine = engine
            self.hasMainSteps = hasMainSteps
        }
    }

    struct Wake: Sendable {
        let id: Int
        let engine: TimeHolder
        let time: Duration
    }

    private struct Entry: Comparable, Sendable {
        let time: Duration
        let id: Int

        static func < (left: Entry, right: Entry) -> Bool { (left.time, left.id) < (right.time, right.id) }
    }

    private var launches: [Int: Launch] = [:]
    /// In the order in which they began. Those that are over are taken out when they are the first.
    private var order = FirstInFirstOut<Int>()
    private var orderOnMain = FirstInFirstOut<Int>()
    /// Entries whose launch has another time by now are passed over.
    private var wakes = Heap<Entry>()

    var isEmpty: Bool { launches.isEmpty }

    /// The one that began first.
    var first: Launch? { mutating get { Self.first(of: &order, in: launches) } }

    /// The first of those with steps on the main thread.
    var firstWithMainSteps: Launch? { mutating get { Self.first(of: &orderOnMain, in: launches) } }

    func contains(_ id: Int) -> Bool { launches[id] != nil }

    /// Identifiers rise from launch to launch.
    mutating func add(_ launch: Launch, id: Int) {
        launches[id] = launch
        order.append(id)
        if launch.hasMainSteps { orderOnMain.append(id) }
    }

    // It stays in the orders until it comes first there: looking for it would take as long as there are launches.
    mutating func remove(_ id: Int) -> Launch? { launches.removeValue(forKey: id) }

    /// Tells the launch at `time`, or sooner if it was asked for sooner.
    mutating func wake(_ id: Int, at time: Duration) {
        guard let launch = launches[id], time < launch.wake ?? .nanoseconds(Int64.max) else { return }
        launches[id]?.wake = time
        wakes.push(Entry(time: time, id: id))
        // Those that are passed over must not outgrow the others: one launch asks as often as it has operations.
        guard wakes.count > 2 * launches.count + 16 else { return }
        wakes.removeAll()
        for (id, launch) in launches {
            if let time = launch.wake { wakes.push(Entry(time: time, id: id)) }
        }
    }

    /// The launch that is told of time first; of several at the same time, the one that began first.
    var nextWake: Wake? {
        mutating get {
            while let entry = wakes.first {
                if let launch = launches[entry.id], launch.wake == entry.time {
                    return Wake(id: entry.id, engine: launch.engine, time: entry.time)
                }
                _ = wakes.pop()
            }
            return nil
        }
    }

    /// It is being told.
    mutating func woke(_ id: Int) { launches[id]?.wake = nil }

    private static func first(of order: inout FirstInFirstOut<Int>, in launches: [Int: Launch]) -> Launch? {
        while let id = order.next {
            if let launch = launches[id] { return launch }
            _ = order.popFirst()
        }
        return nil
    }
}
