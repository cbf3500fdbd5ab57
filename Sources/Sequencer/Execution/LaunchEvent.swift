/// Something that happened in a launch, for a live view.
///
/// Events come in the order in which they took effect: an operation's ready, started, retrying and ended events in that order, the launch's
/// end last. An operation that never starts (cancelled or skipped) only ends.
public struct LaunchEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The launch began.
        case launchStarted
        /// Every dependency of the operation has ended: it starts when there is a lane for it.
        case ready(String)
        /// An attempt of the operation started; the first is 1.
        case started(String, attempt: Int)
        /// An attempt failed, and there will be another after a pause.
        case retrying(String, attempt: Int)
        /// The operation ended.
        case ended(String, Outcome)
        /// Nothing starts any more: the launch failed, was cancelled or aborted, or met its deadline.
        case stopped
        /// The launch is over. The last event.
        case launchEnded
    }

    /// What happened.
    public let kind: Kind
    /// When, since the launch began.
    public let time: Duration

    /// An event of this kind at this time.
    public init(kind: Kind, time: Duration) {
        self.kind = kind
        self.time = time
    }
}

extension LaunchEvent {
    init(_ raw: LaunchStateMachine.RawEvent, in graph: ValidatedGraph, outcome: Outcome) {
        time = .nanoseconds(raw.time)
        func id() -> String { graph.id(raw.node) }
        kind =
            switch raw.kind {
            case .launchStarted: .launchStarted
            case .ready: .ready(id())
            case .started: .started(id(), attempt: raw.attempt)
            case .retrying: .retrying(id(), attempt: raw.attempt)
            case .ended: .ended(id(), outcome)
            case .stopped: .stopped
            case .launchEnded: .launchEnded
            }
    }
}
