/// A kind of graph, in every size or in its own.
struct ShapeFamily: Sendable {
    /// The name, on the command line and in tables.
    let name: String
    /// What it looks like, in a few words.
    let summary: String
    /// The graphs for the sizes that were asked for.
    let shapes: @Sendable ([Int]) -> [Shape]

    /// A family that has a graph of each size.
    init(_ name: String, _ summary: String, _ make: @escaping @Sendable (Int) -> Shape) {
        self.init(name, summary) { sizes in sizes.map(make) }
    }

    /// A family whose graphs have the sizes they have.
    init(_ name: String, _ summary: String, shapes: @escaping @Sendable ([Int]) -> [Shape]) {
        self.name = name
        self.summary = summary
        self.shapes = shapes
    }

    /// All of them, in the order of tables.
    static let all: [ShapeFamily] = [.chain, .wide, .layered, .binaryTree, .random, .scenarios]
}
