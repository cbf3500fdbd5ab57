extension StepOption {
    /// Shows something while the step takes long, such as a loading screen: `show` begins when the step has taken
    /// `limit`, and is told to end when the step ends.
    ///
    /// ```swift
    /// graph.add("migrate", .ifSlower(than: .seconds(5), forAtLeast: .seconds(1)) { step in
    ///     screen.showLoading()
    ///     await step.ended()
    ///     screen.hideLoading()
    /// }) { try database.migrate() }
    /// ```
    ///
    /// A step that ends by then, also in the same moment, shows nothing. The time is the launch's: it begins with the
    /// step's first start, and covers its attempts, the pauses between them and the computing of its fallback, but not
    /// its wait for a thread. As for ``timeout(_:)``, it stands still while the user is waited for; an ``interactive``
    /// step shows nothing, nor does a fault that is injected into it. `show` runs once, in a task on the main actor
    /// that has the caller's task-local values. A step that keeps the main thread busy keeps it from beginning.
    ///
    /// Nothing in the graph waits for it: dependents start when the step has ended. The launch itself ends when it has
    /// returned, or after the grace period, counted from when it was told. A launch that is stopped (an abort, a
    /// failure, a cancel, the deadline) tells it at once, without regard to `minimum`.
    ///
    /// - Parameters:
    ///   - limit: more than 0 and at most 24 hours.
    ///   - minimum: for how long it is shown at least: it is told to end no sooner after its beginning. 0 to 24 hours.
    ///   - show: shows something, waits for ``SlowStep/ended()``, and takes it away.
    public static func ifSlower(
        than limit: Duration,
        forAtLeast minimum: Duration = .zero,
        show: @escaping @MainActor @Sendable (SlowStep) async -> Void
    ) -> StepOption {
        StepOption(single: "ifSlower") { $0.slowScreen = SlowScreen(limit: limit, minimum: minimum, show: show) }
    }
}

/// The screen of a slow step.
struct SlowScreen: Sendable {
    let limit: Duration
    let minimum: Duration
    let show: @MainActor @Sendable (SlowStep) async -> Void
}

/// A step that takes long, for the code that shows something meanwhile: see
/// ``StepOption/ifSlower(than:forAtLeast:show:)``.
public struct SlowStep: Sendable {
    /// The step's identifier.
    public let operation: String
    let wait: nonisolated(nonsending) @Sendable () async -> Void

    /// Waits until the screen must end: the step has ended and the screen was shown for long enough, or the launch was
    /// stopped. It ends as well when the closure that shows it has returned: wait in there.
    ///
    /// Any number of tasks may wait. It does not throw, and does not end with a task that is cancelled.
    nonisolated(nonsending) public func ended() async { await wait() }
}
