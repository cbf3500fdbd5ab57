import Dispatch
import Foundation

/// Operations that are told to cancel, each once.
///
/// The caller that hands them over must not hold the last reference to them: freeing a task runs deinitialisers of the app.
final class CancelledOperations: Sendable {
    typealias Element = (node: Int, handle: LaunchStorage.Handle)

    private let nodes: [Int]
    private let handles: Locked<[LaunchStorage.Handle?]>

    init(_ elements: [Element]) {
        nodes = elements.map(\.node)
        handles = Locked(elements.map(\.handle))
    }

    var count: Int { nodes.count }

    func node(at index: Int) -> Int { nodes[index] }

    func cancel(at index: Int) {
        let handle = handles.withLock { handles in
            // Taken out: a second call finds nothing, and the list keeps no task alive.
            defer { handles[index] = nil }
            return handles[index]
        }
        // Outside the lock: a handler may block, and the others are cancelled meanwhile.
        handle?.cancel()
    }

    func cancelAll() {
        for index in nodes.indices { cancel(at: index) }
    }
}

/// Calls code of the app that no launch waits for: cancel handlers, observers, reports of stalls, completion handlers, deinitialisers.
///
/// The calls are made in order, on a thread that is nobody else's. One that has not returned after ``patience`` keeps that thread, and those behind it
/// go on elsewhere: on another thread, or, where no order is asked for, on several at once, so that some calls that block delay the others together
/// as long as one.
final class AppCodeQueue: Sendable {
    struct Call: Sendable {
        /// The number that ``AppCodeQueue/slow`` lists if the call is slow; nil if nobody asks.
        var tag: Int?
        let run: @Sendable () -> Void
    }

    private struct State {
        /// A call that is being made is not among them: if it blocks, it must not keep its launch.
        var pending = FirstInFirstOut<Call>()
        /// The number of the runner that makes the calls; nil without a runner, or after one that does not return.
        var runner: Int?
        var runners = 0
        /// Whether it has a thread that was made for it, or is to be made as soon as the system has one.
        var hasOwnThread = false
        var watch = CallWatch()
        var alarm: Int?
    }

    // Fault L23 promises it: no start on the main thread waits longer for an observer.
    static let patience: Nanoseconds = 50_000_000
    /// A call that has returned after less than this was not slow: on a busy machine its thread may have had to wait.
    private static let forgiven: Nanoseconds = 500_000_000
    /// How many threads make the calls behind one that has not returned, where no order is asked for.
    private static let width = 16

    private let isOrdered: Bool
    private let threads: SharedThreads
    private let startThread: SystemThread.Starter
    private let state = Locked(State())
    private let slowTags: Locked<[Int]>

    init(
        isOrdered: Bool = true,
        threads: SharedThreads = .all,
        startThread: @escaping SystemThread.Starter = { SystemThread.start($0) }
    ) {
        self.isOrdered = isOrdered
        self.threads = threads
        self.startThread = startThread
        slowTags = Locked([])
    }

    /// For calls behind one that has not returned.
    private init(besides other: AppCodeQueue) {
        isOrdered = false
        threads = other.threads
        startThread = other.startThread
        // The same box: the first queue answers for these calls, too.
        slowTags = other.slowTags
    }

    /// The tags of calls that have not returned within ``patience``, but for those that have soon after.
    var slow: [Int] { slowTags.withLock { $0 } }

    func add(_ call: @escaping @Sendable () -> Void) {
        add([Call(run: call)])
    }

    func add(_ calls: [Call]) {
        let needsRunner = state.withLock { state in
            for call in calls { state.pending.append(call) }
            return state.runner == nil && !state.pending.isEmpty
        }
        if needsRunner { startRunner() }
    }

    /// - Parameter onOwnThread: where Dispatch has no thread left, because the app blocks all of them.
    private func startRunner(onOwnThread: Bool = false) {
        // Counted among the threads of launches: calls that never return keep theirs, and must not use up what the process may have (L40).
        threads.take(for: self, purpose: isOrdered ? .end : .cancel) { [self] kind in
            let runner: Int? = state.withLock { state in
                guard state.runner == nil, !state.pending.isEmpty else { return nil }
                // Numbered: one that was given up, and comes back, must not be taken for the one in its place.
                state.runners += 1
                state.runner = state.runners
                state.hasOwnThread = kind == .own || onOwnThread
                // Anew: the first look would take the last call of the runner before for one that is still being made.
                state.watch = CallWatch()
                return state.runners
            }
            // Another runner has made the calls while this one waited for its thread.
            guard let runner else { return threads.giveBack(kind) }
            // Before the calls: where Dispatch has no thread for them, nothing but this alarm notices.
            watch()
            let calls: @Sendable () -> Void = { [self] in
                var made: (tag: Int?, begin: Nanoseconds) = (nil, 0)
                while case .call(let call) = next(for: runner, after: made) {
                    made = (call.tag, monotonicNanoseconds())
                    call.run()
                }
                threads.giveBack(kind)
            }
            // Dispatch may have no thread left, because the app blocks all of them (L68).
            if kind == .own || onOwnThread {
                SystemThread.startWhenPossible("sequencer.calls", .userInitiated, by: startThread, calls)
            } else {
                // Serial, and one for each runner: such a queue gets a thread of its own, also while blocked operations hold every thread of the
                // pool.
                DispatchQueue(label: "sequencer.app-code", qos: .userInitiated).async(execute: calls)
            }
        }
    }

    private enum Next {
        case call(Call)
        /// No calls are left.
        case end
        /// Another runner has taken this one's place.
        case replaced
    }

    /// - Parameter made: the call that the runner has made before, and when that began.
    private func next(for runner: Int, after made: (tag: Int?, begin: Nanoseconds)) -> Next {
        let (next, alarm) = state.withLock { state -> (Next, Int?) in
            guard state.runner == runner else { return (.replaced, nil) }
            if let call = state.pending.popFirst() {
                state.watch.begin(call.tag)
                return (.call(call), nil)
            }
            defer {
                state.runner = nil
                state.alarm = nil
            }
            return (.end, state.alarm)
        }
        if let alarm { _ = AlarmThread.shared.remove(alarm) }
        guard case .replaced = next else { return next }
        // Its call has returned after all: the thread is not lost.
        threads.count(leftBehind: -1)
        if let tag = made.tag, monotonicNanoseconds() - made.begin < Self.forgiven {
            slowTags.withLock { tags in tags.firstIndex(of: tag).map { _ = tags.remove(at: $0) } }
        }
        return next
    }

    // MARK: Calls that do not return

    private func watch() {
        // Weak: the thread for alarms lives as long as the process.
        let alarm = AlarmThread.shared.add { [weak self] _ in self?.look() }
        let isNeeded = state.withLock { state in
            // The alarm was added without the lock: meanwhile the runner may have ended, or another one have added its own.
            guard state.runner != nil, state.alarm == nil else { return false }
            state.alarm = alarm
            return true
        }
        if isNeeded { setAlarm(alarm) } else { _ = AlarmThread.shared.remove(alarm) }
    }

    private func setAlarm(_ alarm: Int) {
        AlarmThread.shared.set(alarm, to: monotonicNanoseconds() + Self.patience)
    }

    private enum Look {
        /// Nothing is being called any more.
        case idle
        case again(Int)
        /// The runner has no thread.
        case unbegun(alarm: Int?)
        /// The call that was being made at the last look still is.
        case slow(tag: Int?, alarm: Int?, behind: [Call])
    }

    private func look() {
        let found = state.withLock { state -> Look in
            // The runner has ended since the alarm rang, and has removed it.
            guard state.runner != nil else { return .idle }
            // A thread of its own comes as soon as the system has one: another request would be no sooner, and be one more with each look.
            if !state.hasOwnThread, state.watch.isUnbegun() {
                defer {
                    state.runner = nil
                    state.alarm = nil
                }
                return .unbegun(alarm: state.alarm)
            }
            guard state.watch.isSlow() else { return state.alarm.map { .again($0) } ?? .idle }
            defer {
                state.runner = nil
                state.alarm = nil
            }
            var behind: [Call] = []
            if !isOrdered { while let call = state.pending.popFirst() { behind.append(call) } }
            return .slow(tag: state.watch.tag, alarm: state.alarm, behind: behind)
        }
        switch found {
        case .idle: break
        case .again(let alarm): setAlarm(alarm)
        case .unbegun(let alarm):
            if let alarm { _ = AlarmThread.shared.remove(alarm) }
            // The runner that has not begun finds another one in its place, when it does.
            threads.count(leftBehind: 1)
            startRunner(onOwnThread: true)
        case .slow(let tag, let alarm, let behind):
            // Its handler holds nothing of the app's.
            if let alarm { _ = AlarmThread.shared.remove(alarm) }
            if let tag { slowTags.withLock { $0.append(tag) } }
            threads.count(leftBehind: 1)
            // Starts another runner for the calls that are left, which stay in order.
            if isOrdered { return add([]) }
            for first in 0..<min(Self.width, behind.count) {
                AppCodeQueue(besides: self).add(stride(from: first, to: behind.count, by: Self.width).map { behind[$0] })
            }
        }
    }
}

/// The calls of one runner, and whether it is still making the one that it was making at the last look.
struct CallWatch {
    /// The call that was begun last, by number from 1.
    private var begun = 0
    private var seen = 0
    private var looksBefore = 0
    private(set) var tag: Int?

    mutating func begin(_ tag: Int?) {
        begun += 1
        self.tag = tag
    }

    /// To be asked once in a while: whether no call had begun the last time, and none has since.
    mutating func isUnbegun() -> Bool {
        defer { looksBefore += 1 }
        // Not at the first look: a thread that was just asked for may be on its way.
        return begun == 0 && looksBefore > 0
    }

    /// To be asked once in a while: whether the same call was being made the last time.
    mutating func isSlow() -> Bool {
        defer { seen = begun }
        return begun > 0 && begun == seen
    }
}
