// Something that is held while some steps run.

extension OperationGraph {
    /// Adds a step that takes something, such as a background assertion or a lock, before the first of these steps
    /// starts; when the last one of them has ended, in any way, it is released.
    ///
    /// ```swift
    /// let migrate = graph.add("migrate") { try database.migrate() }
    /// let upload = graph.add("upload", after: migrate) { try await api.upload() }
    /// try graph.hold("background-time", .onFailure(.continue), over: migrate, upload) {
    ///     try BackgroundTime.begin()
    /// } release: { time in
    ///     time.end()
    /// }
    /// ```
    ///
    /// It is a step as others are, and these steps wait for it; where it fails, its failure policy counts. The value
    /// that `take` has returned is released once: when all the steps have ended, each in any way. So a failure, an
    /// abort, a cancel, a timeout or the launch's deadline releases it as well, as soon as the steps that ran have
    /// ended or were left behind. Of several values whose steps end together, the last taken is released first: a pool
    /// before its database. If `take` returns only after that, its value is released at once. Nothing is released that
    /// was not taken.
    ///
    /// Its exclusive resources are held as long, where it succeeds: with ``limit(_:to:)``, no more than so many chains of
    /// steps are begun at a time. These steps, and others between them, must not need the resource themselves.
    ///
    /// ```swift
    /// graph.limit("images", to: 4)
    /// try graph.hold("place-\(number)", .exclusive("images"), over: download, decode) {} release: { _ in }
    /// ```
    ///
    /// `release` is code of the app, for which the launch does not wait: it is called once for each launch of the
    /// graph, outside every lock, on a thread of its own in real time, and in virtual time at that moment. The end of
    /// the process calls nobody.
    ///
    /// - Parameters:
    ///   - id: the step's identifier.
    ///   - steps: those that it is held for. They are in the graph already.
    ///   - take: takes it. With ``StepOption/retry(attempts:timeout:backoff:multiplier:maximumBackoff:jitter:unless:)``, each attempt
    ///       that throws must have taken nothing.
    ///   - release: releases what `take` has returned. It must not block for long.
    /// - Returns: the step; its value is the one that `take` has returned.
    /// - Throws: a ``GraphError`` when one of the steps is not in the graph; the graph is as before.
    @discardableResult
    public mutating func hold<Held: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        over steps: any StepReference...,
        take: @escaping @Sendable () async throws -> Held,
        release: @escaping @Sendable (Held) -> Void
    ) throws(GraphError) -> Step<Held> {
        var list = DependencyList()
        for step in steps { step.add(to: &list) }
        var range: [Int] = []
        // Before anything is added: after an error the graph is as it was.
        for edge in list.edges { range.append(try position(of: edge.dependency.id)) }

        // Its type is known only here: a graph may hold things of many types.
        let held = HeldRange { value in
            if let value = value as? Held { release(value) }
        }
        let work = StepWork.asynchronous { step in
            let value = try await take()
            // Not at the step's end: one that was left behind has none that counts.
            step.host.took(value, for: held)
            return value
        }
        let options = options + [StepOption { $0.taking = held }]
        let taking: Step<Held> = insert(id, options, after: dependencies, fallback: nil, work: work)
        for step in steps { addDependency(taking, to: step) }
        // A step may be named twice, and holds it once.
        for index in Set(range) { nodes[index].hold(held) }
        return taking
    }
}

/// Something that is held while some steps run. Which steps these are, they say themselves: steps can be taken out of a
/// graph.
final class HeldRange: Sendable {
    let release: @Sendable (any Sendable) -> Void

    init(release: @escaping @Sendable (any Sendable) -> Void) { self.release = release }
}
