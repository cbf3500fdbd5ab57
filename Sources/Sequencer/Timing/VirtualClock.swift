import Dispatch
import Foundation

/// A clock whose time moves only when everything waits for it: launches of any length run in an instant, and the same way each time.
///
/// Give one to a launch, and its waits (``Launch/sleep(for:)``, timeouts, pauses before retries, the deadline) take no real time:
///
/// ```swift
/// let report = try await Sequencer(graph, options: LaunchOptions(clock: VirtualClock())).run()
/// #expect(report.makespan == .milliseconds(1330))
/// ```
///
/// Such a launch runs on one serial queue, so that what happens at one moment happens in one order. Time moves when every running
/// operation waits on this clock. One that waits for something else (a callback, another thread) holds time still for as long as something
/// goes on, and then for ``patience`` of real time; after that time moves on without it, so that an operation that never ends meets its
/// timeout here too. Code that takes no real time to speak of is free: only waiting on the clock counts.
public final class VirtualClock: Clock, Sendable {
    /// A point in virtual time.
    public struct Instant: InstantProtocol, Hashable {
        let offset: Duration

        /// The instant `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders instants in time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper: Comparable {
        let wake: Duration
        let id: Int

        static func < (left: Sleeper, right: Sleeper) -> Bool {
            (left.wake, left.id) < (right.wake, right.id)
        }
    }

    private struct State {
        var now = Duration.zero
        var nextID = 0
        var sleepers = Heap<Sleeper>()
        /// By identifier; a sleeper without one was cancelled.
        var continuations: [Int: CheckedContinuation<Void, any Error>] = [:]
        var onSleep: [Int: @Sendable () -> Void] = [:]

        /// The next sleeper that still sleeps.
        mutating func nextSleeper() -> Sleeper? {
            while let first = sleepers.first, continuations[first.id] == nil { _ = sleepers.pop() }
            return sleepers.first
        }
    }

    /// How long, in real time, an operation that waits for something else than this clock holds time still.
    public let patience: Duration
    private let state = Locked(State())

    /// A clock that stands at zero.
    public init(patience: Duration = .seconds(1)) {
        self.patience = patience
    }

    /// The time now.
    public var now: Instant { state.withLock { Instant(offset: $0.now) } }

    /// The smallest step: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until `deadline`. Throws `CancellationError` when the task is cancelled.
    nonisolated(nonsending) public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let listeners: [@Sendable () -> Void]? = state.withLock { state in
                    guard deadline.offset > state.now else { return nil }
                    state.sleepers.push(Sleeper(wake: deadline.offset, id: id))
                    state.continuations[id] = continuation
                    return Array(state.onSleep.values)
                }
                guard let listeners else { return continuation.resume() }
                // A cancellation that came before the continuation was there found nothing to resume.
                if Task.isCancelled { cancelSleeper(id) }
                for listener in listeners { listener() }
            }
        } onCancel: {
            cancelSleeper(id)
        }
    }

    private func cancelSleeper(_ id: Int) {
        state.withLock { $0.continuations.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }

    /// Moves time on by hand, waking everyone on the way in order: for code that waits on this clock outside a launch.
    public func advance(by duration: Duration) {
        let end = now.offset + max(duration, .zero)
        while wakeNext(until: end) {}
        move(to: end)
    }

    // MARK: For the launch that runs on this clock

    /// Waits that reach this far are waits for ever: time does not move for them. 100 years.
    static let never = Duration.seconds(3_155_760_000)

    /// How many tasks wait on this clock.
    var sleeping: Int { state.withLock { $0.continuations.count } }

    /// When the next of them wakes.
    var nextWake: Duration? { state.withLock { $0.nextSleeper()?.wake } }

    /// Moves time to the next sleeper and wakes it, if that is not after `end`.
    func wakeNext(until end: Duration) -> Bool {
        let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard let sleeper = state.nextSleeper(), sleeper.wake <= end else { return nil }
            _ = state.sleepers.pop()
            state.now = max(state.now, sleeper.wake)
            return state.continuations.removeValue(forKey: sleeper.id)
        }
        continuation?.resume()
        return continuation != nil
    }

    func move(to time: Duration) {
        state.withLock { $0.now = max($0.now, time) }
    }

    /// Calls `listener` whenever someone begins to wait; returns a key to end that.
    func listen(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.onSleep[state.nextID] = listener
            return state.nextID
        }
    }

    func endListening(_ key: Int) {
        state.withLock { _ = $0.onSleep.removeValue(forKey: key) }
    }
}
