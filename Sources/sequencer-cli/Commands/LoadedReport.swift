import Sequencer
import SequencerAnalysis
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
        // Built-in names come first, as in every command: a file of such a name is reached by a path.
        if Scenario.named(name) != nil { return [try await run(try LoadedScenario.load(name, clock: .virtual))] }
        let bytes = try LoadedScenario.bytes(of: name)
        let file = inputName(name)
        // The content decides: a report and a scenario may both be called launch.json, and standard input has no name.
        if let reports = try SavedReports.read(bytes, file: file) { return reports }
        let document = try parseScenario(bytes, file: file, orOf: [SavedSchema.report])
        return [try await run(LoadedScenario(document, from: file, clock: .virtual))]
    }

    /// Runs a scenario in virtual time.
    ///
    /// - Parameter deadline: nil for its own.
    static func run(_ scenario: LoadedScenario, deadline: LaunchOptions.Deadline? = nil) async throws -> LaunchReport {
        // Mistakes of a file are told with their places.
        _ = try scenario.validated()
        let launch = PreparedLaunch(scenario, RunArguments(clock: .virtual))
        var options = launch.options()
        if let deadline { options.deadline = deadline }
        return try await scenario.graph.run(budget: launch.budget, options: options).report
    }
}

/// The frame of the results of commands that look into one launch.
extension LaunchReport {
    /// - Parameters:
    ///   - title: comes behind the name of the launch and its time.
    ///   - signs: explains the signs in the body.
    func text(title: String = "", _ body: String, signs: String, _ page: ResultPage) -> String {
        let style = page.style
        var text = style.bold(printable(scenario)) + ": \(style.duration(endOfLaunchProper))\(title)\n"
        // Before anything else: its times are not those of a launch as it should be.
        if outcome != .completed || unusualMilestone != nil || !unknownTimes.operations.isEmpty {
            text += VerdictText(self, style: style, width: page.output.width).text
        }
        text += body
        // Scopes do not belong to it: they neither held it up nor lengthened it.
        if !scopes.isEmpty {
            let names = listed(scopes.map(\.name)) { printable($0, limit: 80) }
            text += style.dim("  not counted, for they are launches of their own: \(names)") + "\n"
        }
        if let grounds { text += style.dim(grounds.text) + "\n" }
        return text + style.dim(signs) + "\n"
    }

    func document(_ schema: String, _ members: JSONTree) -> String {
        let head: JSONTree = ["scenario": .text(scenario)] + outcome.json + (grounds?.json ?? [:])
        let end = afterMilestone?.start
        let times: JSONTree = ["makespanMs": .milliseconds(makespan), "milestoneMs": .milliseconds(end)]
        return JSONTree.document(schema, head + times + members)
    }
}
