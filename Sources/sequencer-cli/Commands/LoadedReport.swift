import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTestingCore
import StartupNetworking
import StartupOps

/// Loads the report of a launch: a saved report, or that of a scenario, which is run in virtual time for it.
enum LoadedReport {
    /// The codes of the commands that look into one.
    static let exitCodes: KeyValuePairs = [
        "0": "The report could be read. How its launch ended is in the result, and changes no exit code."
    ]

    /// - Parameter name: a file of one saved report, a built-in scenario, a scenario file, or `-`.
    static func load(_ name: String) async throws -> LaunchReport {
        // Many reports are refused rather than the first one taken: it would be any of them.
        let reports = try await loadAll(name)
        if let report = reports.first, reports.count == 1 { return report }
        let message = "\(inputName(name)) holds \(reports.count) reports, and this reads one; 'report' and 'stats' read many"
        throw ToolError(.badData, message)
    }

    /// - Parameter name: a file of saved reports, a built-in scenario, a scenario file, or `-`.
    static func loadAll(_ name: String) async throws -> [LaunchReport] {
        // Built-in names come first, as in every command: a file of such a name is reached by a path. A word that is no
        // file gets the list of scenarios.
        let isPath = name == "-" || name.contains("/") || name.contains(".") || FileManager.default.fileExists(atPath: name)
        if Scenario.named(name) != nil || !isPath { return [try await run(LoadedScenario.load(name, clock: .virtual))] }
        let bytes = try readInput(name)
        let file = inputName(name)
        // The content decides: a report and a scenario may both be called launch.json, and standard input has no name.
        if SavedReports.begin(bytes) { return try SavedReports.decode(bytes, file: file).map(\.withCriticalPath) }
        let document = try parseScenario(bytes, file: file, orOf: [SavedSchema.report])
        return [try await run(LoadedScenario(document, from: file, clock: .virtual))]
    }

    private static func run(_ scenario: LoadedScenario) async throws -> LaunchReport {
        try await run(scenario, deadline: scenario.deadline(nil))
    }

    /// Runs a scenario in virtual time.
    static func run(_ scenario: LoadedScenario, deadline: Duration?) async throws -> LaunchReport {
        // Mistakes of a file are told with their places.
        _ = try scenario.validated()
        let options = LaunchOptions(
            lanes: scenario.lanes,
            deadline: deadline,
            // Nobody answers in virtual time, so a person's time ends the launch like any other.
            deadlineCountsInteractiveTime: true,
            clock: VirtualClock(),
            // A fixed seed: blame and critical-chain are to say the same each time.
            seed: 0
        )
        return try await scenario.graph.run(budget: scenario.budget(nil), options: options).report
    }
}
