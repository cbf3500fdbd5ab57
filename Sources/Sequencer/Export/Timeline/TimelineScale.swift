/// From points in time to places on a drawing.
struct TimelineScale {
    /// The time at the right edge.
    let extent: Nanoseconds
    /// The place of zero.
    let origin: Double
    /// The width of the whole.
    let width: Double

    /// - Parameter extent: the last point in time that is to be seen; at least a nanosecond is.
    init(extent: Nanoseconds, origin: Double, width: Double) {
        self.extent = max(extent, 1)
        self.origin = origin
        self.width = width
    }

    /// The place of a point in time; those outside are at the edges.
    func place(_ time: Nanoseconds) -> Double {
        origin + width * min(max(Double(time) / Double(extent), 0), 1)
    }

    /// Round points in time, 4 to 10 of them besides zero: 1, 2 or 5 times a power of ten apart.
    var ticks: [Nanoseconds] {
        var step: Nanoseconds = 1
        for factor in sequence(first: Nanoseconds(1), next: { $0 > .max / 10 ? nil : $0 * 10 }) {
            for multiple in [1, 2, 5] as [Nanoseconds] where extent / step > 10 {
                step = factor.multipliedReportingOverflow(by: multiple).0
            }
            if extent / step <= 10 { break }
        }
        return (0...extent / step).map { $0 * step }
    }
}

/// A number of pixels, to a tenth.
func pixels(_ value: Double) -> String {
    let tenths = Int((min(max(value, -1e9), 1e9) * 10).rounded())
    let text = "\(tenths.magnitude / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths.magnitude % 10)")
    return tenths < 0 ? "-" + text : text
}
