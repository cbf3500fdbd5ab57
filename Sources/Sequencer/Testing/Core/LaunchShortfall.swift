import Sequencer

/// A launch did not complete, continued without its milestone, or took longer than its budget, or its initial display
/// longer than its own.
public struct LaunchShortfall: DescribedError, Sendable {
    /// The report of the launch.
    public let report: LaunchReport
    /// The message, in one sentence: `first-launch took 1.2 s of 1 s, 200 ms over: login (1.1 s, 600 ms expected)`, or
    /// `first-launch failed at login: no network`.
    public let description: String

    /// Reads the shortfall from a report; nil for a launch that completed within the budget.
    ///
    /// ```swift
    /// if let shortfall = LaunchShortfall(of: report, within: .seconds(3)) { throw shortfall }
    /// ```
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - budget: the most that the launch may take; nil for the budget that it was given.
    /// - Complexity: O(operations).
    public init?(of report: LaunchReport, within budget: Budget? = nil) {
        let name = printable(report.scenario, limit: 80)
        let limit = budget?.limit ?? report.budget.budget?.limit
        if report.outcome != .completed {
            description = "\(name) \(report.outcome == .cancelled ? "was cancelled" : Self.text(report.outcome))\(report.milestoneText())"
        } else if let milestone = report.missedMilestone {
            description = "\(name) went on without its milestone: \(milestone)"
        } else if let limit, report.budget.measured > limit {
            let measured = report.budget.measured
            description =
                "\(name) took \(durationText(measured)) of \(durationText(limit)), \(durationText(measured - limit)) over"
                + Self.blame(in: report)
        } else if let limit = (budget ?? report.budget.budget)?.initialDisplay, report.isInitialDisplayMet(within: limit) == false {
            let time = report.timeToInitialDisplay.map { "after \(durationText($0))" } ?? "never"
            description = "the initial display of \(name) came \(time), and had \(durationText(limit))"
        } else {
            return nil
        }
        self.report = report
    }

    private static func text(_ outcome: LaunchReport.Outcome) -> String {
        if case .aborted = outcome { "was \(outcome)" } else { "\(outcome)" }
    }

    /// The most operations that a message names.
    private static let maximumNamed = 5

    /// The operations that caused the overrun; for a launch that met its own budget, the longest operation of the
    /// critical path.
    private static func blame(in report: LaunchReport) -> String {
        // Those of the prologue are in another report.
        var causes = report.budget.causes.prefix(maximumNamed).map { id in
            report[id].map(text) ?? printable(id, limit: 80)
        }
        if causes.isEmpty {
            // The time before the launch may explain all of it.
            guard report.budget.isMet else { return report.beforeRun.map { ": \(durationText($0)) before the launch" } ?? "" }
            causes = report.operations.filter(\.isCritical).max { $0.duration < $1.duration }.map { [text($0)] } ?? []
        }
        return causes.isEmpty ? "" : ": " + causes.joined(separator: ", ")
    }

    private static func text(_ operation: OperationReport) -> String {
        let expected = operation.expected.flatMap { $0 < operation.duration ? ", \(durationText($0)) expected" : nil } ?? ""
        return "\(printable(operation.id, limit: 80)) (\(durationText(operation.duration))\(operation.awaitedEventText)\(expected))"
    }
}

extension LaunchOptions {
    /// How tests run launches unless they say otherwise: in virtual time, with the same pauses between attempts each
    /// time, beside other tests and again.
    package static var ofTests: LaunchOptions { LaunchOptions(clock: VirtualClock(), seed: 0, admission: .unlimited) }
}

/// Runs a launch, and throws where it does not complete within the budget: for XCTest, where an error fails the test,
/// and for programs. With swift-testing, `expectLaunch` of `SequencerTesting` does more.
///
/// ```swift
/// func testLaunch() async throws {
///     let launch = try await requireLaunch(appLaunch(), budget: .milliseconds(500))
///     XCTAssertEqual(launch.report.criticalPath, ["splash", "main-app"])
/// }
/// ```
///
/// - Parameters:
///   - graph: the graph to run.
///   - budget: the most time. The launch keeps it, as it does when it is run.
///   - options: how to run it; nil for virtual time, where sleeps, timeouts and deadlines take no time, and the result
///       is the same on every machine.
/// - Returns: the launch.
/// - Throws: a ``LaunchShortfall``, or a `GraphError` when the graph is not valid.
@discardableResult
nonisolated(nonsending) public func requireLaunch(
    _ graph: OperationGraph,
    budget: Budget,
    options: LaunchOptions? = nil
) async throws -> FinishedLaunch {
    let launch = try await graph.run(budget: budget, options: options ?? .ofTests)
    if let shortfall = LaunchShortfall(of: launch.report) { throw shortfall }
    return launch
}
