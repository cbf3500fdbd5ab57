/// Operations that could start, and were put aside for more urgent ones, by what they would take: the shortest first.
struct PutAside: Sendable {
    private struct Operation: Comparable, Sendable {
        let duration: Nanoseconds
        let node: Int

        static func < (left: Operation, right: Operation) -> Bool { (left.duration, left.node) < (right.duration, right.node) }
    }

    /// How many are looked at, of those of one place: more would cost more than they save.
    private static let maximumLookedAt = 16

    private var places: [Heap<Operation>]
    /// When to look again at them, even if nothing happens before; nil if there are none.
    private(set) var nextLook: Nanoseconds?

    init(places: Int) { self.places = Array(repeating: Heap(), count: places) }

    var isEmpty: Bool { places.allSatisfy(\.isEmpty) }

    /// - Parameters:
    ///   - place: the last place has all that are higher, too.
    ///   - limit: until when it waits at the longest.
    mutating func put(_ node: Int, at place: Int, for duration: Nanoseconds, until limit: Nanoseconds) {
        places[min(place, places.count - 1)].push(Operation(duration: duration, node: node))
        nextLook = min(nextLook ?? .max, limit)
    }

    /// Takes back those that may start now, among the shortest.
    ///
    /// - Parameters:
    ///   - patience: when to look again if nothing says when; with `isLatest`, by when to look again at those that were not looked at.
    ///   - obstacle: until when an operation has to wait; nil when it may start.
    mutating func takeBack(
        unseenBy patience: Nanoseconds,
        isLatest: Bool,
        _ obstacle: (_ node: Int, _ place: Int) -> Nanoseconds?
    ) -> [Int] {
        var free: [Int] = []
        var next = Nanoseconds.max
        for place in places.indices {
            var held: [Operation] = []
            var looks = 0
            while looks < Self.maximumLookedAt, let first = places[place].pop() {
                looks += 1
                if let limit = obstacle(first.node, place) {
                    next = min(next, limit)
                    held.append(first)
                } else {
                    free.append(first.node)
                }
            }
            // The limits of those that were not looked at are unknown.
            if isLatest, !places[place].isEmpty { next = min(next, patience) }
            // Only now, or the same ones would be looked at again.
            for operation in held { places[place].push(operation) }
        }
        nextLook = isEmpty ? nil : next < .max ? next : patience
        return free
    }

    mutating func takeAll() -> [Int] {
        var nodes: [Int] = []
        for place in places.indices {
            while let first = places[place].pop() { nodes.append(first.node) }
        }
        nextLook = nil
        return nodes
    }
}
