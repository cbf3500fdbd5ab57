import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// The launch, as a running operation sees it.
@Suite("The launch an operation is given", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchHandleTests {
    @Test("an operation is told to cancel when it is, when its attempt is over, and not before")
    func isCancelled() async throws {
        let (attempts, seen) = (Locked<[StepContext]>([]), Locked<[Bool]>([]))
        var graph = OperationGraph("told")
        graph.add("flaky", .retry(RetryPolicy(attempts: 2, backoff: .milliseconds(1), jitter: 0))) { launch in
            let earlier = attempts.withLock { attempts in
                defer { attempts.append(launch) }
                return attempts
            }
            seen.withLock { $0 += [launch.isCancelled] + earlier.map(\.isCancelled) }
            try launch.checkCancellation()
            if launch.attempt == 1 { throw URLError(.timedOut) }
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed && report["flaky"]?.attempts == 2)
        // The first attempt, then the second, which sees that the first one's launch is of no use any more.
        #expect(seen.withLock { $0 } == [false, false, true])
        #expect(attempts.withLock { $0 }.map(\.isCancelled) == [true, true])
        #expect(throws: CancellationError.self) { try attempts.withLock { $0 }.last?.checkCancellation() }
    }

    /// Ends when it is told to by `finish()` alone.
    private final class Deaf: ConcurrentOperation, @unchecked Sendable {
        // @unchecked, as its superclass is: nothing of its own.
        override func main() {}
    }

    /// Says when it was asked whether it is ready, and was not.
    private final class Late: Operation, @unchecked Sendable {
        // @unchecked, as Operation is: what it has of its own does not change.
        let wasNotReady = Gate()

        override var isReady: Bool {
            let isReady = super.isReady
            if !isReady { wasNotReady.open() }
            return isReady
        }
    }

    @Test("an operation that is not ready when its turn comes is started when it is")
    func notReady() async throws {
        let (deaf, late) = (Deaf(), Late())
        late.addDependency(deaf)
        var graph = OperationGraph("not ready")
        graph.add(deaf, id: "deaf", .timeout(.milliseconds(10)), .onFailure(.continue))
        graph.add(late, id: "late", after: "deaf")
        graph.add("ends", after: "deaf") {
            await late.wasNotReady.wait()
            deaf.finish()
        }
        let report = try await graph.run(options: LaunchOptions(deadline: .seconds(600))).report
        #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded, .succeeded])
        #expect(late.isFinished && !late.isCancelled)
    }
}
