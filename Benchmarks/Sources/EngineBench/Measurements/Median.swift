extension Collection where Element: BinaryFloatingPoint {
    /// The middle value, or the mean of the two in the middle; 0 of nothing.
    var median: Element {
        let sorted = self.sorted()
        if sorted.isEmpty { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The arithmetic mean; 0 of nothing.
    var mean: Element { isEmpty ? 0 : reduce(0, +) / Element(count) }
}
