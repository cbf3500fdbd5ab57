/// The name a person most likely meant by `text`, or nil when none is near.
///
/// Near is an optimal string alignment distance (letters changed, added, left out, or swapped with their neighbour), letter case ignored,
/// of at most a third of the text's length, at least 1 and at most 4. A name that has no letter in common with the text is never near.
/// Of equally near names the first wins.
///
/// - Complexity: O(names · length), and nothing for a text that is longer than any name should be.
package func nearestName(to text: String, in names: some Sequence<String>) -> String? {
    guard text.utf8.count <= 1024 else { return nil }
    let wanted = Array(text.lowercased().unicodeScalars)
    var limit = min(4, max(1, wanted.count / 3))
    var nearest: String?
    for name in names {
        // A letter has one to four bytes: that drops many names without a look at their letters.
        let bytes = name.utf8.count
        guard bytes <= 4 * (wanted.count + limit), bytes >= wanted.count - limit else { continue }
        let letters = Array(name.lowercased().unicodeScalars)
        guard let distance = alignmentDistance(wanted, letters, atMost: limit), distance < max(wanted.count, letters.count) else {
            continue
        }
        nearest = name
        if distance == 0 { break }
        limit = distance - 1
    }
    return nearest
}

/// The optimal string alignment distance, or nil when it is more than `limit`.
private func alignmentDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost limit: Int) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    let tooFar = limit + 1
    var beforePrevious: [Int] = []
    var previous = (0...right.count).map { min($0, tooFar) }
    for row in left.indices {
        // Further than `limit` off the diagonal the distance is more than `limit`.
        let columns = max(0, row - limit)..<max(0, min(right.count, row + limit + 1))
        var current = [Int](repeating: tooFar, count: right.count + 1)
        current[0] = min(row + 1, tooFar)
        for column in columns {
            var cost = min(previous[column] + (left[row] == right[column] ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = min(cost, beforePrevious[column - 1] + 1)
            }
            current[column + 1] = min(cost, tooFar)
        }
        if current.allSatisfy({ $0 == tooFar }) { return nil }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count] <= limit ? previous[right.count] : nil
}
