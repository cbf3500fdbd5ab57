import Foundation

/// A logarithmic axis, in whole powers of ten.
struct PlotScale {
    /// The exponents of its ends.
    let (low, high): (Int, Int)
    /// The places of its ends, in pixels.
    private let (from, to): (Double, Double)

    init(of values: [Double], from: Double, to: Double) {
        let logarithms = values.filter { $0 > 0 }.map { log10($0) }
        low = Int((logarithms.min() ?? 0).rounded(.down))
        high = max(low + 1, Int((logarithms.max() ?? 1).rounded(.up)))
        (self.from, self.to) = (from, to)
    }

    /// Where a value is.
    func place(_ value: Double) -> Double {
        from + (to - from) * (log10(max(value, .leastNormalMagnitude)) - Double(low)) / Double(high - low)
    }

    /// The powers of ten on the axis.
    var ticks: [Double] { (low...high).map { pow(10, Double($0)) } }
}
