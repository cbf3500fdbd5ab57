extension ShapeFamily {
    /// `0 → 1 → 2 → ...`: nothing can overlap; what is measured is the way from an end to the next start.
    static let chain = ShapeFamily("chain", "each after the one before") { count in
        Shape("chain", count: count) { $0 == 0 ? [] : [$0 - 1] }
    }
}
