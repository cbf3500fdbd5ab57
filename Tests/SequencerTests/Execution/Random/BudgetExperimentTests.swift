import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Launches whose expectations are wrong: keeping their budgets must never do harm.
@Suite("Keeping budgets by wrong expectations", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BudgetExperimentTests {
    /// `MISJUDGED_LAUNCHES=2000 swift test --filter BudgetExperiment` runs as many.
    static let count =
        ProcessInfo.processInfo.environment["MISJUDGED_LAUNCHES"].flatMap { Int($0) } ?? Nightly.times(day: 100, night: 300)

    fileprivate struct Tally: CustomStringConvertible {
        var (met, metWithout, saved, harmed, cuts, needless, futile) = (0, 0, 0, 0, 0, 0, 0)
        var description: String {
            "\(met) met their budgets, \(metWithout) without enforcement (\(saved) saved, \(harmed) harmed); \(cuts) cuts,"
                + " of which \(needless) were not needed, as it turned out, and \(futile) did not save the budget"
        }
    }

    @Test(
        "fault H50: with expectations wrong by 0.3 to 3, no launch misses what it would have met, and each cut was right by what was known"
    )
    func allWrong() async throws {
        var tally = Tally()
        for seed in 1...UInt64(Self.count) {
            let launch = MisjudgedLaunch(seed: seed)
            let enforced = try await launch.run(lanes: nil, isEnforced: true)
            let measured = try await launch.run(lanes: nil, isEnforced: false)
            tally.add(launch, enforced, measured)
            #expect(enforced.budget.isMet || !measured.budget.isMet, "\(launch)")
            for (node, operation) in enforced.operations.enumerated() where operation.isCut { expectRight(launch, enforced, node) }
        }
        print("\(Self.count) launches: \(tally)")
        #expect(tally.harmed == 0 && tally.saved > 0)
    }

    /// A cut comes after the time that was expected, or at the last moment that those leave who cannot be cut; and only if it can save the budget.
    private func expectRight(_ launch: MisjudgedLaunch, _ report: LaunchReport, _ node: Int) {
        guard let ready = report.operations[node].ready?.nanoseconds, let rest = launch.leastRest(of: node) else {
            Issue.record("\(launch.id(node)) was cut for nothing: \(launch)")
            return
        }
        let end = report.operations[node].end.nanoseconds
        #expect(end - ready >= launch.steps[node].expected || end >= launch.lastCut(before: rest), "\(launch.id(node)): \(launch)")
        #expect(launch.canBeKept(at: end, in: report), "\(launch.id(node)), cut at \(end): \(launch)")
    }

    @Test("fault H50: where one operation takes three times as long, the budget is met, and each cut was needed")
    func oneWrong() async throws {
        var tally = Tally()
        for seed in 1...UInt64(Self.count) {
            let launch = MisjudgedLaunch(seed: seed, .one, canDefer: false)
            let enforced = try await launch.run(lanes: nil, isEnforced: true)
            tally.add(launch, enforced, try await launch.run(lanes: nil, isEnforced: false))
            #expect(enforced.budget.isMet, "\(launch)")
            #expect(enforced.operations.filter(\.isCut).count <= 1, "\(launch)")
        }
        print("\(Self.count) launches, one wrong: \(tally)")
        #expect(tally.needless == 0 && tally.futile == 0 && tally.cuts > 0)
    }

    @Test(
        "on a clock that wakes late, where one operation takes three times as long, the launch is late by no more than the clock",
        arguments: ExactOrLateClock.allCases
    )
    func oneWrongAndLate(clock: ExactOrLateClock) async throws {
        for seed in 1...UInt64(Self.count) {
            let launch = MisjudgedLaunch(seed: seed, .one, canDefer: false)
            let report = try await launch.run(lanes: nil, isEnforced: true, on: clock)
            let isInTime = report.budget.isMet || clock.isAt(report.budget.measured, .nanoseconds(launch.budget), wakes: launch.steps.count)
            #expect(isInTime, "\(report.budget.measured): \(launch)")
        }
    }
}

extension BudgetExperimentTests.Tally {
    fileprivate mutating func add(_ launch: MisjudgedLaunch, _ enforced: LaunchReport, _ measured: LaunchReport) {
        met += enforced.budget.isMet ? 1 : 0
        metWithout += measured.budget.isMet ? 1 : 0
        saved += enforced.budget.isMet && !measured.budget.isMet ? 1 : 0
        harmed += !enforced.budget.isMet && measured.budget.isMet ? 1 : 0
        for (node, operation) in enforced.operations.enumerated() where operation.isCut {
            cuts += 1
            if !enforced.budget.isMet {
                futile += 1
            } else if launch.milestoneEnd(in: enforced, withoutCutting: node) <= launch.budget {
                needless += 1
            }
        }
    }
}
