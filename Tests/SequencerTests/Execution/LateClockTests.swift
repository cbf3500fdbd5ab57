import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// A launch comes to the same end where every timer and every step wakes up to 20 ms late, as on a busy machine.
@Suite("A clock that wakes late", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LateClockTests {
    struct Failure: Error {}

    /// Launches in which a time decides something; none of these times is nearer than 100 ms to another one.
    enum Case: CaseIterable {
        case timeout, retry, valueFallback, computedFallback, person, event, interactive, deadline, cut, deferred, after

        func add(to graph: inout OperationGraph) {
            switch self {
            case .timeout: graph.wait("step", 3000, .timeout(.seconds(1)), .onFailure(.continue))
            case .retry:
                graph.add("step", .timeout(.seconds(1)), .retry(attempts: 9, backoff: .milliseconds(300)), .onFailure(.continue)) {
                    launch in
                    try await launch.sleep(for: .milliseconds(100))
                    throw Failure()
                }
            case .valueFallback:
                graph.add("step", .timeout(.seconds(1)), fallback: 0) { launch in
                    try await launch.sleep(for: .seconds(3))
                    return 1
                }
            case .computedFallback:
                graph.add("step", .timeout(.seconds(1))) { (launch: StepContext) async throws in
                    try await launch.sleep(for: .seconds(3))
                    return 1
                } fallback: { _, _ in
                    0
                }
            case .person:
                graph.add("step", .timeout(.seconds(1))) { launch in
                    try await launch.waitForPerson { try await launch.sleep(for: .seconds(30)) }
                    try await launch.sleep(for: .milliseconds(800))
                }
            case .event:
                graph.wait(for: ExternalEvent<Int>("never"), id: "step", .timeout(.seconds(1)), .onFailure(.continue))
            case .interactive: graph.wait("step", 30_000, .interactive, .timeout(.seconds(60)))
            case .deadline: graph.wait("step", 600_000)
            case .cut:
                graph.add("step", .cuttable, .expected(.milliseconds(200)), fallback: 0) { launch in
                    try await launch.sleep(for: .seconds(9))
                    return 1
                }
            case .deferred:
                let load = graph.wait("load", 2500, .expected(.seconds(1)))
                graph.wait("step", 700, .expected(.milliseconds(700)), .deferrable, after: load)
            case .after:
                let first = graph.wait("first", 1500, .timeout(.seconds(1)), .onFailure(.skipDependents))
                graph.wait("step", 100, after: first)
            }
        }

        func launch(on clock: VirtualClock) async throws -> LaunchReport {
            var graph = OperationGraph("\(self)")
            add(to: &graph)
            graph.wait("beside", 200, .expected(.milliseconds(200)))
            graph.add("main", .milestone, .expected(.milliseconds(100)), after: ["step", "beside"]) { launch in
                try await launch.sleep(for: .milliseconds(100))
            }
            return try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: clock)).report
        }
    }

    @Test("each decision by time comes out as on an exact clock", arguments: Case.allCases)
    func decisions(of launch: Case) async throws {
        func decisions(_ report: LaunchReport) -> [String] {
            report.operations.map { "\($0.id) \($0.outcome) \($0.attempts) \($0.isCut) \($0.isDeferred)" } + ["\(report.outcome.name)"]
        }
        let exact = decisions(try await launch.launch(on: VirtualClock()))
        for seed in 0..<UInt64(Nightly.times(day: 5, night: 20)) {
            let clock = VirtualClock(wakesLateBy: .zero ... .milliseconds(20), seed: seed)
            #expect(decisions(try await launch.launch(on: clock)) == exact, "seed \(seed)")
        }
    }

    @Test("everybody wakes late, by a time of the range, and equally late for one seed")
    func lateness() async throws {
        func ends(_ range: ClosedRange<Duration>, seed: UInt64) async throws -> [Duration] {
            var graph = OperationGraph("late")
            for number in 0..<20 { graph.wait("step-\(number)", 100) }
            graph.wait("stopped", 1000, .timeout(.milliseconds(100)), .onFailure(.continue))
            let options = LaunchOptions(clock: VirtualClock(wakesLateBy: range, seed: seed))
            return try await graph.run(options: options).report.operations.map(\.end)
        }
        let late = try await ends(.milliseconds(5) ... .milliseconds(20), seed: 1)
        #expect(late.allSatisfy { $0 >= .milliseconds(105) && $0 <= .milliseconds(120) } && Set(late).count > 10)
        #expect(try await ends(.milliseconds(5) ... .milliseconds(20), seed: 1) == late)
        #expect(try await ends(.milliseconds(5) ... .milliseconds(20), seed: 2) != late)
        #expect(try await ends(.seconds(-2) ... .seconds(-1), seed: 1).allSatisfy { $0 == .milliseconds(100) })
    }
}
