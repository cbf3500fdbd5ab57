/// The state of a launch at one moment: every operation that has not ended, and the reason why it waits.
///
/// The answer to "why is the app stuck on its splash". Ask for it with ``RunningLaunch/status``, or have it reported
/// when nothing ends for a while with ``LaunchOptions/stallWatch``.
///
/// Its description has several lines: a headline with the launch or scope, a line for each operation that has not
/// ended, with the reason and the time, then the same of each scope that continues, named as in events.
public struct LaunchStatus: Sendable, Hashable, CustomStringConvertible {
    /// The reason why an operation has not ended.
    enum Wait: Sendable, Hashable {
        /// For these operations to end.
        case dependencies([String])
        /// For a lane: these operations have taken all there are.
        case lane(takenBy: [String])
        /// For a thread that starts operations: these operations block all there are. With none of them, none has been
        /// had yet, as when operations of the process block all the threads that the system gives it.
        case thread(blockedBy: [String])
        /// For the main thread, which has not come to it yet.
        case mainThread
        /// For ``LaunchOptions/queue``, which is suspended, or has started as many operations as it may.
        case operationQueue
        /// For an exclusive resource that another operation holds.
        case resource(ExclusiveResource, heldBy: String)
        /// For an operation that the milestone needs: that one is expected to want the main thread, the last lane or a
        /// resource before this one would end; or as many operations keep a thread as there are processors, which are
        /// left to the milestone.
        case milestone
        /// For its own ``StepOption/delay(_:)`` to be over.
        case delay
        /// For the answer to its own condition.
        case condition
        /// For the pause before another attempt to end.
        case retry
        /// For the user.
        case person
        /// For its own code, which runs; with the wait that the code has announced, if it has.
        case code(String?)

        /// The place in a status: first the operations that have started, then those that only the machine holds up.
        var rank: Int {
            switch self {
            case .code, .person, .condition, .retry: 0
            case .lane, .thread, .mainThread, .operationQueue, .resource, .milestone, .delay: 1
            case .dependencies: 2
            }
        }
    }

    /// An operation that has not ended.
    ///
    /// Its description is the reason, in one line without the identifier: `waits for login`, `waits for a person`.
    public struct Operation: Sendable, Hashable, CustomStringConvertible {
        /// Its identifier.
        public let id: String
        /// The reason why it has not ended.
        let wait: Wait
        /// Whether it has started; otherwise something outside of it holds it up.
        public var isRunning: Bool { wait.rank == 0 }
        /// The moment when this wait began, counted as ``LaunchStatus/time`` is: the wait has taken
        /// `status.time - operation.since`.
        public let since: Duration
        /// Whether it has been told to cancel, and has not ended yet.
        let isToldToCancel: Bool

        /// The value in words.
        public var description: String {
            switch wait {
            case .dependencies(let ids): "waits for \(Self.list(ids))"
            case .lane(let ids): "waits for a lane: all are taken, by \(Self.list(ids))"
            case .thread([]): "waits for a thread; if that lasts, operations of this process block all that it may have"
            case .thread(let ids): "waits for a thread: all are blocked, by \(Self.list(ids))"
            case .mainThread: "waits for the main thread, which is busy"
            case .operationQueue: "waits for the operation queue, which is suspended, or runs as many operations as it may"
            case .resource(let resource, let id): "waits for '\(printable(resource.name))', which \(printable(id)) holds"
            case .milestone: "waits so that it is not in the way of the milestone, or of the initial display"
            case .delay: "waits until its delay is over"
            case .condition: "is finding out whether it is to run"
            case .retry: "has failed, and pauses before it is tried again"
            case .person: "waits for a person"
            case .code(let what?): "waits for \(printable(what, limit: 400))"
            case .code(nil): "runs, and does not say what it waits for"
            }
        }

        // Thousands may hold what one waits for.
        private static func list(_ ids: [String]) -> String { listed(ids) { printable($0) } }
    }

    /// The graph's name.
    let scenario: String
    /// The scope that it is the state of, as events name it (``LaunchEvent/scope``); nil for a launch itself. Times
    /// count from the scope's start then.
    package let scope: String?
    /// The moment of this status, counted from the start of the launch or scope; once its operations have ended, the
    /// end of the last one.
    public let time: Duration
    /// The number of operations, ended or not.
    let operationCount: Int
    /// The operations that have not ended: first those that run, then those that only the machine holds up, then those
    /// that wait for others; each group in the order in which they were added.
    public let operations: [Operation]
    /// The states of its scopes that continue, in the order in which they were added. The launch ends with the last of
    /// them.
    let scopes: [LaunchStatus]

    /// The value in words.
    public var description: String {
        let name = scope.map { "scope \(printable($0))" } ?? printable(scenario)
        let lines = operations.map { operation in
            let cancel = operation.isToldToCancel ? ", though it has been told to cancel" : ""
            return "  \(printable(operation.id)) \(operation), for \(durationText(time - operation.since))\(cancel)"
        }
        let count = "\(operations.count) of \(operationCount) operations have not ended"
        let headline =
            operations.isEmpty
            ? "\(name): all \(operationCount) operations have ended" : "\(name) after \(durationText(time)): \(count)"
        return ([headline] + lines + scopes.map(\.description)).joined(separator: "\n")
    }
}

/// A report to make when a launch makes no progress, and how long to wait for that.
public struct StallWatch: Sendable {
    /// For how long no operation has ended, and no user has been waited for.
    let limit: Duration
    /// Called once each time that happens, on a separate thread, which works while every pool thread is blocked.
    /// Neither a timeout nor the end of the launch waits for it; the next call may come before it has returned.
    let report: @Sendable (LaunchStatus) -> Void

    /// Reports each time no operation has ended for `limit`, which is more than 0 and at most 24 hours.
    ///
    /// ```swift
    /// options.stallWatch = StallWatch(after: .seconds(5)) { logger.warning("\($0)") }
    /// ```
    public init(after limit: Duration, report: @escaping @Sendable (LaunchStatus) -> Void) {
        self.limit = limit
        self.report = report
    }

    /// A watch that calls `body` before it reports.
    package func preceded(by body: @escaping @Sendable (LaunchStatus) -> Void) -> StallWatch {
        StallWatch(after: limit) { [report] status in
            body(status)
            report(status)
        }
    }
}
