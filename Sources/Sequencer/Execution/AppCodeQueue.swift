import Dispatch
import Foundation

/// Calls code of the app that no launch waits for: cancel handlers, observers, reports of stalls, completion handlers,
/// deinitialisers.
///
/// The calls are made in order, by a runner, on a thread that is nobody else's. A call that has not returned after
/// ``patience`` keeps that thread, and those behind it continue elsewhere: on another thread, or, where no order is
/// asked for, on several at once, so that some calls that block delay the others together as long as one.
final class AppCodeQueue: Sendable {
    struct Call: Sendable {
        /// The number that ``AppCodeQueue/slow`` lists if the call is slow; nil if nobody asks.
        var tag: Int?
        let run: @Sendable () -> Void
    }

    private struct State: ~Copyable {
        /// A call that is being made is not among them: if it blocks, it must not keep its launch.
        var pending = FirstInFirstOut<Call>()
        /// The number of the runner that makes the calls; nil without a runner, or after one that does not return.
        var runner: Int?
        var runners = 0
        /// The call that the runner has begun last, by number from 1; 0 before its first.
        var begun = 0
        var tag: Int?

        /// A runner for the calls that wait; nil where none is needed.
        mutating func nextRunner() -> Int? {
            guard runner == nil, !pending.isEmpty else { return nil }
            // Numbered: one that was given up, and comes back, must not be taken for the one in its place.
            runners += 1
            (runner, begun) = (runners, 0)
            return runner
        }

        mutating func nextCall(for runner: Int) -> Call? {
            guard self.runner == runner else { return nil }
            let call = pending.popFirst()
            if let call { (begun, tag) = (begun + 1, call.tag) } else { self.runner = nil }
            return call
        }
    }

    // Fault L23 promises it: no start on the main thread waits longer for an observer.
    static let patience: Nanoseconds = 50_000_000
    /// A call that has returned after less than this was not slow: on a busy machine its thread may have had to wait.
    private static let forgiven: Nanoseconds = 500_000_000
    /// How many threads make the calls behind one that has not returned, where no order is asked for.
    private static let width = 16
    private static let watches = DispatchQueue(label: "sequencer.app-code.watch", qos: .userInteractive)

    private let isOrdered: Bool
    private let state = Locked(State())
    private let slowTags: Locked<[Int]>

    /// - Parameter slowTags: of the queue that answers for the calls, if that is another one.
    init(isOrdered: Bool = true, slowTags: Locked<[Int]> = Locked([])) {
        self.isOrdered = isOrdered
        self.slowTags = slowTags
    }

    /// The tags of calls that have not returned within ``patience``, but for those that have soon after.
    var slow: [Int] { slowTags.withLock { $0 } }

    func add(_ call: @escaping @Sendable () -> Void) { add([Call(run: call)]) }

    func add(_ calls: [Call]) {
        let runner = state.withLock { state in
            for call in calls { state.pending.append(call) }
            return state.nextRunner()
        }
        if let runner { start(runner) }
    }

    /// Calls `body` with `object` after some real time, if the object still exists and the call is still needed. It
    /// must not block.
    static func after<Object: AnyObject & Sendable>(
        _ delay: Nanoseconds,
        _ object: Object,
        unless isDone: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable (Object) -> Void
    ) {
        watches.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak object] in
            if isDone() { return }
            let kept = Locked(object)
            if let object = kept.withLock({ $0 }) { body(object) }
            // This may be the last reference, which frees objects of the app: elsewhere.
            DispatchQueue.global().async { kept.withLock { $0 = nil } }
        }
    }

    private func start(_ runner: Int) {
        watch(runner)
        // A serial queue for each runner: such a queue gets a separate thread, even while blocked operations hold every
        // thread of the pool.
        DispatchQueue(label: "sequencer.app-code", qos: .userInitiated).async { [self] in
            while let call = state.withLock({ $0.nextCall(for: runner) }) {
                let begin = monotonicNanoseconds()
                call.run()
                if state.withLock({ $0.runner == runner }) { continue }
                guard let tag = call.tag, monotonicNanoseconds() - begin < Self.forgiven else { return }
                slowTags.withLock { tags in tags.firstIndex(of: tag).map { _ = tags.remove(at: $0) } }
            }
        }
    }

    /// - Parameter seen: the call that the runner had begun at the last look.
    private func watch(_ runner: Int, after seen: Int = 0) {
        // Weak: a queue that has made its calls is not kept for this.
        Self.watches.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.patience))) { [weak self] in
            self?.look(at: runner, after: seen)
        }
    }

    /// Makes the calls that wait elsewhere, if the runner is still making the one that it was making at the last look.
    private func look(at runner: Int, after seen: Int) {
        var (tag, behind, next): (Int?, [Call], Int?) = (nil, [], nil)
        let going = state.withLock { state -> Int? in
            // It may have made all its calls.
            guard state.runner == runner else { return nil }
            guard seen > 0, state.begun == seen else { return state.begun }
            (tag, state.runner) = (state.tag, nil)
            if !isOrdered { while let call = state.pending.popFirst() { behind.append(call) } }
            next = state.nextRunner()
            return nil
        }
        if let going { return watch(runner, after: going) }
        if let tag { slowTags.withLock { $0.append(tag) } }
        if let next { start(next) }
        for first in 0..<min(Self.width, behind.count) {
            AppCodeQueue(isOrdered: false, slowTags: slowTags)
                .add(stride(from: first, to: behind.count, by: Self.width).map { behind[$0] })
        }
    }
}

extension AppCodeQueue.Call {
    /// Tells an operation to cancel, once.
    ///
    /// The caller must not hold the last reference to the handle: freeing a task runs deinitialisers of the app.
    init(cancelling node: Int, _ handle: any Cancellable) {
        let handle = Locked<(any Cancellable)?>(handle)
        self.init(tag: node) {
            let handle = handle.withLock { $0.take() }
            // Without the lock: a handler may block.
            handle?.cancel()
        }
    }
}
