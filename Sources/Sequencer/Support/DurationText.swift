/// `1.25 s`, `400 ms`, `80 µs`: three digits at the most, for sentences.
package func durationText(_ duration: Duration) -> String {
    if duration == .zero { return "0 ms" }
    let nanoseconds = Double(duration.nanoseconds)
    let units: [(name: String, size: Double, limit: Double)] = [("ns", 1, 1000), ("µs", 1e3, 1000), ("ms", 1e6, 1000), ("s", 1e9, 60)]
    for unit in units {
        // What rounds up to the next unit is said in that one: 1 s, not 1000 ms.
        let value = rounded(nanoseconds / unit.size)
        if abs(value) < unit.limit { return text(value, unit.name) }
    }
    return text(rounded(nanoseconds / 60e9), "min")
}

private func rounded(_ value: Double) -> Double {
    let scale: Double = abs(value) >= 99.95 ? 1 : abs(value) >= 9.995 ? 10 : 100
    return (value * scale).rounded() / scale
}

private func text(_ value: Double, _ unit: String) -> String {
    let number = value == value.rounded() ? String(Int64(value)) : String(value)
    return "\(number) \(unit)"
}
