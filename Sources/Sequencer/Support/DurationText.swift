/// `1.25 s`, `400 ms`, `80 µs`: three digits at the most, for sentences.
package func durationText(_ duration: Duration) -> String {
    if duration == .zero { return "0 ms" }
    let nanoseconds = Double(duration.nanoseconds)
    let (value, unit) =
        switch abs(nanoseconds) {
        case 60e9...: (nanoseconds / 60e9, "min")
        case 1e9...: (nanoseconds / 1e9, "s")
        case 1e6...: (nanoseconds / 1e6, "ms")
        case 1e3...: (nanoseconds / 1e3, "µs")
        default: (nanoseconds, "ns")
        }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    let scale = [1.0, 10, 100][digits]
    let rounded = (value * scale).rounded() / scale
    let text = rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
    return "\(text) \(unit)"
}
