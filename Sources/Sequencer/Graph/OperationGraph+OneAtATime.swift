extension OperationGraph {
    /// Lets one operation run at a time, those on lanes and those of the main thread together: each holds one resource
    /// more.
    ///
    /// A step that waits for a signal of another one then waits until its timeout.
    package mutating func runOneAtATime() {
        for index in nodes.indices {
            // Steps that only join others, or wait for an event, run nothing; those of the prologue run within the
            // start.
            switch nodes[index].work {
            case .nothing, .event, .prologue: break
            case .operation, .synchronous, .asynchronous, .main, .makeOperation:
                setPolicy(of: index) { $0.exclusive.append("one operation at a time") }
            }
        }
    }
}
