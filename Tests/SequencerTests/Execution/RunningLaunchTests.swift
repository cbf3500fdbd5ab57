import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// What can be asked of a launch while it runs, whenever that is asked.
@Suite("A launch that runs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RunningLaunchTests {
    // MARK: Events

    /// Those that are told to everybody: an attempt that was repeated before somebody asked is not.
    private static func withoutRepeats(_ events: [LaunchEvent]) -> [LaunchEvent] {
        events.filter { event in
            switch event.kind {
            case .retrying: false
            case .started(_, let attempt): attempt == 1
            default: true
            }
        }
    }

    /// Who asks late is told what happened at one moment in an order that dependencies allow, which need not be that of threads.
    @Test(
        "fault L8: over random launches, streams asked for after the start, in the middle and after the end tell what an observer was told"
    )
    func lateStreams() async throws {
        let count = Nightly.times(day: 40, night: 400)
        var sameOrder = 0
        var streams = 0
        for seed in 1...UInt64(count) {
            let plan = RandomLaunch(seed: seed, sizes: 1...40, isQuiet: seed.isMultiple(of: 2))
            let result = try await PlannedLaunch(plan).run(clock: VirtualClock(patience: .seconds(300)))
            let told = Self.withoutRepeats(result.events)
            for stream in result.lateEvents {
                let seen = Self.withoutRepeats(await stream.reduce(into: []) { $0.append($1) })
                #expect(seen.first == LaunchEvent(kind: .launchStarted, time: .zero), "seed \(seed)")
                #expect(seen.count == told.count, "seed \(seed)")
                #expect(seen.map(\.time) == told.map(\.time), "seed \(seed)")
                #expect(Set(seen).symmetricDifference(told) == [], "seed \(seed)")
                #expect(LaunchInvariants(orderOf: seen, plan, result.report).violations == [], "seed \(seed)")
                streams += 1
                if seen == told { sameOrder += 1 }
            }
        }
        #expect(streams >= 2 * count, "of each launch at least one after the start, and one after the end")
        print("\(streams) streams of late askers, \(sameOrder) of them in the very same order as those of an observer")
    }

    @Test("of attempts that failed before somebody asks, a stream has the first start; of those after it, everything")
    func repeatedAttempts() async throws {
        let (asked, waits) = (Gate(), Gate())
        var graph = OperationGraph("attempts")
        graph.add("tries", .retry(attempts: 3, backoff: .zero)) { launch in
            if launch.attempt == 2 {
                waits.open()
                await asked.wait()
            }
            if launch.attempt < 3 { throw CancellationError() }
        }
        let launch = try graph.start(options: .patient)
        await waits.wait()
        let events = launch.events
        asked.open()
        let kinds = await events.reduce(into: []) { $0.append($1.kind) }
        #expect(
            kinds == [
                .launchStarted, .ready("tries"), .started("tries", attempt: 1), .retrying("tries", attempt: 2),
                .started("tries", attempt: 3),
                .ended("tries", .succeeded), .launchEnded,
            ]
        )
    }

    // MARK: The milestone

    @Test("milestone waits for a milestone however that ends, and for the end of a launch without one")
    func milestoneOutcomes() async throws {
        func milestone(_ options: StepOption..., fallback: Int? = nil, fails: Bool = false) async throws -> Outcome? {
            var graph = OperationGraph("outcomes")
            let first = graph.add("first", .onFailure(.skipDependents)) { if fails { throw CancellationError() } }
            graph.add("main", .all(options), after: first, fallback: fallback) { launch in
                try await launch.sleep(for: .seconds(1))
                return 1
            }
            return await (try graph.start(options: .virtual())).milestone["main"]?.outcome
        }
        #expect(try await milestone(.milestone) == .succeeded)
        #expect(try await milestone(.milestone, .timeout(.milliseconds(10))) == .timedOut)
        #expect(try await milestone(.milestone, .timeout(.milliseconds(10)), fallback: 0) == .fellBack)
        #expect(try await milestone(.milestone, .when { throw CancellationError() }) == .failed)
        #expect(try await milestone(.milestone, .when { false }) == .skipped)
        #expect(try await milestone(.milestone, fails: true) == .skipped)
        #expect(try await milestone() == .succeeded)
    }

    // MARK: Progress

    @Test("cancelling the progress cancels the launch")
    func cancelledProgress() async throws {
        let begun = Gate()
        var graph = OperationGraph("progress")
        graph.add("first") {}
        graph.add("second", after: "first") { launch in
            begun.open()
            try await launch.sleep(for: .seconds(3600))
        }
        let launch = try graph.start(options: LaunchOptions(deadline: .patience, grace: .seconds(30)))
        let progress = launch.progress
        #expect(progress.totalUnitCount == 2)
        await begun.wait()
        progress.cancel()
        #expect(await launch.end().report.outcome == .cancelled)
    }
}
