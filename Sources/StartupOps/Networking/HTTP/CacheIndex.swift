/// What is in a cache, and what has to go to make room: decides, and does nothing.
struct CacheIndex: Codable, Sendable, Equatable {
    struct Entry: Codable, Sendable, Equatable {
        var name: String
        var size: Int
    }

    /// The entries, the one that was not used for longest first.
    private(set) var entries: [Entry] = []

    /// The sum of all sizes.
    var size: Int { entries.reduce(0) { $0.addingSaturated($1.size) } }

    /// These have been used, in this order.
    mutating func touch(_ names: [String]) {
        for name in names {
            guard let index = entries.firstIndex(where: { $0.name == name }) else { continue }
            entries.append(entries.remove(at: index))
        }
    }

    /// Adds an entry, or gives it another size, as the one that was used last.
    mutating func insert(_ name: String, size: Int) {
        entries.removeAll { $0.name == name }
        entries.append(Entry(name: name, size: size))
    }

    /// Removes an entry.
    mutating func remove(_ name: String) {
        entries.removeAll { $0.name == name }
    }

    /// What has to go so that the rest keeps within the limits; it is still in the index.
    func surplus(maximumCount: Int, maximumSize: Int) -> [String] {
        var (count, size) = (entries.count, size)
        var names: [String] = []
        for entry in entries where count > maximumCount || size > maximumSize {
            names.append(entry.name)
            count -= 1
            size -= entry.size
        }
        return names
    }
}

extension Int {
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
