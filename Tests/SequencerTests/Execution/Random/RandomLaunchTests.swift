import Foundation
import TestSupport
import Testing

@testable import Sequencer

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
            let (file, arguments) = smallest.scenario
            Issue.record(
                """
                seed \(seed), \(time.rawValue) time: \(violations)
                the smallest launch that fails, for 'sequencer-cli run FILE \(arguments.joined(separator: " "))':
                \(file)not in it: \(smallest.omissions)
                """
            )
            return
        }
    }

    // MARK: Shrinking

    @Test("a launch that fails is made as small as it can be", arguments: UInt64(1)...20)
    func shrinking(seed: UInt64) async {
        // Fails where a step that hangs has one after it, wherever that is.
        func fails(_ plan: RandomLaunch) -> Bool {
            plan.steps.contains { step in step.dependencies.contains { plan.steps[$0].hangs } }
        }
        let plans = (0...).lazy.map { RandomLaunch(seed: seed * 1_000 + $0, sizes: 20...60, isQuiet: false) }
        guard let plan = plans.first(where: fails) else { return }
        let smallest = await plan.shrunk(while: fails)
        #expect(smallest.steps.count == 2)
        #expect(smallest.steps[0].hangs && smallest.steps[1].dependencies == [0])
        #expect(smallest.lanes == nil && smallest.cancelAfterEvents == nil && smallest.cancelStep == nil && smallest.deadline == nil)
        #expect(smallest.omissions.isEmpty)
    }

    /// The files are in `Tests/Data/RandomLaunches`, where the tests of the tool run them; `RECORD=1` writes them anew.
    @Test("launches are written as the scenario files that are kept", arguments: UInt64(1)...12)
    func scenarioFiles(seed: UInt64) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Data/RandomLaunches")
        let plan = RandomLaunch(seed: seed, sizes: 3...9, isQuiet: false)
        let (file, arguments) = plan.scenario
        for (text, ending) in [(file, "json"), (arguments.joined(separator: "\n") + "\n", "arguments")] {
            let url = folder.appendingPathComponent("seed-\(seed).\(ending)")
            if ProcessInfo.processInfo.environment["RECORD"] == "1" { try Data(text.utf8).write(to: url) }
            #expect(try String(contentsOf: url, encoding: .utf8) == text, "run with RECORD=1 to write it anew")
        }
    }
}
