import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A launch at a level of safe mode, and the update policy that it meets.
struct SafeModeCase: Sendable, Hashable, CustomTestStringConvertible {
    enum Policy: String, Sendable, CaseIterable {
        case allows = "allows this version"
        case requires = "requires an update"
        case remembered = "required an update; connections are refused now"
    }

    /// What became of a launch.
    struct Observation {
        let level: RecoveryLevel
        let launch: DegradationCase.Observation
        let measured: Duration
        let shown: [String]
        /// The operations that safe mode has left out; empty where the launch was stopped, which may be before it came to them.
        let leftOut: [String]

        /// The cells of the document's table.
        var cells: [String] { launch.cells.prefix(2) + [leftOut.isEmpty ? "–" : leftOut.joined(separator: ", ")] }
    }

    let level: RecoveryLevel
    let policy: Policy

    var testDescription: String { "\(level.rawValue), \(policy.rawValue)" }

    static let all = RecoveryLevel.allCases.flatMap { level in Policy.allCases.map { SafeModeCase(level: level, policy: $0) } }

    /// How the launch has to end.
    var outcome: String { policy == .allows ? "completed" : "aborted by force-update" }

    /// What the main screen has to be made of; nil when it must not be shown.
    var content: String? {
        guard policy == .allows else { return nil }
        return switch level {
        case .normal, .skipping: "remote configuration, person, Kitchen"
        case .withoutTrialConfiguration, .withoutCaches: "cached configuration, person, Kitchen"
        case .minimal: "cached configuration, guest, no speaker"
        }
    }

    /// Launches for real, on a device of its own, after launches that died in the splash.
    func observe() async throws -> Observation {
        let device = try SampleDevice()
        _ = try await device.launch()
        switch policy {
        case .allows: break
        case .requires: device.service.requireUpdate()
        case .remembered:
            let policy = try JSONEncoder().encode(UpdatePolicy(minimumVersion: SemanticVersion(9)))
            try device.directory().launchState().recordUpdatePolicy(policy)
            device.outages.refuse("/v1/version-policy")
        }
        try device.die(in: "splash", before: level)
        let journal = LaunchJournal.open(in: device.directory(), version: "1.0.0")
        let person = AgreeablePerson()
        let environment = device.environment(StartupPresenters(all: person), journal: journal)
        defer { environment.devices.closeAll() }
        let scenario = Scenario(for: environment.facts())
        var graph = environment.graph(scenario)
        journal.prepare(&graph)
        let options = LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime)
        let report = try await journal.run(graph, budget: .seconds(3), options: options).report
        let result = SampleDevice.Result(scenario: scenario.name, report: report, shown: person.shown, content: person.content)
        return Observation(
            level: journal.recovery.level,
            launch: DegradationCase.Observation(result, on: device),
            measured: report.budget.measured,
            shown: person.shown,
            leftOut: report.outcome != .completed
                ? [] : report.operations.filter { $0.message?.hasPrefix("left out: ") == true }.map(\.id)
        )
    }
}

extension SampleDevice {
    /// Leaves the journals of launches that died in an operation, so that the next one is at a level of safe mode.
    func die(in operation: String, before level: RecoveryLevel) throws {
        try? FileManager.default.removeItem(at: location.appendingPathComponent("journal"))
        let deaths: [JournalLine] =
            switch level {
            case .normal: []
            case .skipping: Array(repeating: JournalSamples.began(version: "1.0.0"), count: 3)
            case .withoutTrialConfiguration: [JournalSamples.began(version: "1.0.0", level: .skipping)]
            case .withoutCaches: [JournalSamples.began(version: "1.0.0", level: .withoutTrialConfiguration)]
            case .minimal: [JournalSamples.began(version: "1.0.0", level: .withoutCaches)]
            }
        try JournalSamples.write(deaths.map { [$0, .started(operation)] }, in: location)
    }
}
