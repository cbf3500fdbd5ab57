/// What is planned for one operation.
public struct PlannedOperation: Sendable, Hashable {
    /// The operation's identifier.
    public let id: String
    /// When it starts.
    public let start: Duration
    /// When it ends.
    public let end: Duration
    /// The lane it runs on, from 1; nil when it runs on the main thread, or only joins others.
    public let lane: Int?
    /// Whether it runs on the main thread.
    public let isMain: Bool
    /// Whether it waits for a person.
    public let isInteractive: Bool
    /// How much later it could end without making this plan longer, the order on each lane, on the main thread and at each resource being what it is.
    public let slack: Duration

    /// How long it takes.
    public var duration: Duration { end - start }

    /// Whether the plan gets longer when it ends later.
    public var isCritical: Bool { slack == .zero }
}
