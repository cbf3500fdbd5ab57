/// `text` fit for one line of output: characters that a terminal would obey, or that nobody sees, are escaped, and a
/// long text is cut after `limit` characters.
package func printable(_ text: String, limit: Int = .max) -> String {
    let shown = text.prefix(limit)
    var result = ""
    for (scalar, isShown) in judgedScalars(shown) {
        if isShown { result.unicodeScalars.append(scalar) } else { result += scalar.escaped(asASCII: true) }
    }
    return shown.endIndex == text.endIndex ? result : result + "…"
}

/// `text` for a format: with the escapes of its special characters, and with `escape` for characters that nobody sees, or
/// that have no place in XML.
package func escapedText(
    _ text: some StringProtocol,
    _ special: KeyValuePairs<Unicode.Scalar, String>,
    _ escape: (Unicode.Scalar) -> String
) -> String {
    var result = ""
    for (scalar, isShown) in judgedScalars(text) {
        if let known = special.first(where: { $0.key == scalar }) {
            result += known.value
        } else if isShown, !scalar.properties.isNoncharacterCodePoint {
            result.unicodeScalars.append(scalar)
        } else {
            result += escape(scalar)
        }
    }
    return result
}

/// Items in a row, no more of them than the user reads: `a, b, c and 7 more`.
package func listed<Item>(_ items: [Item], limit: Int = 5, separator: String = ", ", _ text: (Item) -> String) -> String {
    items.prefix(limit).map(text).joined(separator: separator) + (items.count > limit ? " and \(items.count - limit) more" : "")
}

/// The scalars of a text, each with whether a terminal or a drawing shows it as it is.
///
/// It shows printable characters, and invisible ones that change the look of their neighbours: a joiner within an emoji
/// or between letters of a script that is written with joiners, the variation selector of an emoji.
package func judgedScalars(_ text: some StringProtocol) -> some Sequence<(scalar: Unicode.Scalar, isShown: Bool)> {
    var scalars = text.unicodeScalars.makeIterator()
    let first = scalars.next()
    // Beside each scalar: the one before it, nil where that is not shown as it is, and the one after it.
    return sequence(state: (previous: Unicode.Scalar?.none, next: first, rest: scalars)) { state in
        guard let scalar = state.next else { return (scalar: Unicode.Scalar, isShown: Bool)?.none }
        state.next = state.rest.next()
        let isShown = scalar.isPrintable || scalar.shapes(state.previous, state.next)
        state.previous = isShown ? scalar : nil
        return (scalar, isShown)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal or a drawing shows this as a character, wherever it stands: it does not control the terminal,
    /// end a line or turn the direction of writing, and it is visible.
    ///
    /// Invisible characters are Unicode's default ignorable code points
    /// (<https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point>) and the marks around annotations: two
    /// names that differ in these only look the same.
    package var isPrintable: Bool {
        switch value {
        case 0x20...0x7E: true
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0xFFF9...0xFFFB: false
        default: !properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether this scalar, which is not seen itself, changes how its neighbours look.
    fileprivate func shapes(_ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        guard let previous else { return false }
        switch value {
        case 0x200C, 0x200D:
            guard let next else { return false }
            if previous.isWrittenWithJoiners, next.isWrittenWithJoiners { return true }
            return value == 0x200D && (previous.isPicture || previous.value == 0xFE0F) && next.isPicture
        case 0xFE0E, 0xFE0F:
            // Digits are shown as keys when the frame of a key follows.
            return previous.isPicture || previous.properties.isEmoji && next?.value == 0x20E3
        default:
            return false
        }
    }

    private var isPicture: Bool { !isASCII && properties.isEmoji }

    /// Whether it is of a script from Arabic to Myanmar, or Khmer: several of these cannot be written without joiners.
    private var isWrittenWithJoiners: Bool { 0x0600...0x109F ~= value || 0x1780...0x17FF ~= value }
}

/// `1.25 s`, `400 ms`, `80 µs`: three digits at the most, for sentences.
package func durationText(_ duration: Duration) -> String {
    if duration == .zero { return "0 ms" }
    let nanoseconds = Double(duration.nanoseconds)
    let units: [(name: String, size: Double, limit: Double)] = [
        ("ns", 1, 1000), ("µs", 1e3, 1000), ("ms", 1e6, 1000), ("s", 1e9, 60), ("min", 60e9, 120),
    ]
    for unit in units {
        // A value that rounds up to the next unit is printed in that one: 1 s, not 1000 ms.
        let value = rounded(nanoseconds / unit.size)
        if abs(value) < unit.limit { return text(value, unit.name) }
    }
    return text(rounded(nanoseconds / 3_600e9), "h")
}

private func rounded(_ value: Double) -> Double {
    // A digit less from where rounding comes to one more: 9.995 is printed as 10.
    let scale: Double = abs(value) >= 99.95 ? 1 : abs(value) >= 9.995 ? 10 : 100
    return (value * scale).rounded() / scale
}

private func text(_ value: Double, _ unit: String) -> String {
    let number = value == value.rounded() ? String(Int64(value)) : String(value)
    return "\(number) \(unit)"
}

/// The name the user most likely meant by `text`, or nil when none is near.
///
/// Near is an optimal string alignment distance (letters changed, added, left out, or swapped with their neighbour),
/// letter case ignored, of at most a third of the text's length, at least 1 and at most 4. A name that has no letter in
/// common with the text is never near. Of equally near names the first wins.
///
/// - Complexity: O(names · length), and nothing for a text that is longer than any name should be.
package func nearestName(to text: String, in names: [String]) -> String? {
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
        // Only a nearer one takes its place: of equally near names the first stays.
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
        var current = [Int](repeating: tooFar, count: right.count + 1)
        current[0] = min(row + 1, tooFar)
        // Further than `limit` off the diagonal the distance is more than `limit`.
        for column in right.indices.clamped(to: (row - limit)..<(row + limit + 1)) {
            var cost = min(previous[column] + (left[row] == right[column] ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = min(cost, beforePrevious[column - 1] + 1)
            }
            current[column + 1] = min(cost, tooFar)
        }
        // The rows below are not nearer: a swap, which skips this row, costs as much as a change in it.
        if current.allSatisfy({ $0 == tooFar }) { return nil }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count] <= limit ? previous[right.count] : nil
}
