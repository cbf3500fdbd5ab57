extension ShapeFamily {
    /// Layers as wide as there are layers, at most 100 wide; each node after two of the layer before: its own place and the next one.
    static let layered = ShapeFamily("layered", "layers, each node after two of the layer before") { count in
        let width = min(100, max(2, Int(Double(count).squareRoot())))
        return Shape("layered", count: count) { node in
            let layer = node / width
            if layer == 0 { return [] }
            let before = (layer - 1) * width
            return [before + node % width, before + (node + 1) % width]
        }
    }
}
