extension Workload {
    /// The body of a node that is `async` and never suspends.
    @inline(never)
    func performAsync(_ node: Int) async {
        perform(node)
    }

    /// The body of a node that gives its thread back once.
    @inline(never)
    func performSuspending(_ node: Int) async {
        await Task.yield()
        perform(node)
    }
}
