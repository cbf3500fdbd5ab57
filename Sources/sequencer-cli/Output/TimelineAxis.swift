/// Time laid out over the columns of a terminal.
struct TimelineAxis: Equatable, Sendable {
    struct Tick: Equatable, Sendable {
        let column: Int
        let label: String
    }

    /// The time from the first column to the end of the last.
    let range: Duration
    let columns: Int

    init(range: Duration, columns: Int) {
        self.range = max(range, .zero)
        self.columns = max(columns, 1)
    }

    /// Where a time is, in columns and parts of them.
    func position(_ time: Duration) -> Double {
        if range == .zero { return 0 }
        return min(max(time / range * Double(columns), 0), Double(columns))
    }

    /// The column that shows a time.
    func column(_ time: Duration) -> Int { min(Int(position(time).rounded()), columns - 1) }

    /// Ticks at round times, as close as their labels allow.
    func ticks(_ style: TextStyle) -> [Tick] {
        if range == .zero { return [Tick(column: 0, label: "0")] }
        let unit = Unit(range)
        let units = range / unit.duration
        var magnitude = 1e-3
        while magnitude <= units {
            for factor in [1.0, 2, 5] {
                let ticks = ticks(every: factor * magnitude, of: unit, units: units, style)
                if areApart(ticks) { return ticks }
            }
            magnitude *= 10
        }
        return [Tick(column: 0, label: "0")]
    }

    private func ticks(every step: Double, of unit: Unit, units: Double, _ style: TextStyle) -> [Tick] {
        let count = Int((units / step + 1e-9).rounded(.down))
        // With more ticks than columns there is no need to look.
        guard count < columns else { return [] }
        return (0...count).map { number in
            let value = (Double(number) * step * 1000).rounded() / 1000
            let text = value == value.rounded() ? String(Int(value)) : String(value)
            let label = number == 0 ? "0" : "\(text) \(style.isUnicode ? unit.name : unit.asciiName)"
            return Tick(column: min(Int((value / units * Double(columns)).rounded()), columns - 1), label: label)
        }
    }

    /// Whether two columns are free after every label; one before the last, which is drawn further to the left where it has to be.
    private func areApart(_ ticks: [Tick]) -> Bool {
        guard !ticks.isEmpty else { return false }
        return zip(ticks, ticks.dropFirst()).allSatisfy { left, right in
            left.column + left.label.count + (right == ticks.last ? 1 : 2) <= right.column
        }
    }

    /// What labels count in.
    private struct Unit {
        let duration: Duration
        let name: String
        var asciiName: String { name == "µs" ? "us" : name }

        init(_ range: Duration) {
            (duration, name) =
                switch range {
                case .seconds(300)...: (.seconds(60), "min")
                case .seconds(1)...: (.seconds(1), "s")
                case .milliseconds(1)...: (.milliseconds(1), "ms")
                case .microseconds(1)...: (.microseconds(1), "µs")
                default: (.nanoseconds(1), "ns")
                }
        }
    }
}
