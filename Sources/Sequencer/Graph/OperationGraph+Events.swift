// Steps that wait for something outside of the graph.

extension OperationGraph {
    /// The beginning of the note that marks such a step in a report. The event's name and a quotation mark follow it.
    static let eventNote = "waits for the event '"

    /// Adds a step that waits for an event: it finishes with the event's value, and fails when the event fails.
    ///
    /// The wait begins when the step's dependencies have ended, and costs no lane and no thread. An event that has
    /// happened before ends it at once. It is a step as any other: its timeout, fallback and failure policy hold, it
    /// may be `interactive`, and the user's time does not count. When the launch is stopped, the wait ends; the event
    /// itself stays as it is, and other launches continue waiting for it.
    ///
    /// ```swift
    /// let answered = graph.wait(for: permission, .timeout(.seconds(20)), .onFailure(.continue))
    /// graph.add("start-analytics", after: answered) { analytics.start() }
    /// ```
    ///
    /// In virtual time only code that runs on the clock can bring the event about: time moves on without it to the
    /// step's timeout or the launch's deadline. Where nothing is left on the clock that could happen, the wait fails
    /// with an error that says so.
    ///
    /// - Parameters:
    ///   - event: the event. Any number of steps and launches can wait for it.
    ///   - id: the step's identifier; the event's name if nil.
    ///   - value: takes the place of the event's value when that does not come.
    @discardableResult
    public mutating func wait<Value: Sendable>(
        for event: ExternalEvent<Value>,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil
    ) -> Step<Value> {
        insertWait(for: event, id, options, after: dependencies, fallback: value)
    }

    /// Adds a step that waits until there is a value: see ``LatestValue/available``.
    @discardableResult
    public mutating func wait<Value: Sendable>(
        for latest: LatestValue<Value>,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil
    ) -> Step<Value> {
        insertWait(for: latest.available, id, options, after: dependencies, fallback: value)
    }

    private mutating func insertWait<Value: Sendable>(
        for event: ExternalEvent<Value>,
        _ id: String?,
        _ options: [StepOption],
        after dependencies: [any StepReference],
        fallback value: Value?
    ) -> Step<Value> {
        let note = StepOption { $0.notes.append("\(Self.eventNote)\(printable(event.name))'") }
        return insert(id ?? event.name, options + [note], after: dependencies, fallback: .of(value, nil), work: .event(event.storage))
    }

    /// From steps that wait for an event to the step that fulfils it. A wait with a timeout that does not fail the
    /// launch is left out: it may be in vain.
    var promisedEdges: [GraphEdge] {
        eventEdges.filter { edge in
            guard case .event(let event) = nodes[edge.node].work else { return false }
            let policy = nodes[edge.node].policy?.value
            let promises = nodes[edge.target].policy?.value.events.contains { $0.storage === event } == true
            return promises && (edge.needsValue || policy?.shortestTimeout == nil)
        }.map { GraphEdge(node: $0.node, target: $0.target) }
    }
}

extension StepOption {
    /// Lets the step bring an event about: with its value, or its fallback's, when it ends with one. When it ends
    /// without a value, for any reason, the event fails.
    ///
    /// So an abort, or the end of the launch, fails events that can no longer come: the code that awaits it elsewhere,
    /// and other launches of the process, get an error with the reason.
    ///
    /// ```swift
    /// graph.add("log-in", .fulfills(loggedIn)) { try await accounts.logIn() }   // an ExternalEvent<Session>
    /// ```
    ///
    /// The step must produce the event's type: ``OperationGraph/validated()`` checks that. Steps of the same graph
    /// depend on the step itself; one that it needs cannot wait for the event, unless it has a timeout and the launch
    /// continues without it. An event that was settled before stays as it is.
    public static func fulfills<Value: Sendable>(_ event: ExternalEvent<Value>) -> StepOption {
        StepOption { $0.events.append(PromisedEvent(storage: event.storage, type: Value.self)) }
    }

    /// Of a step that waits for an event: the steps, if the graph has them, whose code brings that about.
    package static func eventSources(_ ids: [String]) -> StepOption { StepOption { $0.eventSources += ids } }
}

extension ValidatedGraph {
    /// The event that an operation waits for; nil for one that does anything else.
    package func eventName(_ index: Int) -> String? {
        guard case .event(let event) = nodes[index].work else { return nil }
        return event.name
    }

    /// Whether an operation only waits for an event: it then never has a lane.
    func isEvent(_ index: Int) -> Bool {
        guard case .event = nodes[index].work else { return false }
        let policy = policy(index)
        return !policy.isConditional && policy.exclusive.isEmpty
    }
}
