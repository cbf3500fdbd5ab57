/// Brings an order that fails and one that does not together, until they differ in two neighbours.
///
/// The orders between the two are legal, too. First come those that begin as the failing one and continue as the other:
/// one operation, put where the failing order has it, makes the difference. Then that operation moves through those
/// that it was put before. Each part is a search by halves, so it takes about 2 × log2 of the operations.
struct OrderSearch {
    /// The order that does not fail.
    private(set) var passing: [String]
    /// The order that fails.
    private(set) var failing: [String]

    private enum Part {
        /// How many operations the passing and the failing order have from the beginning of the failing one.
        case beginnings(passing: Int, failing: Int)
        /// Where the moved operation is in the passing and in the failing order.
        case places(passing: Int, failing: Int)
    }

    private var part: Part
    private let from: [String]
    private let to: [String]
    private var asked: (order: [String], place: Int)?

    init(passing: [String], failing: [String]) {
        (self.passing, self.failing, from, to) = (passing, failing, passing, failing)
        part = .beginnings(passing: 0, failing: failing.count)
        advance()
    }

    /// The next order to look at; nil when the search is over.
    var next: [String]? { asked?.order }

    /// Says of ``next`` whether it fails.
    mutating func add(fails: Bool) {
        guard let (order, place) = asked else { return }
        if fails { failing = order } else { passing = order }
        switch part {
        case .beginnings(let good, let bad): part = .beginnings(passing: fails ? good : place, failing: fails ? place : bad)
        case .places(let good, let bad): part = .places(passing: fails ? good : place, failing: fails ? place : bad)
        }
        advance()
    }

    /// The two neighbours, in the order that fails; nil when both orders are the same.
    var pair: (first: String, second: String)? {
        guard let place = zip(passing, failing).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else { return nil }
        return place + 1 < failing.count ? (failing[place], failing[place + 1]) : nil
    }

    private mutating func advance() {
        if case .beginnings(let good, let bad) = part {
            if bad - good > 1 {
                let middle = (good + bad) / 2
                asked = (beginning(middle), middle)
                return
            }
            // The operation at `good` of the failing order makes the difference.
            guard bad > good, let place = passing.firstIndex(of: to[good]) else {
                asked = nil
                return
            }
            part = .places(passing: place, failing: good)
        }
        guard case .places(let good, let bad) = part, good - bad > 1 else {
            asked = nil
            return
        }
        let middle = (good + bad) / 2
        var order = passing
        order.insert(order.remove(at: good), at: middle)
        asked = (order, middle)
    }

    /// The first `count` operations of the failing order, and the others as in the passing one.
    private func beginning(_ count: Int) -> [String] {
        let begun = Set(to[..<count])
        return to[..<count] + from.filter { !begun.contains($0) }
    }
}
