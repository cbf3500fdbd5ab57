import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

// MARK: - Operations for tests

/// An operation with closures for its parts, that counts what is called.
final class TestOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: only constants and locks.
    private let counts = Locked((main: 0, cancel: 0))
    private let mainBody: @Sendable (TestOperation) -> Void
    private let cancelBody: @Sendable (TestOperation) -> Void
    let didEnterMain = Locked<@Sendable () -> Void>({})
    let deinitHandler = Locked<@Sendable () -> Void>({})

    var mainCount: Int { counts.withLock { $0.main } }
    var cancelCount: Int { counts.withLock { $0.cancel } }

    init(main: @escaping @Sendable (TestOperation) -> Void = { _ in }, didCancel: @escaping @Sendable (TestOperation) -> Void = { _ in }) {
        mainBody = main
        cancelBody = didCancel
    }

    deinit {
        deinitHandler.withLock { $0 }()
    }

    override func main() {
        counts.withLock { $0.main += 1 }
        didEnterMain.withLock { $0 }()
        mainBody(self)
    }

    override func didCancel() {
        counts.withLock { $0.cancel += 1 }
        cancelBody(self)
    }
}

final class Owner: Sendable {
    let operation: TestOperation

    init(_ operation: TestOperation) {
        self.operation = operation
    }
}

struct TestError: Error, Equatable {
    let code: Int

    init(_ code: Int) {
        self.code = code
    }
}

extension ConcurrentOperationTests {
    /// The ways in which an operation comes to its end.
    enum Ending: CaseIterable {
        case finish, fail, finishBeforeStart, cancelBeforeStart, cancelThenFinish

        /// Ends an operation whose `main()` does not; `start` returns when it has been entered.
        func end(_ operation: ConcurrentOperation, start: () -> Void) {
            switch self {
            case .finish:
                start()
                operation.finish()
            case .fail:
                start()
                operation.finish(throwing: TestError(1))
            case .finishBeforeStart:
                operation.finish()
                start()
            case .cancelBeforeStart:
                operation.cancel()
                start()
            case .cancelThenFinish:
                start()
                operation.cancel()
                operation.finish()
            }
        }
    }
}

// MARK: - Threads for tests

/// Where operations finish that do not finish on their own thread; private and not a global queue, so that nothing else can occupy it.
let elsewhere = DispatchQueue(label: "elsewhere")

/// Runs `body` on a thread of its own, where it may block, and waits for its end without blocking.
func onThread(_ body: @escaping @Sendable () -> Void) async {
    await callback { done in
        Thread.detachNewThread {
            body()
            done()
        }
    }
}

/// Runs `body` on `count` threads, which begin together.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let arrived = Countdown(count)
    let go = DispatchSemaphore(value: 0)
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask {
                await onThread {
                    arrived.countDown()
                    go.waitPatiently()
                    body(index)
                }
            }
        }
        await arrived.reachedZero()
        for _ in 0..<count { go.signal() }
    }
}

func waitForAll(in queue: OperationQueue) async {
    await onThread { queue.waitUntilAllOperationsAreFinished() }
}

/// Something that is awaited until it has been counted down to zero; counting on traps.
final class Countdown: Sendable {
    private let group = DispatchGroup()

    init(_ count: Int) {
        for _ in 0..<count { group.enter() }
    }

    @Sendable func countDown() {
        group.leave()
    }

    func reachedZero() async {
        await callback { done in
            group.notify(queue: elsewhere) { done() }
        }
    }
}

/// Something that happens once.
final class Signal: Sendable {
    private let countdown = Countdown(1)

    @Sendable func fire() {
        countdown.countDown()
    }

    func fired() async {
        await countdown.reachedZero()
    }
}
