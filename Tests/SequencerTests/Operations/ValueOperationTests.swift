import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Operations in the classic style that know the launch they are in: they leave values, and ask and tell their step's context.
@Suite("Operations that leave values", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ValueOperationTests {
    /// Leaves what it was made with, on another thread.
    final class Answer: ValueOperation<Int>, @unchecked Sendable {
        // @unchecked: immutable after init.
        private let body: @Sendable (Answer) -> Void

        init(_ body: @escaping @Sendable (Answer) -> Void) { self.body = body }
        convenience init(_ number: Int) { self.init { $0.finish(returning: number) } }
        override func main() { elsewhere.async { [self] in body(self) } }
    }

    // MARK: Values

    @Test("an operation that ends without its value has failed, and what reads it is skipped")
    func withoutValue() async throws {
        var graph = OperationGraph("without")
        let finishes = graph.add(Answer { $0.finish() }, id: "finishes", .onFailure(.continue))
        let fails = graph.add(Answer { $0.finish(throwing: TestError(1)) }, id: "fails", .onFailure(.continue))
        graph.add("reads", .onFailure(.continue), using: finishes) { _ in }
        graph.add("reads-optional", using: finishes.optional, fails.optional) { first, second in
            #expect(first == nil && second == nil)
        }
        let launch = try await graph.run(options: .patient)
        #expect(launch.report.operations.map(\.outcome) == [.failed, .failed, .skipped, .succeeded])
        #expect(launch.report["finishes"]?.message == "it finished without the value that it is to leave")
        #expect(throws: OperationError.self) { try launch[fails] }
    }

    @Test("of several ends the first decides: its value, or its error, and nothing of the others", arguments: [2, 4])
    func racingEnds(width: Int) async {
        let operations = (0..<1_000).map { _ in Answer { _ in } }
        for operation in operations { operation.start() }
        await onThreads(width) { thread in
            for operation in operations {
                if thread.isMultiple(of: 2) { operation.finish(returning: thread) } else { operation.finish(throwing: TestError(thread)) }
            }
        }
        #expect(operations.allSatisfy { $0.isFinished && $0.surplusFinishCount == width - 1 })
        #expect(operations.allSatisfy { ($0.value == nil) == ($0.error != nil) })
    }

    @Test("a fallback takes the place of an operation that was added: of one that fails, finishes without a value, hangs, or is left out")
    func fallbacks() async throws {
        var graph = OperationGraph("fallbacks")
        let fails = graph.add(Answer { $0.finish(throwing: TestError(1)) }, id: "fails", fallback: 1)
        let finishes = graph.add(Answer { $0.finish() }, id: "finishes", fallback: 2)
        let hangs = graph.add(Answer { _ in }, id: "hangs", .timeout(.milliseconds(1)), on: .main, fallback: 3)
        let isLeftOut = graph.add(Answer(0), id: "left-out", fallback: 4)
        let works = graph.add(Answer(5), id: "works", after: fails, fallback: 0)
        let none = graph.add(Answer { $0.finish() }, id: "none", .onFailure(.continue), fallback: nil)
        try graph.skip("left-out", because: "of a test")
        let launch = try await graph.run(options: .patient)
        #expect(launch.report.operations.map(\.outcome) == [.fellBack, .fellBack, .fellBack, .fellBack, .succeeded, .failed])
        for (step, value) in zip([fails, finishes, hangs, isLeftOut, works], 1...) { #expect(try launch[step] == value) }
        #expect(throws: OperationError.self) { try launch[none] }
    }

    @Test("a fault can be injected into one, and its value comes through")
    func injected() async throws {
        var graph = OperationGraph("injected")
        let six = graph.add(Answer(6), id: "six")
        try graph.inject(.delay(.seconds(1)), into: "six")
        let launch = try await graph.run(options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)), seed: 1))
        #expect(try launch[six] == 6)
    }

    /// Leaves a number, or says that there is none; given neither, it fails.
    private final class Search: ValueOperation<Int?>, @unchecked Sendable {
        // @unchecked: immutable after init.
        private let found: Int??
        init(_ found: Int??) { self.found = found }
        override func main() { if let found { finish(returning: found) } else { finish(throwing: TestError(1)) } }
        var hasValue: Bool { if case .some = value { true } else { false } }
    }

    @Test("fault O60: a value that may be nil is there when it has been left, nil or not, and neither before nor after a failure")
    func optionalValue() async throws {
        let searches = [Search(6), Search(.some(nil)), Search(nil)]
        #expect(searches.allSatisfy { !$0.hasValue })
        for search in searches { search.start() }
        #expect(searches.map(\.hasValue) == [true, true, false])
        var graph = OperationGraph("optional")
        let six = graph.add(Search(6), id: "six")
        let none = graph.add(Search(.some(nil)), id: "none")
        let launch = try await graph.run(options: .patient)
        #expect(launch.report.outcome == .completed)
        #expect(try launch[six] == 6 && launch[none] == nil)
    }

    // MARK: The launch

    @Test("an operation notes, knows its time, and waits for a person")
    func context() async throws {
        let operation = Answer { operation in
            let step = operation.stepContext
            #expect(step?.operation == "asks" && step?.attempt == 1)
            #expect(step?.remainingTime.map { $0 <= .patience } == true)
            step?.note("it was asked")
            Task {
                try? await step?.waitForPerson { try? await step?.sleep(for: .milliseconds(1)) }
                operation.finish(returning: 1)
            }
        }
        #expect(operation.stepContext == nil)
        var graph = OperationGraph("context")
        graph.add(operation, id: "asks", .timeout(.patience))
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed && report["asks"]?.notes == ["it was asked"])
        #expect(report["asks"]?.isInteractive == true)
        #expect(operation.stepContext == nil)
    }

    @Test("an operation aborts its launch: the takeover runs, and nothing else starts")
    func aborts() async throws {
        let taken = Locked(0)
        var graph = OperationGraph("aborts")
        let update: Step<Int> = graph.add(
            Answer { operation in
                let isAccepted = operation.stepContext?.abort(.forceUpdate) { taken.withLock { $0 += 1 } }
                operation.finish(returning: isAccepted == true ? 1 : 0)
            },
            id: "force-update"
        )
        graph.add("main-app", after: update) { Issue.record("what follows was started") }
        let launch = try await graph.run(options: .patient)
        #expect(launch.report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        // It was told to cancel, and ended then.
        #expect(launch.report["force-update"]?.outcome == .cancelled && taken.withLock { $0 } == 1)
    }

    @Test("a context that is asked for while the launch ends is there or is not, and keeps nothing", arguments: [1, 4])
    func contextRacesEnd(width: Int) async throws {
        for _ in 0..<Nightly.times(day: 10, night: 50) {
            let operation = Answer { $0.finish(returning: 1) }
            var graph = OperationGraph("race")
            graph.add(operation, id: "answer")
            let launch = try graph.start(options: .patient)
            await onThreads(width) { _ in
                for _ in 0..<100 { operation.stepContext?.note("seen") }
            }
            _ = await launch.end()
            #expect(operation.stepContext == nil)
        }
    }
}
