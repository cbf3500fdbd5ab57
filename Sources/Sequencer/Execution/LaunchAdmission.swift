import Foundation

/// Whether a launch may start beside another one, or after it: see ``LaunchOptions/admission``.
///
/// A launch that may not is refused with a ``GraphError`` of the code ``GraphProblem/Code/alreadyRunning`` or
/// ``GraphProblem/Code/alreadyLaunched``, which names the other one. Scopes of a launch are not asked.
public struct LaunchAdmission: NamedValue, Sendable, Hashable {
    package let name: String

    /// Any number of launches, also at once.
    public static let unlimited = Self(name: "unlimited")
    /// Allows a single launch at a time: of a graph and its copies, or to the main screen over one stored state.
    public static let oneAtATime = Self(name: "oneAtATime")
    /// Allows a single launch at a time, and none after a completed one. A launch that failed, was aborted or was
    /// cancelled can be tried again.
    public static let oncePerProcess = Self(name: "oncePerProcess")
}

/// The right of one launch to run, from its start to its end.
struct AdmittedLaunch: Sendable {
    private enum Key: Hashable {
        case graph(UInt32)
        case place(String)
    }

    /// The launches of this process, by the names of their graphs.
    private static let launches = Locked((running: [Key: String](), completed: [Key: String]()))

    private let graph: String
    /// Nil for a launch that keeps no other one from starting.
    private let key: Key?
    private let isRemembered: Bool
    private let recorder: (any LaunchRecorder)?

    /// - Throws: ``GraphError`` where another launch runs, or has completed.
    init(_ graph: OperationGraph, _ options: LaunchOptions, isScope: Bool) throws(GraphError) {
        self.graph = graph.name
        let admission = options.admission ?? (graph.place == nil ? .oneAtATime : .oncePerProcess)
        key = isScope || admission == .unlimited ? nil : graph.place.map(Key.place) ?? .graph(graph.tag)
        isRemembered = graph.place != nil || admission == .oncePerProcess
        recorder = options.recorder
        var refusal = take(admission, graph.place == nil ? "" : " over the same state")
        if refusal == nil {
            refusal = recorder?.take(graph.name, options.admission ?? .oncePerProcess)
            if refusal != nil { leave(hasCompleted: false) }
        }
        guard let refusal else { return }
        recorder?.withdraw()
        throw GraphError(graph: graph.name, problems: [refusal])
    }

    /// The launch is over.
    func end(_ outcome: LaunchReport.Outcome) {
        leave(hasCompleted: outcome == .completed)
        recorder?.giveBack(hasCompleted: outcome == .completed)
    }

    /// - Returns: why the launch must not start; nil when it may.
    private func take(_ admission: LaunchAdmission, _ place: String) -> GraphProblem? {
        guard let key else { return nil }
        return Self.launches.withLock { launches in
            let running = launches.running[key]
            if let first = running ?? (admission == .oncePerProcess ? launches.completed[key] : nil) {
                return .refusal(of: graph, for: "'\(printable(first))'", hasCompleted: running == nil, place)
            }
            launches.running[key] = graph
            return nil
        }
    }

    private func leave(hasCompleted: Bool) {
        guard let key else { return }
        Self.launches.withLock { launches in
            launches.running[key] = nil
            if hasCompleted, isRemembered { launches.completed[key] = graph }
        }
    }
}

extension GraphProblem {
    /// A launch is refused for another one.
    ///
    /// - Parameters:
    ///   - what: what does not happen.
    ///   - first: the other launch, as messages name it.
    ///   - place: the end of the sentence about it.
    package static func refusal(
        of graph: String,
        _ what: String = "is not started",
        for first: String,
        hasCompleted: Bool = false,
        _ place: String = ""
    ) -> GraphProblem {
        let (happened, advice) =
            hasCompleted ? ("has completed", "LaunchOptions.admission allows another one") : ("runs", "wait for its end, or cancel it")
        let message = "'\(printable(graph))' \(what), for the launch \(first) \(happened) in this process\(place); \(advice)"
        return GraphProblem(hasCompleted ? .alreadyLaunched : .alreadyRunning, message)
    }
}

/// A journal, with which one launch runs at a time: taken at its start, and given back when it is over.
package protocol LaunchRecorder: AnyObject, Sendable {
    /// Returns why the launch must not start; nil when it may.
    func take(_ graph: String, _ admission: LaunchAdmission) -> GraphProblem?
    /// Called once after each time that it was taken. It must not block.
    func giveBack(hasCompleted: Bool)
    /// The launch does not start, and it was not asked for.
    func withdraw()
    /// Makes the observer of the launch that has just taken it, which is told before all others; nil for none.
    ///
    /// Each launch has a separate observer, which tells its events from those of the next launch: an observer that
    /// blocks may keep them until that runs.
    func makeObserver() -> (@Sendable (LaunchEvent) -> Void)?

    /// Told of the start of an attempt that observers may not have heard of when it begins, because one of them blocks:
    /// a step of the main thread, and a Foundation operation that exists already. Called before it begins, never on the
    /// main thread: the journal has to know where a process died.
    func recordStart(of operation: String, attempt: Int)
    /// Told of each question of ``StepContext/waitForPerson(_:)``, before it is asked and when it has been answered, on
    /// the operation's own thread. Of an operation that is the user's time from its start to its end, it is told only
    /// when that time ends before the operation does, because a fallback is computed.
    func recordQuestion(of operation: String, isAnswered: Bool)
}

/// A launch's right to the Foundation operations of its graph: an operation runs once, so no two launches may have it
/// at the same time.
///
/// If launches that share operations begin at the same time, on any threads, the first one gets them and the others are
/// refused. The right ends with the launch: an operation that never ran may then run in another one.
struct OperationClaim: Sendable {
    // For the whole process: launches that share an operation know nothing of each other (O48).
    private static let claimed = Locked<Set<ObjectIdentifier>>([])

    private let operations: [Operation]

    /// - Parameter queue: the app's, if it has given one.
    /// - Throws: ``GraphError`` when one of the operations belongs to another launch, has been started by somebody
    ///     since the graph was checked, or is in a queue that can be looked into.
    init(_ graph: ValidatedGraph, queue: OperationQueue?) throws(GraphError) {
        let positions = graph.operationPositions.filter { graph.nodes[$0].operation != nil }
        operations = positions.compactMap { graph.nodes[$0].operation }
        var refused = Self.take(operations).map { ($0, "\($1); an Operation runs once, make a new one") }
        if refused.isEmpty, !operations.isEmpty {
            // An operation does not tell that it is in a queue: only these queues can be asked.
            let queues = [OperationQueue.main, .current, queue].compactMap(\.self)
            let queued = Set(queues.flatMap(\.operations).map { ObjectIdentifier($0) })
            let places = operations.indices.filter { queued.contains(ObjectIdentifier(operations[$0])) }
            refused = places.map { ($0, "is in a queue, and the launch starts it itself; do not add it to a queue") }
            if !refused.isEmpty { giveBack() }
        }
        let problems = refused.map { place, complaint in
            let id = printable(graph.id(positions[place]))
            return GraphProblem(.foreignOperation, positions: [positions[place]], "\(id): its Operation \(complaint)")
        }
        if !problems.isEmpty { throw GraphError(graph: graph.name, problems: problems) }
    }

    func giveBack() { Self.giveBack(operations) }

    /// Takes an operation that a step has made. No other object gets its number meanwhile: the launch keeps the
    /// operation until it gives it back.
    ///
    /// - Throws: an ``EngineError`` when the step has made it before, or somebody else has started it.
    static func claim(_ operation: Operation) throws {
        guard let (_, complaint) = take([operation]).first else { return }
        throw EngineError(description: "the Operation that was made \(complaint); an Operation runs once, make a new one each time")
    }

    static func giveBack(_ operations: [Operation]) {
        if operations.isEmpty { return }
        claimed.withLock { $0.subtract(operations.map { ObjectIdentifier($0) }) }
    }

    /// Takes all of them or none, under one lock: of launches that begin together, the first has all of them (O48).
    ///
    /// - Returns: those that cannot be had, by place, and why.
    private static func take(_ operations: [Operation]) -> [(place: Int, complaint: String)] {
        if operations.isEmpty { return [] }
        let taken = claimed.withLock { claimed in
            let taken = operations.indices.filter { claimed.contains(ObjectIdentifier(operations[$0])) }
            if taken.isEmpty { claimed.formUnion(operations.map { ObjectIdentifier($0) }) }
            return taken
        }
        if !taken.isEmpty { return taken.map { ($0, "belongs to a launch that is going on") } }
        // Another launch may have run it and given it back meanwhile.
        let started = operations.indices.filter { operations[$0].isExecuting || operations[$0].isFinished }
        if !started.isEmpty { giveBack(operations) }
        return started.map { ($0, operations[$0].isFinished ? "has finished already" : "runs already") }
    }
}
