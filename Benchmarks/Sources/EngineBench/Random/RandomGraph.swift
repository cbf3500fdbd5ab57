extension ShapeFamily {
    /// Each node after none to three of the fifty before it; the same graph every time.
    static let random = ShapeFamily("random", "each after up to three of the fifty before it") { count in
        var random = SplitMix64(seed: UInt64(count))
        return Shape("random", count: count) { node in
            let window = min(node, 50)
            if window == 0 { return [] }
            let chosen = (0..<random.index(below: 4)).map { _ in node - 1 - random.index(below: window) }
            return Set(chosen).sorted()
        }
    }
}
