import Foundation
import StartupOps
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis
@testable import sequencer_cli

/// What this tool exports and imports again is what it was, as far as the export has it.
@Suite("Exported and imported again", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ImportRoundTripTests {
    private static let words = ["config", "wärme ☕️", "a\"b\\", "log in", "x: y"]
    private static let outcomes = LaunchReport.Outcome.allOfOne

    /// A launch that an engine could have run: what comes after others starts after they have ended.
    private func randomLaunch(_ seed: UInt64, hasExpectations: Bool) -> ImportedLaunch {
        var random = SplitMix64(seed: seed)
        func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var launch = ImportedLaunch(name: "random \(seed)", version: "1.2", begin: 0, knowsDependencies: true)
        launch.outcome = Self.outcomes[number(Self.outcomes.count)]
        let count = 1 + number(30)
        for place in 0..<count {
            var operation = ImportedOperation(name: "\(Self.words[number(Self.words.count)]) \(place)", start: 0, end: 0)
            var details = ImportedOperation.Details(title: number(3) == 0 ? "Title \(place)" : nil, attempts: 1 + number(3))
            details.outcome = Outcome.allCases[number(Outcome.allCases.count)]
            if details.outcome != .succeeded { details.message = "it said: \"\(place)\"\n" }
            if number(4) == 0 { details.notes = ["first", "second \\"] }
            (details.isInteractive, details.isCut) = (number(5) == 0, number(7) == 0)
            if hasExpectations {
                details.expected = .nanoseconds(1 + Int64(number(1_000_000)))
                if details.outcome == .fellBack { details.failure = .timedOut }
            }
            if place > 0, place < count - 3 || number(2) == 0 {
                let earlier = Set((0..<number(4)).map { _ in number(place) }).filter { launch.operations[$0].start != nil }
                operation.dependencies = earlier.sorted()
            }
            let ready = operation.dependencies.map { launch.operations[$0].end }.max() ?? 0
            operation.start = ready + Nanoseconds(number(2) * number(1_000_000))
            operation.end = (operation.start ?? 0) + 1 + Nanoseconds(number(3_000_000))
            operation.isMain = number(6) == 0
            // What never started is the last in a trace, and has no arrows.
            if place >= count - 2, place > 0, number(2) == 0 {
                (operation.start, operation.dependencies, details.attempts) = (nil, [], 0)
                (details.isInteractive, operation.isMain) = (false, false)
            }
            operation.details = details
            launch.operations.append(operation)
        }
        launch.end = (launch.operations.map(\.end).max() ?? 0) + Nanoseconds(number(1000))
        launch.reconstructLanes()
        return launch
    }

    /// A scope within a scope; either may end after the launch.
    private func addScopes(to report: inout LaunchReport, _ seed: UInt64) {
        func scope(_ name: String, _ report: LaunchReport) -> LaunchReport.Scope {
            LaunchReport.Scope(name: name, start: .milliseconds(Int(seed % 5)), report: report)
        }
        func random(_ more: UInt64) -> LaunchReport { randomLaunch(seed + more, hasExpectations: true).report() }
        var window = random(1000)
        window.scopes = [scope("sync", random(2000))]
        report.scopes = [scope("window", window), scope("<b>", random(3000))]
    }

    private func expectSame(_ found: LaunchReport, _ report: LaunchReport, _ seed: UInt64) {
        #expect(found.scenario == report.scenario && found.version == report.version && found.outcome == report.outcome, "\(seed)")
        #expect(found.makespan == report.makespan && found.work == report.work && found.lanes == report.lanes, "\(seed)")
        #expect(found.criticalPathDuration == report.criticalPathDuration && found.criticalPath == report.criticalPath, "\(seed)")
        let operations = Dictionary(found.operations.map { ($0.id, $0) }) { first, _ in first }
        #expect(operations.count == report.operations.count && found.operations.count == report.operations.count, "\(seed)")
        for operation in report.operations {
            let other = operations[operation.id]
            #expect(other?.sortingDependencies == operation.sortingDependencies, "\(seed)")
        }
    }

    @Test(
        "A Chrome trace gives operations, times, lanes, ends, dependencies, and the paths",
        arguments: Nightly.cases(0..<200 as Range<UInt64>, each: 7)
    )
    func chrome(seed: UInt64) throws {
        var report = randomLaunch(seed, hasExpectations: false).report()
        // Named as what the trace says of the launch.
        report.attributes = ["scenario": "another", "version": "2"]
        if seed.isMultiple(of: 4) { addScopes(to: &report, seed) }
        for isPretty in [false, true] {
            let found = try importLaunch(Array(report.chromeTrace(pretty: isPretty).utf8), file: "f").report()
            expectSame(found, report, seed)
        }
    }

    @Test(
        "So do spans, with what was expected besides, and the time against the budget",
        arguments: Nightly.cases(0..<200 as Range<UInt64>, each: 7)
    )
    func otlp(seed: UInt64) throws {
        var launch = randomLaunch(seed, hasExpectations: true)
        if seed.isMultiple(of: 3) {
            launch.beforeRun = seed.isMultiple(of: 2) ? .microseconds(seed) : nil
            launch.budget = BudgetResult(
                budget: Budget(.microseconds(1 + seed), fromProcessStart: launch.beforeRun != nil),
                measured: .nanoseconds(1_234_567 + Int64(seed)),
                interactive: .microseconds(7),
                isMet: seed.isMultiple(of: 5),
                causes: ["config 0", "a, b"]
            )
        }
        var report = launch.report()
        if seed.isMultiple(of: 4) { addScopes(to: &report, seed) }
        let begin = Date(timeIntervalSince1970: 1_700_000_000.25)
        let found = try importLaunch(Array(report.otlp(startedAt: begin).utf8), file: "f").report()
        #expect(found.startedAt == begin)
        #expect(found.budget == report.budget && found.beforeRun == report.beforeRun, "\(seed)")
        expectSame(found, report, seed)
    }

    @Test("A launch of each built-in scenario, run by the engine", arguments: Scenario.all.map(\.name))
    func engine(name: String) async throws {
        let report = try await LoadedReport.load(name)
        let found = try importLaunch(Array(report.chromeTrace().utf8), file: "f").report()
        #expect(found.operations.count == report.operations.count && found.scenario == report.scenario)
        for operation in report.operations {
            let other = try #require(found[operation.id])
            #expect(other.title == operation.title && other.outcome == operation.outcome && other.attempts == operation.attempts)
            #expect(other.lane == operation.lane && other.isMain == operation.isMain || operation.start == nil)
            #expect(other.message == operation.message && other.notes == operation.notes)
            // What takes no time has a slice of a nanosecond, and comes after such.
            #expect(abs(other.end.nanoseconds - operation.end.nanoseconds) < 1000)
            guard let start = operation.start else {
                #expect(other.start == nil)
                continue
            }
            #expect(abs((other.start ?? .zero).nanoseconds - start.nanoseconds) < 1000)
            let waitedFor = operation.dependencies.filter { id in report[id].map { $0.start != nil && $0.end <= start } == true }
            #expect(Set(other.dependencies) == Set(waitedFor))
        }
    }
}

extension LaunchReport.Outcome {
    fileprivate static let allOfOne: [Self] = [
        .completed, .cancelled, .aborted(by: "config 1", reason: .forceUpdate), .failed(operation: "config 2", message: "no: network"),
    ]
}

extension OperationReport {
    /// The order in which dependencies were declared means nothing, and is not in a trace.
    fileprivate var sortingDependencies: OperationReport {
        OperationReport(
            id: id,
            title: title,
            dependencies: dependencies.sorted(),
            outcome: outcome,
            failure: failure,
            ready: ready,
            start: start,
            end: end,
            expected: expected,
            attempts: attempts,
            lane: lane,
            isMain: isMain,
            isInteractive: isInteractive,
            interactive: interactive,
            slack: slack,
            isCritical: isCritical,
            isCut: isCut,
            isDeferred: isDeferred,
            message: message,
            notes: notes
        )
    }
}
