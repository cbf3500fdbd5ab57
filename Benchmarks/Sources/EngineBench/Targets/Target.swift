/// What a figure must not exceed.
struct Target: Sendable {
    /// What is measured, in words.
    let name: String
    /// Where the figure is found.
    let metric: Metric.Key
    let limit: Double
    let unit: Unit

    /// How a figure is written.
    enum Unit: Sendable {
        /// Times something.
        case ratio
        /// Nanoseconds.
        case time
        case bytes
        /// A part of one, written as a percentage.
        case share

        func text(_ value: Double) -> String {
            switch self {
            case .ratio: Figures.number(value)
            case .time: Figures.duration(value)
            case .bytes: Figures.bytes(value)
            case .share: "\(Figures.number(value * 100)) %"
            }
        }
    }
}

/// A figure that was measured, and where it comes from.
struct Metric: Sendable {
    /// The name of a figure, such as `ratio/GCD/1000`.
    typealias Key = String

    let key: Key
    let value: Double
    /// Which case it was: the worst shape, how many runs.
    let detail: String
    /// Whether the machine was too busy for the figure to say anything.
    let isDoubtful: Bool

    init(_ key: Key, _ value: Double, _ detail: String = "", isDoubtful: Bool = false) {
        (self.key, self.value, self.detail, self.isDoubtful) = (key, value, detail, isDoubtful)
    }
}
