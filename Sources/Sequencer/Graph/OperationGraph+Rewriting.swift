/// Queries and changes of a graph before it runs. The update policy and injected faults use these.
extension OperationGraph {
    /// The steps that only wait for an event from outside: they have no code that could end the process.
    package var eventSteps: Set<String> {
        Set(nodes.lazy.filter { if case .event = $0.work { true } else { false } }.map(\.id))
    }

    /// The steps that are the user's time from start to end: ``StepOption/interactive`` ones that do not say when they
    /// ask.
    package var personSteps: Set<String> { Set(nodes.lazy.filter { $0.policy?.value.isPersonsTime == true }.map(\.id)) }

    /// The step whose end stops the budget's clock, if one was marked.
    package var milestone: String? { nodes.first { $0.policy?.value.isMilestone == true }?.id }

    /// Calls `body` at the start of every attempt of a step, on the step's own thread, before anything of its work.
    ///
    /// An observer of events may hear of a start while the step runs already: events are told by one thread at a time.
    /// Steps of the main thread but for those of the prologue, steps without work and Foundation operations that exist
    /// already are not changed. `LaunchRecorder` is told when one of them begins before the observers have
    /// heard of it.
    package mutating func beforeEachAttempt(_ body: @escaping @Sendable (StepContext) -> Void) {
        for index in nodes.indices where !nodes[index].isMain || nodes[index].isInPrologue {
            nodes[index].work = nodes[index].work.preceded(by: body)
        }
    }

    /// Calls `body` before and after each step of the prologue, on the main thread: then with whether it has succeeded.
    package mutating func aroundPrologue(_ body: @escaping @Sendable (StepContext, _ hasSucceeded: Bool?) -> Void) {
        for index in nodes.indices {
            guard case .prologue(let work) = nodes[index].work else { continue }
            nodes[index].work = .prologue { context in
                body(context, nil)
                let result = Swift.Result { try work(context) }
                body(context, (try? result.get()) != nil)
                return try result.get()
            }
        }
    }

    /// Puts the work of a step into `wrapper`, which gets the step's context and the work, and runs it or does not.
    /// Dependencies and options stay.
    ///
    /// Where that is a step of the prologue, all of the prologue runs as other steps of the main thread do, in the same
    /// order: the wrapper may suspend.
    ///
    /// The work of an interactive step stays the user's time; the rest of the wrapper's time is not.
    ///
    /// - Throws: a ``GraphError`` when the graph has no such step.
    package mutating func wrapWork(of id: String, in wrapper: @escaping WorkWrapper) throws(GraphError) {
        let index = try position(of: id)
        var policy = nodes[index].policy?.value ?? .standard
        // It runs inside a closure from now on. Dependencies between it and other operations count as before.
        if let operation = nodes[index].operation { policy.operation = operation }
        let wait: PersonWait? = policy.isPersonsTime ? .work : nil
        // An interactive step shows no screen while it takes long, nor does its replacement.
        if policy.isPersonsTime { policy.slowScreen = nil }
        policy.saysWhenItAsks = true
        nodes[index].set(policy)
        let work = nodes[index].work
        if nodes[index].isMain {
            nodes[index].work = .main { context in
                try await wrapper(context) { try await context.wait(wait) { try await work.run(context) } }
            }
        } else {
            nodes[index].work = .asynchronous { context in
                try await wrapper(context) { try await context.wait(wait) { try await work.run(context) } }
            }
        }
    }

    /// Runs a step's work, as part of the step, and returns its value.
    package typealias WorkWrapper =
        nonisolated(nonsending) @Sendable (
            StepContext, _ work: nonisolated(nonsending) () async throws -> any Sendable
        ) async throws -> any Sendable

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
                setPolicy(of: index) { $0.exclusive.append(.turn) }
            }
        }
    }

    /// The same graph, with this timeout of steps that have none, but for those of the user; nil changes nothing.
    func limited(to timeout: Duration?) -> OperationGraph {
        guard let timeout else { return self }
        var graph = self
        for index in nodes.indices where nodes[index].hasWork {
            let policy = nodes[index].policy?.value ?? .standard
            if policy.timeout == nil, !policy.isInteractive { graph.setPolicy(of: index) { $0.timeout = timeout } }
        }
        return graph
    }

    // MARK: Mistakes that plans refuse as graphs do

    /// The mistake in an identifier, as the end of a sentence; nil for a good one.
    package static func complaint(aboutIdentifier id: String) -> String? {
        // Nearly all are plain: looked at in no other way.
        if 1...maximumIdentifierLength ~= id.utf8.count, id.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) { return nil }
        if id.isEmpty { return "is empty" }
        if id.utf8.count > maximumIdentifierLength { return "has \(id.utf8.count) bytes; the most is \(maximumIdentifierLength)" }
        if let (scalar, _) = judgedScalars(id).first(where: { !$0.isShown }) {
            return "holds a character that cannot be printed, \(scalar.escaped(asASCII: true))"
        }
        if id.first?.isWhitespace == true || id.last?.isWhitespace == true { return "begins or ends with white space" }
        return nil
    }
}
