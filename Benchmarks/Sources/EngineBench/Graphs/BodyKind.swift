/// How a node's body is written.
enum BodyKind: String, Sendable, CaseIterable {
    /// A closure that runs straight through.
    case synchronous
    /// An `async` closure that never suspends.
    case async
    /// An `async` closure that suspends once (`Task.yield`).
    case suspending
    /// A `ConcurrentOperation` that finishes in `main()`.
    case operation
}
