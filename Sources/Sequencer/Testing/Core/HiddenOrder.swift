import Sequencer

/// The result of ``explore(_:orders:depth:seed:oneAtATime:options:check:)``.
public struct Exploration: Sendable, Hashable, CustomStringConvertible {
    /// How many orders were run.
    package let orders: Int
    /// The dependency that was found to be missing; nil when no order told of one.
    public let hidden: HiddenOrder?
    /// Operations, or `the check`, that ended in another way when their order was launched again, by themselves or
    /// because of an earlier order. Orders cannot explain that, so they were not compared any more.
    public let unsteady: [String]

    package var findsNothing: Bool { hidden == nil && unsteady.isEmpty }

    /// The result, in one sentence: `login fails when images runs first: undeclared dependency`, or `every operation
    /// ended the same way in 33 orders`. Only the given check compares values. Unsteady operations are named.
    public var description: String {
        let same = "\(unsteady.isEmpty ? "every operation" : "all else") ended the same way in \(orders) order\(orders == 1 ? "" : "s")"
        guard !unsteady.isEmpty else { return hidden?.description ?? same }
        let names = listed(unsteady) { printable($0, limit: 80) }
        let cause = "ended otherwise when the order was repeated: by itself, or by what an earlier order left behind"
        return hidden.map { "\($0); \(names) \(cause)" } ?? "\(names) \(cause); \(same)"
    }
}

/// A launch fails in every order, or every interleaving, that was run, so these tell nothing: the error of
/// ``explore(_:orders:depth:seed:oneAtATime:options:check:)`` and ``explore(_:interleavings:seed:jitter:options:check:)``.
public struct FailsInEveryOrder: DescribedError, Sendable {
    /// How many orders were run beside the usual one.
    package let orders: Int
    /// The report of the launch in its usual order.
    public let report: LaunchReport
    /// The message, in one sentence: `the launch fails in every order: login: the token is missing`, or `the check
    /// fails in every order: nothing was stored`.
    public let description: String
}

/// Two operations whose order matters, though no dependency says so.
public struct HiddenOrder: Sendable, Hashable, CustomStringConvertible {
    /// The operation that fails; nil when only the check of the whole launch fails.
    let operation: String?
    /// Its failure, in one sentence; nil without a message.
    package let message: String?
    /// The operation that ran first when it failed.
    let first: String
    /// The operation that ran right after that. When these two change places, all is well.
    let second: String
    /// The order that fails.
    let failing: [String]
    /// The order that differs only in these two, and does not fail.
    let passing: [String]

    package var json: JSONTree {
        [
            "text": .text(description), "operation": .text(operation), "message": .text(message), "first": .text(first),
            "second": .text(second), "failing": .texts(failing), "passing": .texts(passing),
        ]
    }

    /// The message, in one sentence: `login fails when images runs first: undeclared dependency`.
    public var description: String {
        let (one, other) = (printable(first, limit: 80), printable(second, limit: 80))
        let fact =
            switch operation {
            case second: "\(other) fails when \(one) runs first"
            case first: "\(one) fails when it runs before \(other)"
            case let failed?: "\(printable(failed, limit: 80)) fails when \(one) runs before \(other)"
            case nil: "the check fails when \(one) runs before \(other)"
            }
        return fact + ": undeclared dependency"
    }
}

/// The failures of a launch: the part of its result that may depend on the order.
struct ExploredCourse {
    /// The failure that another launch does not have.
    struct Problem {
        let operation: String?
        let message: String?
        var name: String { operation ?? "the check" }
    }

    /// Operations that did not succeed by themselves, in the order in which they ended.
    private let failures: [OperationReport]
    private let succeeded: Set<String>
    private let check: (any Error)?
    let report: LaunchReport

    /// What a launch, and the check of it, come to. One that was cancelled shows nothing.
    nonisolated(nonsending) static func of(
        _ launch: FinishedLaunch,
        _ check: nonisolated(nonsending) (FinishedLaunch) async throws -> Void
    ) async throws -> ExploredCourse {
        try Task.checkCancellation()
        do { try await check(launch) } catch { return ExploredCourse(launch.report, check: error) }
        return ExploredCourse(launch.report, check: nil)
    }

    private init(_ report: LaunchReport, check: (any Error)?) {
        // A fallback hides a failure: in another order the operation may succeed.
        let bad: Set<Outcome> = [.failed, .timedOut, .fellBack]
        // In the order of their ends: the first failure may have caused the others.
        failures = report.operations.filter { bad.contains($0.outcome) }.sorted { $0.end < $1.end }
        succeeded = Set(report.operations.filter { $0.outcome == .succeeded }.map(\.id))
        self.check = check
        self.report = report
    }

    /// The message for a launch that fails in every order; nil for one that did not fail. A launch that was stopped on
    /// purpose did not fail, nor did one over its budget.
    var failureText: String? {
        if case .failed(let operation, let message) = report.outcome {
            return "the launch fails in every order: \(printable(operation, limit: 80)): \(printable(message, limit: 400))"
        }
        return check.map { "the check fails in every order: \(printable("\($0)", limit: 400))" }
    }

    /// The first operation that failed here and succeeded there; otherwise the check. An operation that did not run
    /// there might have failed as well.
    ///
    /// - Parameter unsteady: the names to leave out.
    func problem(against other: ExploredCourse, but unsteady: [String]) -> Problem? {
        if let failure = failures.first(where: { other.succeeded.contains($0.id) && !unsteady.contains($0.id) }) {
            return Problem(operation: failure.id, message: failure.message)
        }
        let problem = Problem(operation: nil, message: check.map { "\($0)" })
        return check == nil || other.check != nil || unsteady.contains(problem.name) ? nil : problem
    }

    /// The operation or check that failed in only one of the two.
    func difference(from other: ExploredCourse, but unsteady: [String]) -> Problem? {
        problem(against: other, but: unsteady) ?? other.problem(against: self, but: unsteady)
    }
}
