/// Which hosts asked to be left alone, and until when: decides, and does nothing.
struct ThrottledHosts {
    /// What a host asked for.
    struct Entry: Equatable {
        var until: ContinuousClock.Instant
        var status: Int
    }

    /// More hosts than an app talks to; of more, those that end first are forgotten.
    static let capacity = 64

    private var entries: [HTTPOrigin: Entry] = [:]

    /// The host asked for a pause. A later end replaces an earlier one.
    mutating func throttle(_ origin: HTTPOrigin, until: ContinuousClock.Instant, status: Int) {
        if let entry = entries[origin], entry.until >= until { return }
        if entries.count >= Self.capacity, entries[origin] == nil, let first = entries.min(by: { $0.value.until < $1.value.until })?.key {
            entries[first] = nil
        }
        entries[origin] = Entry(until: until, status: status)
    }

    /// What the host asked for, if that is not over.
    mutating func entry(for origin: HTTPOrigin, now: ContinuousClock.Instant) -> Entry? {
        guard let entry = entries[origin] else { return nil }
        if entry.until > now { return entry }
        entries[origin] = nil
        return nil
    }
}
