import Foundation

/// The launch, as a running operation sees it: its questions to the launch, and its news for it.
///
/// A step's closure that takes a parameter gets it; one that reads values names it among these, as ``Step/context``. It
/// is valid for as long as it is kept; after the operation has ended, or after its attempt has, telling it something
/// has no effect.
@dynamicMemberLookup
public struct StepContext: Sendable {
    let host: any StepHost
    let assignment: StepAssignment

    /// The operation's identifier.
    public var operation: String { host.graph.id(assignment.node) }

    /// The number of this attempt, from 1.
    public var attempt: Int { assignment.attempt }

    /// Stops the launch: no operation starts any more, all others that run are told to cancel, and `takeover` starts at
    /// once on the main actor. This step is to return soon.
    ///
    /// The launch ends as aborted (after its milestone: the rest of it does, see ``LaunchReport/afterMilestone``) when
    /// its running operations have ended, or after the grace period. The takeover does not wait for any of it, and has
    /// as long to return. The first stop decides: when the launch was stopped or over already, nothing happens. Nor
    /// does anything when the operation has ended, by its timeout for instance, or the attempt that this was given to:
    /// that is reported as an ``Anomaly``.
    ///
    /// - Parameters:
    ///   - reason: what the report shows.
    ///   - takeover: what takes the launch's place, such as the update screen.
    /// - Returns: whether this call stopped the launch.
    @discardableResult
    public func abort(_ reason: AbortReason, takeover: (@MainActor @Sendable () async -> Void)? = nil) -> Bool {
        host.abort(by: assignment, reason, takeover: takeover, alsoLate: false)
    }

    /// Stops the launch as ``abort(_:takeover:)`` does, and ends the step: for one that has no value to return then.
    ///
    /// ```swift
    /// let account = graph.add("restore-account") { launch in
    ///     guard let account = try keychain.account() else { try launch.abortAndThrow("locked") { await screen.showLocked() } }
    ///     return account
    /// }
    /// ```
    ///
    /// The step ends as cancelled, also when the launch was stopped already.
    ///
    /// - Throws: `CancellationError`, always.
    public func abortAndThrow(
        _ reason: AbortReason,
        takeover: (@MainActor @Sendable () async -> Void)? = nil
    ) throws(CancellationError) -> Never {
        abort(reason, takeover: takeover)
        throw CancellationError()
    }

    /// The most notes that are kept of an operation.
    static let maximumNotes = 16

    /// Adds a sentence to the operation's report, for instance that it used a cached value in place of the server's.
    ///
    /// ```swift
    /// launch.note("the last known configuration was used: \(error)")
    /// ```
    ///
    /// Reports are saved and shared: a note must hold no secret. Sixteen notes are kept of an operation, of 400
    /// characters each; the same sentence is kept once. After the operation has ended, nothing happens.
    public func note(_ text: String) {
        // Often the words of a server: reports are shown on terminals, which obey some characters, and the text may be
        // endless.
        host.note(printable(text, limit: 400), by: assignment)
    }

    /// Waits for the user: while `body` runs, the operation's timeout stands still, and the time does not count against
    /// the budget.
    ///
    /// For operations that ask the user only when they have to; one that always does is marked
    /// ``StepOption/interactive``.
    ///
    /// ```swift
    /// let region = try await stored() ?? launch.waitForPerson { await menu.chooseRegion() }
    /// ```
    ///
    /// - Throws: `CancellationError`, without a call of `body`, when the operation was told to cancel or has ended:
    ///   after an abort the screen is the takeover's, also for work that takes no notice of its cancellation. Otherwise
    ///   what `body` throws.
    nonisolated(nonsending) public func waitForPerson<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try checkCancellation()
        return try await wait(.question, body)
    }

    nonisolated(nonsending) func wait<Result>(
        _ wait: PersonWait?,
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        guard let wait else { return try await body() }
        host.personWait(assignment, wait, begins: true)
        // Also after an error, or all that follows would be the user's time.
        defer { host.personWait(assignment, wait, begins: false) }
        return try await body()
    }

    /// Says what the operation waits for while `body` runs, for ``RunningLaunch/status`` and
    /// ``LaunchOptions/stallWatch``.
    ///
    /// ```swift
    /// let policy = try await launch.waiting(for: "the version policy") { try await service.updatePolicy() }
    /// ```
    ///
    /// - Parameter what: completes "it waits for ..."; evaluated each time somebody asks, on any thread. It must hold
    ///     no secret.
    nonisolated(nonsending) public func waiting<Result>(
        for what: @escaping @autoclosure @Sendable () -> String,
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        let outer = host.keep(ToldWait(since: host.now, what: what), for: assignment)
        // A wait may be within another one, which counts again after it.
        defer { _ = host.keep(outer, for: assignment) }
        return try await body()
    }

    /// Whether the operation has been told to cancel, by an abort, a cancellation, a failure elsewhere, or because its
    /// time, or that of the attempt, is over.
    ///
    /// In an `async` step, `Task.isCancelled` says the same.
    public var isCancelled: Bool { host.isToldToCancel(assignment) }

    /// Throws `CancellationError` when the operation has been told to cancel: for loops in steps that run straight
    /// through.
    public func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Suspends the operation for `duration` by the launch's clock, so that it takes no real time in virtual time.
    ///
    /// - Throws: `CancellationError` when the operation is told to cancel.
    nonisolated(nonsending) public func sleep(for duration: Duration) async throws {
        try await host.sleep(for: duration, by: assignment, keepsThread: false)
    }

    /// Takes `duration` of virtual time as code does that computes: on the main thread, no other step has it meanwhile.
    ///
    /// It takes the place of code that virtual time cannot see, which would take no time at all.
    nonisolated(nonsending) package func compute(for duration: Duration) async throws {
        try await host.sleep(for: duration, by: assignment, keepsThread: true)
    }

    /// The steps with work that may begin before this one has ended, and those it waits for; without those of the
    /// prologue.
    package var withoutSuccessors: [String] {
        let (graph, node) = (host.graph, assignment.node)
        let later = graph.successors.reachable(from: node).union([node])
        let others = (0..<graph.count).filter { !later.contains($0) && !graph.isInPrologue($0) }
        return others.filter(graph.hasWork).map(graph.id)
    }

    /// The time since the launch began, by its clock.
    package var elapsed: Duration { .nanoseconds(host.now) }

    /// The time that is left to this operation: until its timeout, that of the attempt, or the launch's deadline, the
    /// earliest of them; nil without any.
    ///
    /// Give it to a request or anything else that the operation waits for.
    public var remainingTime: Duration? { host.remainingTime(of: assignment.node) }

    /// The value of a step that this one waits for, by `using:`, `after:` or a condition: for a fallback's closure.
    ///
    /// ```swift
    /// graph.add("fetch-config", using: cache) { cache in try await api.configuration(after: cache.version) } fallback: { step, _ in
    ///     step.value(of: cache)?.configuration ?? .bundled
    /// }
    /// ```
    ///
    /// Nil where that step has left no value. Nil, too, for a step that this one does not wait for: the report has a
    /// note of that.
    public func value<Value>(of step: Step<Value>) -> Value? {
        step.graph == noGraph ? self as? Value : host.value(of: step, for: assignment)
    }

    /// The value of a step that this one reads.
    @usableFromInline
    func input<Value>(_ step: Step<Value>) throws -> Value {
        if step.graph == noGraph, let context = self as? Value { return context }
        if let value = try host.value(of: step) { return value }
        if let absent = step.absent { return absent }
        throw Self.missingValue(of: step.id)
    }

    /// A value that a dependency should have produced is not there. The engine skips such steps, so this is a defect if
    /// it is ever seen.
    static func missingValue(of step: String) -> EngineError { EngineError(description: "there is no value of '\(step)'") }
}

/// Why a launch was stopped on purpose.
public struct AbortReason: NamedLiteral, ExpressibleByStringInterpolation, Sendable, Hashable {
    /// As reports show it.
    package let name: String

    package init(_ name: String) { self.name = name }

    /// This version of the app may not be used any more.
    public static let forceUpdate: AbortReason = "force-update"
}

/// The right to run one attempt of an operation, handed out exactly once.
struct StepAssignment: Equatable, Sendable {
    enum Kind {
        /// Ask the condition first.
        case checkCondition
        case run
        case computeFallback
    }

    /// The position of the operation in its graph.
    let node: Int
    /// From 1.
    let attempt: Int
    let kind: Kind
}

/// The launch behind a ``StepContext``, which is made of a graph and knows more than one. Every call may come at any
/// time, from any thread, also after the assignment has ended.
protocol StepHost: AnyObject, Sendable {
    /// The time since the launch began, by its clock.
    var now: Nanoseconds { get }

    /// The graph that is launched.
    var graph: ValidatedGraph { get }

    /// Stops the launch in the name of the operation; one that has ended only stops it where `alsoLate` says so.
    func abort(
        by assignment: StepAssignment,
        _ reason: AbortReason,
        takeover: (@MainActor @Sendable () async -> Void)?,
        alsoLate: Bool
    ) -> Bool
    func note(_ text: String, by assignment: StepAssignment)
    /// A wait of the operation for the user begins, or has ended.
    func personWait(_ assignment: StepAssignment, _ wait: PersonWait, begins: Bool)
    /// - Returns: the wait that the operation told of before, which counts again after this one.
    func keep(_ wait: ToldWait?, for assignment: StepAssignment) -> ToldWait?
    func isToldToCancel(_ assignment: StepAssignment) -> Bool
    nonisolated(nonsending) func sleep(for duration: Duration, by assignment: StepAssignment, keepsThread: Bool) async throws
    func remainingTime(of node: Int) -> Duration?
    func value<Value>(of step: Step<Value>) throws -> Value?
    /// The value of a step that the operation waits for.
    func value<Value>(of step: Step<Value>, for assignment: StepAssignment) -> Value?
    /// An operation has taken something that is held while others run.
    func took(_ value: any Sendable, for range: HeldRange)
    /// Takes a Foundation operation that a step has made for this launch alone.
    func claim(_ operation: Operation) throws
    /// Runs a Foundation operation as the work of a step. Returns its result if it ends at once; otherwise calls
    /// `completion` once, later.
    func run(
        _ operation: Operation,
        by assignment: StepAssignment,
        completion: @escaping @Sendable (Result<any Sendable, any Error>) -> Void
    ) -> Result<any Sendable, any Error>?
}

/// Why an operation waits for the user.
enum PersonWait {
    /// It asks one.
    case question
    /// It will ask the user when another question has been answered.
    case turn
    /// It is an interactive operation's own work, without the wrappers around that.
    case work

    /// Whether the time does not count against the budget.
    var isAsked: Bool { self != .turn }
    /// Whether the operation's timeout stands still.
    var pausesTimeout: Bool { self != .work }
}

/// The wait that a running operation tells of.
struct ToldWait: Sendable {
    let since: Nanoseconds
    let what: @Sendable () -> String
}
