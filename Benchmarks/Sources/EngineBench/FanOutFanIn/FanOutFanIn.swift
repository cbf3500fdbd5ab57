extension ShapeFamily {
    /// `0 → (1 ... n-2) → n-1`: everything becomes ready at once, and one waits for all of it.
    static let wide = ShapeFamily("wide", "one, then all but two at once, then one after all") { count in
        Shape("wide", count: count) { node in
            if node == 0 { return [] }
            return node < count - 1 ? [0] : Array(1..<node)
        }
    }
}
