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

    /// Looks at orders between the two, until nothing is left between them.
    ///
    /// - Parameter fails: whether an order fails.
    nonisolated(nonsending) mutating func bringTogether(
        _ fails: nonisolated(nonsending) ([String]) async throws -> Bool
    ) async throws {
        let (from, to) = (passing, failing)
        // How many operations the passing and the failing order have from the beginning of the failing one.
        var (good, bad) = (0, to.count)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            let begun = Set(to[..<middle])
            let isFailing = try await look(at: to[..<middle] + from.filter { !begun.contains($0) }, fails)
            if isFailing { bad = middle } else { good = middle }
        }
        // The operation at `good` of the failing order makes the difference.
        guard bad > good, let place = passing.firstIndex(of: to[good]) else { return }
        // Where it is in the passing and in the failing order.
        (good, bad) = (place, good)
        while good - bad > 1 {
            let middle = (good + bad) / 2
            var order = passing
            order.insert(order.remove(at: good), at: middle)
            if try await look(at: order, fails) { bad = middle } else { good = middle }
        }
    }

    nonisolated(nonsending) private mutating func look(
        at order: [String],
        _ fails: nonisolated(nonsending) ([String]) async throws -> Bool
    ) async throws -> Bool {
        let isFailing = try await fails(order)
        if isFailing { failing = order } else { passing = order }
        return isFailing
    }

    /// The two neighbours, in the order that fails; nil when both orders are the same.
    var pair: (first: String, second: String)? {
        guard let place = zip(passing, failing).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else { return nil }
        return place + 1 < failing.count ? (failing[place], failing[place + 1]) : nil
    }
}
