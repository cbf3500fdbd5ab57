import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Every recovery level, by every way in which the update policy can be late, wrong, missing or remembered: no cell lets a version past a policy that was
/// known by the milestone; one that is not known lets it in, and a later verdict takes the screen over.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("The update, whatever becomes of its policy", .serialized, .timeLimit(.minutes(30)), .real)
struct RealUpdateMatrixTests {
    /// What the device knows from before.
    private enum Known: CaseIterable {
        case nothing, allows, requires

        var policy: UpdatePolicy? {
            switch self {
            case .nothing: nil
            case .allows: UpdatePolicy(minimumVersion: SemanticVersion(0, 1))
            case .requires: required
            }
        }
    }

    /// What the service says.
    private enum Answer: CaseIterable {
        case allows, requires, closed, empty, nonsense, unreachable, never, allowsLate, requiresLate, nonsenseLate

        /// Nil where there is none in the time that the check has.
        var policy: UpdatePolicy? {
            get throws {
                switch self {
                case .allows, .allowsLate: UpdatePolicy(minimumVersion: SemanticVersion(0, 1))
                case .requires, .requiresLate: required
                case .closed: UpdatePolicy(maintenance: UpdatePolicy.Maintenance(message: "Back at noon."))
                case .empty: UpdatePolicy()
                case .nonsense, .nonsenseLate:
                    try JSONDecoder().decode(UpdatePolicy.self, from: Data(#"{"minimumVersion":"abc","maintenance":7}"#.utf8))
                case .unreachable, .never: nil
                }
            }
        }

        /// The launch waits for 2 s, the check for 30.
        var delay: Duration {
            switch self {
            case .allows, .requires, .closed, .empty, .nonsense, .unreachable: .milliseconds(100)
            case .allowsLate, .requiresLate, .nonsenseLate: .seconds(5)
            case .never: .seconds(100)
            }
        }

        var isLate: Bool { delay > .seconds(2) }
    }

    /// What becomes of the check.
    private enum Check: CaseIterable {
        case runs, fails, hangs, leftOut
    }

    private static let required = UpdatePolicy(minimumVersion: SemanticVersion(99), message: "Please update.")

    private struct Policies: UpdatePolicyService {
        let answer: Answer
        let clock: VirtualClock

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
            try await clock.sleep(for: answer.delay)
            guard let policy = try answer.policy else { throw unreachable }
            return policy
        }
    }

    /// Has the next launch begin at a recovery level.
    private func prepare(_ device: SampleDevice, level: RecoveryLevel, known: Known) throws {
        try device.die(in: "splash", before: level)
        let directory = device.directory()
        try directory.state.remove("update-policy")
        if let policy = known.policy { try directory.launchState().recordUpdatePolicy(try JSONEncoder().encode(policy)) }
    }

    /// - Returns: the screens that show what became of the launch, and the policy that is known after it.
    private func launch(
        _ device: SampleDevice,
        _ scenario: Scenario,
        level: RecoveryLevel,
        _ answer: Answer,
        _ check: Check
    ) async throws -> (shown: [String], minimum: SemanticVersion?) {
        let clock = VirtualClock(patience: .seconds(300))
        let journal = LaunchJournal.open(in: device.directory(), version: "1.0.0")
        let person = AgreeablePerson()
        var environment = device.environment(StartupPresenters(all: person), journal: journal)
        defer { environment.devices.closeAll() }
        environment.services.updates = Policies(answer: answer, clock: clock)
        var graph = environment.graph(scenario)
        journal.prepare(&graph)
        #expect(journal.recovery.level == level)
        switch check {
        case .runs: break
        case .fails: try graph.inject(.fail, into: "force-update")
        case .hangs: try graph.inject(.hang, into: "force-update")
        case .leftOut: try graph.skip("force-update", because: "a test")
        }
        let options = LaunchOptions(grace: .seconds(60), clock: clock, admission: .oneAtATime)
        _ = try await journal.run(graph, budget: .seconds(3), options: options)
        await environment.lateUpdateCheck.end()
        let kept = environment.state.lastUpdatePolicy.value.flatMap { try? JSONDecoder().decode(UpdatePolicy.self, from: $0) }
        return (person.shown.filter { ["main", "active", "update", "maintenance"].contains($0) }, kept?.minimumVersion)
    }

    @Test(
        "fault P16, P17, O22: at every level, a policy that is known by the milestone counts, and a later one as soon as it comes",
        arguments: Nightly.cases(RecoveryLevel.allCases, each: 2)
    )
    func matrix(level: RecoveryLevel) async throws {
        let device = try SampleDevice()
        // By day a third of the cells, others at each level.
        var number = RecoveryLevel.allCases.firstIndex(of: level) ?? 0
        #expect(try await device.launch().report.outcome == .completed)
        for (scenario, screen) in [(Scenario.regular, "main"), (.warmResume, "active")] {
            for known in Known.allCases {
                for check in Check.allCases {
                    // A check that does not run has no answer.
                    for answer in check == .runs ? Answer.allCases : [.requires] {
                        number += 1
                        guard Nightly.includes(number, of: 3) else { continue }
                        try prepare(device, level: level, known: known)
                        let answered = check == .runs ? try answer.policy : nil
                        let isInTime = answered != nil && !answer.isLate
                        // What was known counts until a policy with a minimum has been read.
                        let before = isInTime ? answered?.minimumVersion ?? known.policy?.minimumVersion : known.policy?.minimumVersion
                        let after = answered?.minimumVersion ?? known.policy?.minimumVersion
                        let expected: [String]
                        if before == SemanticVersion(99) {
                            expected = ["update"]
                        } else if isInTime, answered?.maintenance != nil {
                            expected = ["maintenance"]
                        } else {
                            expected = after == SemanticVersion(99) ? [screen, "update"] : [screen]
                        }
                        let (shown, minimum) = try await launch(device, scenario, level: level, answer, check)
                        let cell = "\(scenario), known: \(known), check: \(check), answer: \(answer)"
                        #expect(shown == expected, "\(cell)")
                        #expect(minimum == after, "\(cell)")
                    }
                }
            }
        }
    }
}
