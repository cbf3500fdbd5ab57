/// The name a person most likely meant by `text`, or nil when none is near.
///
/// Nearness is the number of letters changed, added, left out or swapped with their neighbour (optimal string alignment distance), and at
/// most a third of the text's length, so that short words do not match everything. Letter case counts half as much as a letter.
///
/// - Complexity: O(names · length²), and only the first 10,000 names are looked at.
package func nearestName(to text: String, in names: some Sequence<String>) -> String? {
    let wanted = Array(text.unicodeScalars.prefix(64))
    let limit = max(2, wanted.count * 2 / 3)
    var best: (name: String, distance: Int)?
    for name in names.prefix(10_000) {
        let distance = alignmentDistance(wanted, Array(name.unicodeScalars.prefix(64)))
        if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
    }
    return best?.name
}

/// Twice the optimal string alignment distance, a difference in letter case counting 1 instead of 2.
private func alignmentDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(stride(from: 0, through: 2 * right.count, by: 2))
    for row in left.indices {
        var current = [2 * (row + 1)]
        current.reserveCapacity(right.count + 1)
        for column in right.indices {
            let same = left[row] == right[column]
            let sameLetter = same || left[row].properties.lowercaseMapping == right[column].properties.lowercaseMapping
            var cost = min(previous[column] + (same ? 0 : sameLetter ? 1 : 2), previous[column + 1] + 2, current[column] + 2)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = min(cost, beforePrevious[column - 1] + 2)
            }
            current.append(cost)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[right.count]
}
