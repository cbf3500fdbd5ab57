import Foundation
import Sequencer
import Testing

/// Whether a test shares the process with others while it runs.
///
/// Tests run beside each other, hundreds at once. One whose verdict depends on real time, on processes and signals, on sockets, on a terminal or on all
/// of the machine's threads would fail there for what others do. So each suite says which it is: `.besideOthers` or `.real`.
///
/// It is public for the tests that see only what an app sees.
public struct ProcessUse: SuiteTrait, TestTrait, TestScoping {
    fileprivate let isAlone: Bool

    /// True for the tests of a suite, and of suites within it: each of them takes its own turn.
    public var isRecursive: Bool { true }

    /// Set while a test has its turn: a trait reaches it from each suite that it is in.
    @TaskLocal private static var hasTurn = false

    /// For each test function, with all of its cases: a scope around a case would be under the test's time limit, and so would the wait for the turn.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> ProcessUse? {
        test.isSuite || testCase != nil ? nil : self
    }

    /// Runs the test when its turn has come.
    public func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        if Self.hasTurn { return try await function() }
        let isAlone = test.traits.contains { ($0 as? ProcessUse)?.isAlone == true }
        try await ProcessTurns.all.wait(alone: isAlone)
        defer { ProcessTurns.all.end(alone: isAlone) }
        try await Self.$hasTurn.withValue(true) { try await function() }
    }
}

extension Trait where Self == ProcessUse {
    /// For tests in virtual time, and for those that wait for an event, a file or an exit, however long it takes to come.
    public static var besideOthers: Self { ProcessUse(isAlone: false) }

    /// For tests that depend on the machine: each has the process to itself. The type of its suite has a name that begins with `Real`.
    public static var real: Self { ProcessUse(isAlone: true) }
}

extension Trait where Self == ConditionTrait {
    /// For tests that measure time or memory, or take long: they run where `NIGHTLY` is set, as `Scripts/nightly` sets it.
    public static var nightly: Self { .enabled(if: Nightly.isNight, "it measures, or takes long; Scripts/nightly sets NIGHTLY") }
}

/// How much a test does that repeats itself, or goes through many cases: all of it where `NIGHTLY` is set, a part of it elsewhere.
package enum Nightly {
    package static let isNight = ProcessInfo.processInfo.environment["NIGHTLY"] != nil

    package static func times(day: Int, night: Int) -> Int { isNight ? night : day }

    /// The cases that are gone through: by day each `share`-th one, by night all.
    package static func cases<Case>(_ all: some Sequence<Case>, each share: Int) -> [Case] {
        all.enumerated().filter { includes($0.offset, of: share) }.map(\.element)
    }

    /// Whether the case of this number is gone through: by day each `share`-th one, by night each.
    package static func includes(_ number: Int, of share: Int) -> Bool { isNight || number.isMultiple(of: share) }
}

/// Simulations of benches.
package enum Simulations {
    /// How many there are of each kind: `SIMULATIONS`, as in each night. By day so few that a single one is more
    /// than 1% of them.
    package static let series = ProcessInfo.processInfo.environment["SIMULATIONS"].flatMap { Int($0) } ?? 60
}

/// Who runs now. Real tests come last: as long as others run, more of them may begin, so that no processor is idle.
package final class ProcessTurns: Sendable {
    package static let all = ProcessTurns()

    private struct State {
        var running = 0
        var isTaken = false
        var nextNumber = 0
        var waiting: [(number: Int, alone: Bool, goOn: CheckedContinuation<Void, any Error>)] = []

        mutating func take(alone: Bool) -> Bool {
            guard !isTaken, !alone || running == 0 else { return false }
            if alone { isTaken = true } else { running += 1 }
            return true
        }

        /// Those who may go on now.
        mutating func next() -> [CheckedContinuation<Void, any Error>] {
            var chosen: [CheckedContinuation<Void, any Error>] = []
            for alone in [false, true] {
                while let index = waiting.firstIndex(where: { $0.alone == alone }), take(alone: alone) {
                    chosen.append(waiting.remove(at: index).goOn)
                }
            }
            return chosen
        }
    }

    private let state = Locked(State())

    package init() {}

    /// How many run or wait.
    package var count: Int { state.withLock { $0.running + ($0.isTaken ? 1 : 0) + $0.waiting.count } }

    /// Returns when the turn has come; ``end(alone:)`` ends it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile, as it is when the test's time limit is over.
    package func wait(alone: Bool) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let mayGoOn = state.withLock { state in
                    if Task.isCancelled { return Bool?.none }
                    if state.take(alone: alone) { return true }
                    state.waiting.append((number, alone, continuation))
                    return false
                }
                switch mayGoOn {
                case true?: continuation.resume()
                case false?: break
                case nil: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).goOn }
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Ends a turn, and lets the next ones go on.
    package func end(alone: Bool) {
        let chosen = state.withLock { state in
            if alone { state.isTaken = false } else { state.running -= 1 }
            return state.next()
        }
        for continuation in chosen { continuation.resume() }
    }
}
