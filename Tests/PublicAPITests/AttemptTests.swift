import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import Synchronization
import TestSupport
import Testing

/// The attempts of a step, as an app limits them.
@Suite("Public API: attempts", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AttemptTests {
    private static let thrice = StepOption.retry(attempts: 3, timeout: .seconds(2), backoff: .seconds(1), multiplier: 1, jitter: 0)

    /// The report of a step whose first attempts hang.
    private func hanging(_ attempts: Int, _ options: StepOption..., fallback: Int? = nil) async throws -> OperationReport {
        var graph = OperationGraph("hanging")
        graph.add("connect", Self.thrice, .onFailure(.continue), .all(options), fallback: fallback) { launch in
            if launch.attempt <= attempts { try await launch.sleep(for: .seconds(60)) }
            return launch.attempt
        }
        return try #require(try await graph.run(options: virtual()).report["connect"])
    }

    @Test("an attempt that hangs is ended, and made again after the pause; when the last one is, the step has timed out")
    func attemptTimeout() async throws {
        let once = try await hanging(1)
        #expect(once.outcome == .succeeded && once.attempts == 2 && once.end == .seconds(3))
        let always = try await hanging(3)
        #expect(always.outcome == .timedOut && always.attempts == 3 && always.end == .seconds(8))
        #expect(always.message == "not ended after the timeout of 2 s of each attempt")
        let replaced = try await hanging(3, fallback: 7)
        #expect(replaced.outcome == .fellBack && replaced.failure == .timedOut && replaced.end == .seconds(8))
    }

    @Test("a step of the prologue is tried again at once, within the start; a pause there is refused")
    @MainActor
    func prologue() async throws {
        func graph(_ backoff: Duration, _ made: @escaping @MainActor @Sendable (Int) -> Void) -> OperationGraph {
            var graph = OperationGraph("prologue")
            let database = graph.addPrologue("open-database", .retry(attempts: 3, backoff: backoff)) { step throws -> Int in
                made(step.attempt)
                if step.attempt < 3 { throw Trouble() }
                return 3
            }
            graph.addPrologue("register", using: database) { made($0 * 10) }
            return graph
        }
        let made = Mutex<[Int]>([])
        let launch = try graph(.zero) { number in made.withLock { $0.append(number) } }.start(options: virtual())
        #expect(made.withLock { $0 } == [1, 2, 3, 30])
        let report = await launch.end().report
        #expect(report.outcome == .completed && report["open-database"]?.attempts == 3)
        let error = #expect(throws: GraphError.self) { try graph(.seconds(1)) { _ in }.validated() }
        let refusal = "be tried again after a pause, in which the main thread would be blocked; make its backoff zero"
        #expect(error?.problems.map(\.description) == ["open-database: a step of the prologue cannot \(refusal)"])
    }

    @Test("the step's timeout is that of all attempts together: none is made that it would not let begin")
    func bothTimeouts() async throws {
        let within = try await hanging(3, .timeout(.seconds(4)))
        #expect(within.outcome == .timedOut && within.attempts == 2 && within.end == .seconds(4))
        #expect(within.message == "not ended after its timeout of 4 s")
        let between = try await hanging(3, .timeout(.seconds(3)))
        #expect(between.outcome == .timedOut && between.attempts == 1 && between.end == .seconds(2))
        #expect(between.message == "not ended after the timeout of 2 s of each attempt (no time left for attempt 2)")
    }

    @Test("an attempt that was ended is told to cancel, and the next one is not; what it does later changes nothing")
    func left() async throws {
        var graph = OperationGraph("left")
        let step = graph.add("connect", Self.thrice) { launch in
            if launch.attempt == 1 {
                #expect(launch.remainingTime == .seconds(2))
                try? await launch.sleep(for: .seconds(60))
                #expect(launch.isCancelled)
                launch.note("too late")
                throw Trouble()
            }
            try await launch.sleep(for: .seconds(1))
            #expect(!launch.isCancelled)
            return launch.attempt
        }
        let launch = try await graph.run(options: virtual())
        #expect(try launch[step] == 2)
        #expect(launch.report["connect"]?.notes == [] && launch.report.makespan == .seconds(4))
    }

    @Test("an error may end the attempts; others do not, nor does a timeout")
    func finalError() async throws {
        struct WrongPassword: Error {}
        var graph = OperationGraph("final")
        let isFinal: @Sendable (any Error) -> Bool = { $0 is WrongPassword }
        for number in 1...3 {
            graph.add("log-in-\(number)", .retry(attempts: 3, timeout: .seconds(2), unless: isFinal), .onFailure(.continue)) { launch in
                if launch.attempt == number { throw WrongPassword() }
                if launch.attempt == 2 { try await launch.sleep(for: .seconds(60)) }
                throw Trouble()
            }
        }
        let report = try await graph.run(options: virtual()).report
        #expect(report.operations.map(\.attempts) == [1, 2, 3] && report.operations.allSatisfy { $0.outcome == .failed })
        #expect(report["log-in-1"]?.message == "WrongPassword()" && report["log-in-1"]?.end == .zero)
    }

    @Test("the time in which a person is waited for is not the attempt's")
    func person() async throws {
        var graph = OperationGraph("person")
        graph.add("login", Self.thrice) { launch in
            try await launch.sleep(for: .seconds(1))
            try await launch.waitForPerson { try await launch.sleep(for: .seconds(60)) }
            if launch.attempt == 1 { try await launch.sleep(for: .seconds(60)) }
        }
        let login = try #require(try await graph.run(options: virtual()).report["login"])
        #expect(login.outcome == .succeeded && login.attempts == 2 && login.end == .seconds(62 + 1 + 61))
    }

    @Test("the attempt of a step on the main thread, and one that holds a resource, leave them to others")
    func freed() async throws {
        var graph = OperationGraph("freed")
        graph.add("first", Self.thrice, .exclusive("line"), on: .main) { launch in
            if launch.attempt == 1 { try await launch.sleep(for: .seconds(60)) }
        }
        graph.add("second", .exclusive("line"), after: "splash") { launch in try await launch.sleep(for: .milliseconds(500)) }
        graph.add("splash") { launch in try await launch.sleep(for: .seconds(1)) }
        let report = try await graph.run(options: virtual()).report
        #expect(report["second"]?.start == .seconds(2) && report["first"]?.end == .seconds(3) && report.outcome == .completed)
    }

    @Test("a plan knows that a step longer than each of its attempts may be times out")
    func plan() async throws {
        var graph = OperationGraph("plan")
        graph.add("connect", Self.thrice, .expected(.seconds(5)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .seconds(5))
        }
        let (plan, report) = (try await graph.plan(), try await graph.run(options: virtual()).report)
        #expect(plan["connect"]?.outcome == .timedOut && plan.makespan == .seconds(8) && report.makespan == plan.makespan)
    }

    @Test("the timeout of each attempt is more than nothing and at most a day", arguments: [0, -1, 86_401])
    func range(_ seconds: Int) {
        var graph = OperationGraph("range")
        graph.add("connect", .retry(attempts: 2, timeout: .seconds(seconds))) {}
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        let complaint = "a retry's timeout must be more than 0 and at most 24 hours, and is \(Duration.seconds(seconds))"
        #expect(error?.problems.map(\.description) == ["connect: \(complaint)"])
    }
}
