/// Measurements in order of size, and what they say of a typical one: medians, which one slow run cannot move, rather than means.
struct SortedSample: Equatable, Sendable {
    /// Ascending; never empty, and without a value that is no number.
    let values: [Double]

    /// - Returns: nil when there is no measurement, or one of them is no number.
    init?(_ values: some Sequence<Double>) {
        let sorted = values.sorted()
        guard !sorted.isEmpty, sorted.allSatisfy(\.isFinite) else { return nil }
        self.values = sorted
    }

    var count: Int { values.count }
    var minimum: Double { values[0] }
    var maximum: Double { values[values.count - 1] }
    var median: Double { percentile(50) }

    /// The value that `percent` of a hundred measurements do not exceed, with straight lines between neighbours: type 7 of Hyndman and Fan,
    /// "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996), as NumPy and R do unless told otherwise.
    ///
    /// - Parameter percent: from 0 to 100; anything else is taken for the nearer of the two.
    func percentile(_ percent: Double) -> Double {
        let rank = min(max(percent, 0), 100) / 100 * Double(values.count - 1)
        let lower = min(Int(rank), values.count - 1)
        let upper = min(lower + 1, values.count - 1)
        return values[lower] + (values[upper] - values[lower]) * (rank - Double(lower))
    }

    /// The median of the distances from the median: how far a typical measurement is off. Not scaled to a standard deviation.
    var medianAbsoluteDeviation: Double {
        let median = median
        return SortedSample(unchecked: values.map { abs($0 - median) }.sorted()).median
    }

    private init(unchecked sorted: [Double]) {
        values = sorted
    }
}

/// How far measurements are off, in units that make 3.5 the limit: the modified z-score of Iglewicz and Hoaglin, "How to Detect and Handle
/// Outliers", ASQC Basic References in Quality Control 16 (1993).
struct OutlierRule: Equatable, Sendable {
    /// What the authors recommend.
    static let limit = 3.5

    private let median: Double
    /// One unit; 0 when all measurements are the same.
    private let unit: Double

    init(_ sample: SortedSample) {
        let median = sample.median
        self.median = median
        let deviation = sample.medianAbsoluteDeviation
        if deviation > 0 {
            // The 0.75 quantile of the normal distribution makes the unit agree with a standard deviation.
            unit = deviation / 0.6745
        } else {
            // More than half of the measurements are the same. The mean distance, scaled likewise, stands in, or else every other value
            // would be an outlier, however near.
            let mean = sample.values.reduce(0) { $0 + abs($1 - median) } / Double(sample.count)
            unit = mean * 1.253314
        }
    }

    func score(_ value: Double) -> Double {
        unit > 0 ? (value - median) / unit : 0
    }

    func isOutlier(_ value: Double) -> Bool {
        abs(score(value)) > Self.limit
    }
}
