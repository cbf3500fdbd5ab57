import Sequencer

/// The moment by which something has to have ended: given on from an operation to its requests, and from a request to its retries.
///
/// A deadline counts the time in which the machine is awake, as a launch does: after an hour of sleep, not everything is over at once.
///
/// ```swift
/// let profile = try await client.get("profile", deadline: launch.deadline)
/// ```
public struct Deadline: Sendable, Hashable {
    /// The moment; nil when there is none.
    public let instant: SuspendingClock.Instant?

    private init(instant: SuspendingClock.Instant?) {
        self.instant = instant
    }

    /// No deadline.
    public static let never = Deadline(instant: nil)

    /// `duration` from now; what is longer than a year is no deadline.
    public static func after(_ duration: Duration) -> Deadline {
        if duration > .seconds(366 * 86_400) { return .never }
        return Deadline(instant: SuspendingClock().now + max(duration, .zero))
    }

    /// The time that is left, never less than zero; nil when there is no deadline.
    public var remaining: Duration? {
        instant.map { max($0 - SuspendingClock().now, .zero) }
    }

    /// Whether the moment has come.
    public var isOver: Bool { remaining == .zero }

    /// The sooner of this deadline and one `duration` from now.
    public func limited(to duration: Duration) -> Deadline {
        guard let remaining else { return .after(duration) }
        return duration < remaining ? .after(duration) : self
    }
}

extension Launch {
    /// When this operation has to have ended: at its timeout or at the launch's deadline, whichever comes first.
    public var deadline: Deadline { remainingTime.map { .after($0) } ?? .never }
}
