extension ShapeFamily {
    /// Each node makes two others ready: parallelism doubles with each level.
    static let binaryTree = ShapeFamily("tree", "a binary tree, from its root") { count in
        Shape("tree", count: count) { $0 == 0 ? [] : [($0 - 1) / 2] }
    }
}
