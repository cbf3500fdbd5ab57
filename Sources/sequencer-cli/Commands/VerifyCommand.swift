import Sequencer
import StartupOps

/// `verify`: finds mistakes in a scenario without doing its work.
///
/// A graph that cannot run is bad data. Otherwise it is launched in virtual time: where that fails, exceeds the budget,
/// or would be ended by the deadline, so does the command, as `run` does. Everything else is a warning.
struct VerifyCommand: LaunchingCommand {
    enum Format: String, CaseIterable, Sendable { case text, json, github, junit, sarif, xcode }

    static let name = "verify"
    static let summary = "Find mistakes in a scenario: cycles, unknown names, implied dependencies, a budget out of reach."
    static let ownArguments: [CommandArgument<Self>] = [
        .scenario(\.scenario),
        .word("format", "FORMAT", \.format)
            .help(
                "text (default), json, github (annotations), junit, sarif, or xcode "
                    + "(problems on standard error, as compilers write them)."
            ),
        .facts(\.facts),
    ]
    static let examples: KeyValuePairs = [
        "verify launch.json": "Check a scenario file.",
        "verify - < launch.json": "Check one from standard input.",
        "verify launch.json --format github": "Annotate the lines of a pull request.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "The launch can run; warnings may be worth a look.",
        "1":
            "In virtual time, as 'run --clock virtual' has it, the launch fails, as where a step takes longer than its timeout, or comes after its deadline.",
        "3": "In virtual time it is over its budget, or its milestone, or an initial display with a budget, never comes.",
        "65": "It cannot run: every mistake is named.",
    ]

    var scenario = ""
    var facts: [FactArgument] = []
    var common = CommonArguments()
    var format = Format.text

    mutating func check() throws(UsageError) {
        format = try Self.format(format == .text ? nil : format, common, json: .json) ?? .text
    }

    /// More mistakes than anyone mends at once.
    private static let maximumMistakes = 100

    func launch(_ page: ResultPage) async throws -> ExitCode {
        ProgressLine.begin("verify", reading: scenario)
        let (loaded, mistakes): (LoadedScenario, [ScenarioError])
        do {
            (loaded, mistakes) = try LoadedScenario.inspect(scenario, facts: facts, limit: Self.maximumMistakes)
        } catch {
            // Other programs want each end of the command in their format, a file that cannot be read included.
            guard isForOthers, let finding = Finding(unreadable: error) else { throw error }
            try write([finding], of: inputName(scenario), page)
            return CommandLineTool.exitCode(of: error)
        }
        let name = printable(loaded.graph.name, limit: 64)
        guard mistakes.isEmpty else {
            if !isForOthers { for mistake in mistakes { message("\(mistake)") } }
            try write(mistakes.map(Finding.init), of: name, json: json(of: mistakes, in: loaded.file?.document), page)
            // Said, because a user who mends a hundred would believe to be done.
            if mistakes.count == Self.maximumMistakes { message("there may be more: these are the first \(mistakes.count)") }
            return .badData
        }
        let findings = try await ScenarioFindings(loaded)
        try write(findings.shown, of: name, text: findings.text, json: findings.json, page)
        return findings.code
    }

    /// Whether the result is in the format of another program.
    private var isForOthers: Bool { format != .text && format != .json }

    /// Says as JSON why a scenario cannot run.
    private func json(of mistakes: [ScenarioError], in document: ScenarioDocument?) -> JSONTree {
        let places = mistakes.map { mistake -> JSONTree in
            [
                "line": .number(mistake.position.line), "column": .number(mistake.position.column),
                "path": mistake.path.isEmpty ? nil : .text(mistake.path), "message": .text(mistake.message),
            ]
        }
        let operations = document?.operations ?? []
        return [
            "scenario": .text(document?.name ?? inputName(scenario)), "operations": .number(operations.count),
            "dependencies": .number(operations.reduce(0) { $0 + $1.after.count }),
            // A scenario that cannot run keeps no budget; the key is there so that a program needs no second test.
            "budgetVerdict": "fail", "warnings": [], "mistakes": .array(places),
        ]
    }

    /// Writes the result.
    ///
    /// - Parameters:
    ///   - name: the scenario's.
    ///   - text: the result for people; nil for a scenario that cannot run.
    private func write(
        _ findings: some Sequence<Finding>,
        of name: String,
        text: String? = nil,
        json: JSONTree = [:],
        _ page: ResultPage
    ) throws {
        let isFile = Scenario.named(scenario) == nil && !isStandardInput(scenario)
        let list = FindingList(file: isFile ? inputName(scenario) : nil, scenario: name, findings: Array(findings))
        switch format {
        case .text: if let text { try page.output.write(text) }
        case .json: try page.output.write(JSONTree.document("sequencer.verification/1", json))
        case .github: try page.output.write(list.githubCommands)
        case .junit: try page.output.write(list.junit)
        case .sarif: try page.output.write(list.sarif)
        case .xcode:
            LiveView.replace(by: nil)
            Terminal.standardError.write(list.compilerLines)
            // A Swift file of comments only: the build of a target can depend on it.
            if let text { try page.output.write(text.split(separator: "\n").map { "// \($0)\n" }.joined()) }
        }
    }
}
