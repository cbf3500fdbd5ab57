/// The latest moment for an end: an operation hands it to its requests, a request to its retries.
///
/// A deadline counts the time in which the machine is awake, as a launch does: after an hour of sleep, not everything
/// is over at once.
///
/// ```swift
/// let profile = try await client.get("profile", deadline: launch.deadline)
/// ```
public struct Deadline: Sendable, Hashable {
    /// The moment; nil for ``never``.
    let instant: SuspendingClock.Instant?

    private init(instant: SuspendingClock.Instant?) {
        self.instant = instant
    }

    /// No deadline.
    public static let never = Deadline(instant: nil)

    /// `duration` from now; never if that is longer than a year.
    public static func after(_ duration: Duration) -> Deadline {
        // A year and more is for ever: sums of instants must not overflow.
        if duration > .seconds(366 * 86_400) { return .never }
        return Deadline(instant: SuspendingClock().now + max(duration, .zero))
    }

    /// The time that is left, never less than zero; nil for ``never``.
    public var remaining: Duration? {
        instant.map { max($0 - SuspendingClock().now, .zero) }
    }

    /// Whether the deadline has passed.
    public var isOver: Bool { remaining == .zero }

    /// The sooner of this deadline and one `duration` from now.
    package func limited(to duration: Duration) -> Deadline {
        guard let remaining else { return .after(duration) }
        return duration < remaining ? .after(duration) : self
    }
}
