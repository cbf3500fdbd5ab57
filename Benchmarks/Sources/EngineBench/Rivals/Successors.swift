/// What waits for each node: a shape's dependencies, the other way round, in two flat arrays.
struct Successors: Sendable {
    private let offsets: [Int32]
    private let targets: [Int32]

    init(of shape: Shape) {
        var offsets = [Int32](repeating: 0, count: shape.count + 1)
        for node in 0..<shape.count {
            for dependency in shape.dependencies(of: node) { offsets[Int(dependency) + 1] += 1 }
        }
        for node in 0..<shape.count { offsets[node + 1] += offsets[node] }
        var places = offsets
        targets = [Int32](unsafeUninitializedCapacity: shape.dependencyCount) { targets, count in
            for node in 0..<shape.count {
                for dependency in shape.dependencies(of: node) {
                    targets.initializeElement(at: Int(places[Int(dependency)]), to: Int32(node))
                    places[Int(dependency)] += 1
                }
            }
            count = shape.dependencyCount
        }
        self.offsets = offsets
    }

    @inline(__always)
    subscript(node: Int) -> ArraySlice<Int32> {
        targets[Int(offsets[node])..<Int(offsets[node + 1])]
    }
}
