/// The launch, as a running operation sees it: what it can ask of it and tell it.
///
/// A step's closure that takes one more parameter gets it first. It is valid for as long as it is kept; after the operation has ended,
/// telling it something has no effect.
public struct Launch: Sendable {
    let storage: LaunchStorage
    let assignment: LaunchStateMachine.Assignment

    /// The operation's identifier.
    public var operation: String { storage.graph.id(assignment.node) }

    /// The number of this attempt, from 1.
    public var attempt: Int { assignment.attempt }

    /// Stops the launch: no operation starts any more, those that run are told to cancel, and `takeover` starts at once on the main actor.
    ///
    /// The launch ends as aborted when what ran has ended, or after the grace period. The takeover does not wait for any of it, and has
    /// as long to return. The first stop decides: when the launch was stopped or over already, nothing happens.
    ///
    /// - Parameters:
    ///   - reason: what the report shows.
    ///   - takeover: what takes the launch's place, such as the update screen.
    /// - Returns: whether this call stopped the launch.
    @discardableResult
    public func abort(_ reason: AbortReason, takeover: (@MainActor @Sendable () async -> Void)? = nil) -> Bool {
        storage.abort(by: assignment.node, reason, takeover: takeover)
    }

    /// The most notes that are kept of an operation.
    static let mostNotes = 16

    /// Adds a sentence to the operation's report: what it used in place of what, or did that a person would not expect.
    ///
    /// ```swift
    /// launch.note("the last known configuration was used: \(error)")
    /// ```
    ///
    /// Reports are saved and shared: a note must hold no secret. Sixteen notes are kept of an operation, of 400 characters each; the same
    /// sentence is kept once. After the operation has ended, nothing happens.
    public func note(_ text: String) {
        storage.note(printable(text, limit: 400), by: assignment.node)
    }

    /// Waits for a person: while `body` runs, the operation's timeout stands still, and the time does not count against the budget.
    ///
    /// For operations that ask a person only when they have to; one that always does is marked ``StepOption/interactive``.
    ///
    /// ```swift
    /// let region = try await stored() ?? launch.waitForPerson { await menu.chooseRegion() }
    /// ```
    nonisolated(nonsending) public func waitForPerson<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        storage.personWaitBegan(assignment)
        defer { storage.personWaitEnded(assignment) }
        return try await body()
    }

    /// Says what the operation waits for while `body` runs, for ``Sequencer/status`` and ``LaunchOptions/stallWatch``.
    ///
    /// ```swift
    /// let policy = try await launch.waiting(for: "the version policy") { try await service.updatePolicy() }
    /// ```
    ///
    /// - Parameter what: completes "it waits for ..."; evaluated each time somebody asks, on any thread. It must hold no secret.
    nonisolated(nonsending) public func waiting<Result>(
        for what: @escaping @autoclosure @Sendable () -> String,
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        let outer = storage.waitBegan(assignment, what)
        defer { storage.waitEnded(assignment, outer) }
        return try await body()
    }

    /// Whether the operation has been told to cancel, by an abort, a cancellation, a failure elsewhere, or because its time is over.
    ///
    /// In an `async` step, `Task.isCancelled` says the same.
    public var isCancelled: Bool { storage.isToldToCancel(assignment) }

    /// Throws `CancellationError` when the operation has been told to cancel: for loops in steps that run straight through.
    public func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Suspends the operation for `duration` by the launch's clock, so that it takes no real time in virtual time.
    ///
    /// - Throws: `CancellationError` when the operation is told to cancel.
    nonisolated(nonsending) public func sleep(for duration: Duration) async throws {
        try await storage.timekeeper.sleep(for: min(max(duration, .zero), VirtualClock.never))
    }

    /// The time since the launch began, by its clock.
    public var elapsed: Duration { .nanoseconds(storage.timekeeper.now) }

    /// The time that is left to this operation: until its timeout or the launch's deadline, whichever comes first; nil without either.
    ///
    /// Give it to whatever the operation waits for, such as a request.
    public var remainingTime: Duration? { storage.remainingTime(of: assignment.node) }

    /// The value of a step this one depends on.
    @usableFromInline
    func value<Value>(of step: Step<Value>) throws -> Value {
        if let value = try storage.value(of: step) { return value }
        if let absent = step.absent { return absent }
        throw MissingValueError(step: step.id)
    }
}

/// A value that a dependency should have produced is not there. The engine skips such steps, so this is a defect if it is ever seen.
struct MissingValueError: Error, CustomStringConvertible {
    let step: String
    var description: String { "there is no value of '\(step)'" }
}
