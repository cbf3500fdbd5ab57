import Sequencer
import SequencerAnalysis

/// `verify`: finds mistakes in a scenario without doing its work.
///
/// A graph that cannot run is bad data. Otherwise it is launched in virtual time: where that fails, exceeds the budget,
/// or would be ended by the deadline, so does the command, as `run` does. Everything else is a warning.
struct VerifyCommand: LaunchingCommand {
    enum Format: String, CaseIterable, Sendable { case text, json, github, junit, sarif, xcode }

    static let name = "verify"
    static let summary = "Find mistakes in a scenario: cycles, unknown names, implied dependencies, a budget out of reach."
    static let ownArguments: [CommandArgument<Self>] = [
        .scenario { $0.scenario = $1 },
        .word(
            "format",
            "FORMAT",
            Format.self,
            help:
                "text (default), json, github (annotations), junit, sarif, or xcode "
                + "(problems on standard error, as compilers write them)."
        ) { $0.format = $1 },
        .facts { $0.facts = $1 },
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

    mutating func check() throws(UsageError) { format = try Self.format(format == .text ? nil : format, common, json: .json) ?? .text }

    /// More mistakes than anyone mends at once.
    private static let maximumMistakes = 100

    func launch(_ page: ResultPage) async throws -> ExitCode {
        ProgressLine.begin("verify", reading: scenario)
        let inspected: (scenario: LoadedScenario, mistakes: [ScenarioError])
        do {
            inspected = try LoadedScenario.inspect(scenario, facts: facts, limit: Self.maximumMistakes)
        } catch {
            // Other programs want each end of the command in their format, a file that cannot be read included.
            guard format != .text, format != .json, let (problem, code) = Self.unreadable(error) else { throw error }
            let name = inputName(scenario)
            try write([problem], of: name, in: name, nil, page)
            return code
        }
        let (loaded, mistakes) = inspected
        let name = printable(loaded.graph.name, limit: 64)
        if !mistakes.isEmpty {
            if format == .text || format == .json { for mistake in mistakes { message("\(mistake)") } }
            try write(mistakes.map(Self.problem), of: name, in: loaded.file?.name, nil, page)
            // Said, because a user who mends a hundred would believe to be done.
            if mistakes.count == Self.maximumMistakes { message("there may be more: these are the first \(mistakes.count)") }
            if format == .json { try page.output.write(json(of: mistakes, in: loaded.file?.document)) }
            return .badData
        }
        let (graph, budget) = (try loaded.validated(), loaded.budget(nil))
        let deadline = loaded.deadline(nil).limit(beside: budget)
        let forecast = try await LoadedReport.run(loaded, deadline: .never)
        let document = loaded.file?.document
        let findings = ScenarioFindings(graph, forecast, budget: budget, deadline: deadline, document: document)
        switch format {
        case .text: try page.output.write(findings.text())
        case .json: try page.output.write(findings.json())
        default: try write(Array(findings.problems), of: name, in: loaded.file?.name, findings.text(), page)
        }
        return findings.code
    }

    /// The problem of an input that cannot be read at all, with the exit code; nil for errors that are not the input's.
    private static func unreadable(_ error: any Error) -> (problem: Verification.Problem, code: ExitCode)? {
        func problem(_ message: String) -> Verification.Problem {
            Verification.Problem(level: .error, code: "unreadable", message: message, position: nil)
        }
        switch error {
        case let error as InputError:
            return (problem("cannot be read: \(error.reason)"), error.exitCode)
        case let error as ToolError where error.exitCode == .noInput: return (problem(error.description), error.exitCode)
        case let error as ScenarioError: return (Self.problem(error), .badData)
        default: return nil
        }
    }

    private static func problem(_ mistake: ScenarioError) -> Verification.Problem {
        let text = mistake.path.isEmpty ? mistake.message : "\(mistake.path): \(mistake.message)"
        return Verification.Problem(level: .error, code: "mistake", message: text, position: mistake.position)
    }

    /// Says as JSON why a scenario cannot run.
    private func json(of mistakes: [ScenarioError], in document: ScenarioDocument?) -> String {
        let places: JSONTree = .array(
            mistakes.map { mistake in
                [
                    "line": .number(mistake.position.line), "column": .number(mistake.position.column),
                    "path": mistake.path.isEmpty ? nil : .text(mistake.path), "message": .text(mistake.message),
                ]
            }
        )
        return JSONTree.document(
            "sequencer.verification/1",
            [
                "scenario": .text(document?.name ?? inputName(scenario)), "operations": .number(document?.operations.count ?? 0),
                "dependencies": .number(document?.operations.reduce(0) { $0 + $1.after.count } ?? 0),
                // A scenario that cannot run keeps no budget; the key is there so that a program needs no second test.
                "budgetVerdict": "fail", "warnings": [], "mistakes": places,
            ]
        )
    }

    /// Writes the problems in a format for other programs.
    ///
    /// - Parameters:
    ///   - name: the scenario's.
    ///   - file: the path of its file; nil for a built-in one.
    ///   - text: the result for people, of a scenario that can run.
    private func write(
        _ problems: [Verification.Problem],
        of name: String,
        in file: String?,
        _ text: String?,
        _ page: ResultPage
    ) throws {
        let verification = Verification(file: isStandardInput(scenario) ? nil : file, scenario: name, problems: problems)
        switch format {
        case .text, .json: break
        case .github: try page.output.write(verification.githubCommands)
        case .junit: try page.output.write(verification.junit)
        case .sarif: try page.output.write(try verification.sarif())
        case .xcode:
            LiveView.replace(by: nil)
            Terminal.standardError.write(verification.compilerLines)
            // A Swift file of comments only: the build of a target can depend on it.
            if let text { try page.output.write(text.split(separator: "\n").map { "// \($0)\n" }.joined()) }
        }
    }
}
