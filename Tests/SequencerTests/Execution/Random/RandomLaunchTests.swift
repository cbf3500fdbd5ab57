import Foundation
import TestSupport
import Testing

/// Thousands of random launches, each compared with ``ReferenceModel`` and checked against ``LaunchInvariants``.
///
/// `RANDOM_LAUNCHES` sets how many per case, `RANDOM_SEED` where the seeds begin; a failure names its seed, and shows the smallest launch that
/// fails in the same way.
@Suite("Random launches", .serialized, .timeLimit(.minutes(60)), .besideOthers)
struct RandomLaunchTests {
    static let count = ProcessInfo.processInfo.environment["RANDOM_LAUNCHES"].flatMap { Int($0) } ?? 100
    static let firstSeed = ProcessInfo.processInfo.environment["RANDOM_SEED"].flatMap { UInt64($0) } ?? 1

    @Test("without anything that stops them, launches come to what the model says", arguments: RandomLaunchCheck.Time.allCases)
    func quiet(_ time: RandomLaunchCheck.Time) async throws {
        try await check(time, isQuiet: true)
    }

    @Test(
        "fault L8: with failures, hangs, aborts and cancels, every launch ends and keeps its promises",
        arguments: RandomLaunchCheck.Time.allCases
    )
    func stormy(_ time: RandomLaunchCheck.Time) async throws {
        try await check(time, isQuiet: false)
    }

    private func check(_ time: RandomLaunchCheck.Time, isQuiet: Bool) async throws {
        for offset in 0..<UInt64(Self.count) {
            let seed = Self.firstSeed + offset
            let plan = RandomLaunch(seed: seed, sizes: 1...(seed % 10 == 1 ? 200 : 30), isQuiet: isQuiet)
            let violations = try await RandomLaunchCheck.violations(of: plan, time)
            if violations.isEmpty { continue }
            // What fails only now and then has more than one chance to.
            let smallest = try await plan.shrunk { candidate in
                for _ in 0..<3 where try await !RandomLaunchCheck.violations(of: candidate, time).isEmpty { return true }
                return false
            }
            Issue.record("seed \(seed), \(time.rawValue) time: \(violations)\nthe smallest launch that fails: \(smallest)")
            return
        }
    }
}
