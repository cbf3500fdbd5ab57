/// The name a person most likely meant, or nil when none is near.
///
/// Near is a Damerau-Levenshtein distance (insert, delete, replace, swap two neighbours), letter case ignored, of at most
/// a third of the name's length and never more than 4. Among equals the first wins. Work per candidate is bounded by that
/// distance, so 100,000 candidates are fine.
package func nearestName(to name: String, in candidates: some Sequence<String>) -> String? {
    let target = Array(name.lowercased().unicodeScalars)
    var limit = min(4, max(1, target.count / 3))
    var nearest: String?
    for candidate in candidates {
        // A distance below counts letters, but bytes bound it well enough to drop hopeless candidates cheaply.
        guard candidate.utf8.count <= 4 * (target.count + limit) else { continue }
        let other = Array(candidate.lowercased().unicodeScalars)
        guard let distance = editDistance(target, other, atMost: limit) else { continue }
        // Replacing every letter is not a likeness.
        guard distance < max(target.count, other.count) else { continue }
        nearest = candidate
        if distance == 0 { break }
        limit = distance - 1
    }
    return nearest
}

/// The Damerau-Levenshtein distance (neighbours swapped once), or nil when it exceeds `limit`.
private func editDistance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar], atMost limit: Int) -> Int? {
    guard abs(first.count - second.count) <= limit else { return nil }
    let beyond = limit + 1
    var beforePrevious = [Int](repeating: beyond, count: second.count + 1)
    var previous = (0...second.count).map { min($0, beyond) }
    for row in 0..<first.count {
        // Cells further than `limit` from the diagonal cannot be within `limit`.
        var current = [Int](repeating: beyond, count: second.count + 1)
        if row < limit { current[0] = row + 1 }
        var best = current[0]
        let columns = max(0, row - limit)..<max(0, min(second.count, row + limit + 1))
        for column in columns {
            let replaced = previous[column] + (first[row] == second[column] ? 0 : 1)
            var cost = min(replaced, previous[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                cost = min(cost, beforePrevious[column - 1] + 1)
            }
            current[column + 1] = min(cost, beyond)
            best = min(best, cost)
        }
        if best > limit { return nil }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[second.count] <= limit ? previous[second.count] : nil
}
