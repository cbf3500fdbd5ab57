import Sequencer
import SequencerAnalysis
import StartupOps

/// `verify`: finds mistakes in a scenario without running it.
///
/// A graph that cannot run is bad data; one whose path to the milestone exceeds the budget is over budget; one whose critical path alone exceeds the deadline
/// will fail; everything else is a warning.
struct VerifyCommand: Command {
    enum Format: String, CaseIterable, Sendable {
        case text, json, github, junit, sarif, xcode
    }

    static let name = "verify"
    static let summary = "Find mistakes in a scenario: cycles, unknown names, implied dependencies, a budget out of reach."
    static let positionals: [CommandPositional<Self>] = [.scenario { $0.scenario = $1 }]
    static let options: [CommandOption<Self>] = combined(
        [
            .word(
                "format",
                "FORMAT",
                Format.self,
                help:
                    "text (default), json, github (annotations), junit, sarif, or xcode (problems on standard error, as compilers write them)."
            ) { $0.format = $1 },
            .facts { $0.facts = $1 },
        ],
        part(CommonArguments.options, \.common)
    )
    static let examples: KeyValuePairs = [
        "verify launch.json": "Check a scenario file.",
        "verify - < launch.json": "Check one from standard input.",
        "verify launch.json --format github": "Annotate the lines of a pull request.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "The launch can run; warnings may be worth a look.",
        "1": "Its budget can be kept, but its critical path takes longer than its deadline, so it would fail.",
        "3": "Its critical path alone takes longer than its budget.",
        "65": "It cannot run: every mistake is named.",
    ]

    var scenario = ""
    var facts: [FactArgument] = []
    var common = CommonArguments()
    var format = Format.text

    mutating func check() throws(UsageError) {
        guard common.json else { return }
        if format != .text, format != .json { throw Self.failure("options '--json' and '--format \(format.rawValue)' exclude each other") }
        format = .json
    }

    /// More mistakes than anyone mends at once.
    private static let maximumMistakes = 100

    func run() throws -> ExitCode {
        let output = Output(common.output)
        try output.check()
        let inspected: (scenario: LoadedScenario, mistakes: [ScenarioError])
        do {
            inspected = try ProgressBar.during("verify", reading: scenario) {
                try LoadedScenario.inspect(scenario, facts: facts, limit: Self.maximumMistakes)
            }
        } catch {
            // Other programs want each end of the command in their format, a file that cannot be read included.
            guard isForPrograms, let (problem, code) = Self.unreadable(error) else { throw error }
            let name = inputName(scenario)
            try write([problem], of: name, in: isStandardInput(scenario) ? nil : name, nil, to: output)
            return code
        }
        let (loaded, mistakes) = inspected
        if !mistakes.isEmpty { return try report(mistakes, in: loaded, to: output) }
        let findings = try ProgressBar.during("verify", reading: scenario) {
            let budget = loaded.budget ?? LoadedScenario.defaultBudget
            let deadline = LaunchOptions.deadline(loaded.deadline(nil), beside: Budget(budget))
            return try ScenarioFindings(try loaded.validated(), budget: budget, deadline: deadline, document: loaded.file?.document)
        }
        switch format {
        case .text: try output.write(findings.text())
        case .json: try output.write(findings.json())
        case .github, .junit, .sarif, .xcode: try write(findings.problems(in: loaded), in: loaded, findings.text(), to: output)
        }
        return findings.isOverBudget ? .overBudget : findings.isPastDeadline ? .failed : .success
    }
}

extension VerifyCommand {
    private var isForPrograms: Bool { format != .text && format != .json }

    /// The problem of an input that cannot be read at all, with the exit code; nil for errors that are not the input's.
    private static func unreadable(_ error: any Error) -> (problem: Verification.Problem, code: ExitCode)? {
        func problem(_ message: String) -> Verification.Problem {
            Verification.Problem(level: .error, code: "unreadable", message: message, position: nil)
        }
        switch error {
        case let error as InputError:
            return (problem("cannot be read: \(error.reason)"), error.category == .noInput ? .noInput : .badData)
        case let error as ToolError where error.exitCode == .noInput: return (problem(error.description), error.exitCode)
        case let error as ScenarioError: return (Self.problem(of: error), .badData)
        default: return nil
        }
    }

    private static func problem(of mistake: ScenarioError) -> Verification.Problem {
        let text = mistake.path.isEmpty ? mistake.message : "\(mistake.path): \(mistake.message)"
        return Verification.Problem(level: .error, code: "mistake", message: text, position: mistake.position)
    }

    /// Says why a scenario cannot run: on standard error, and as JSON where that is asked for.
    private func report(_ mistakes: [ScenarioError], in scenario: LoadedScenario, to output: Output) throws -> ExitCode {
        if isForPrograms {
            try write(mistakes.map(Self.problem(of:)), in: scenario, nil, to: output)
        } else {
            for mistake in mistakes { message("\(mistake)") }
        }
        // Said, because a person who mends a hundred would believe to be done.
        if mistakes.count == Self.maximumMistakes { message("there may be more: these are the first \(mistakes.count)") }
        guard format == .json, let document = scenario.file?.document else { return .badData }
        let json = JSONWriter.document("sequencer.verification/1") { json in
            json.write(document.name, for: "scenario")
            json.write(document.operations.count, for: "operations")
            json.write(document.operations.reduce(0) { $0 + $1.after.count }, for: "dependencies")
            // A scenario that cannot run keeps no budget; the key is there so that a program needs no second test.
            json.write("fail", for: "budgetVerdict")
            json.write([], for: "warnings")
            json.writeObjects(mistakes, for: "mistakes") { json, mistake in
                json.write(mistake.position.line, for: "line")
                json.write(mistake.position.column, for: "column")
                if !mistake.path.isEmpty { json.write(mistake.path, for: "path") }
                json.write(mistake.message, for: "message")
            }
        }
        try output.write(json)
        return .badData
    }
}

extension VerifyCommand {
    private func write(_ problems: [Verification.Problem], in loaded: LoadedScenario, _ text: String?, to output: Output) throws {
        let file = isStandardInput(scenario) ? nil : loaded.file?.name
        try write(problems, of: printable(loaded.graph.name, limit: 64), in: file, text, to: output)
    }

    /// Writes the problems in a format for other programs.
    ///
    /// - Parameters:
    ///   - name: the scenario's.
    ///   - file: the path of its file; nil for a built-in one, and for standard input.
    ///   - text: the result for people, of a scenario that can run.
    private func write(
        _ problems: [Verification.Problem],
        of name: String,
        in file: String?,
        _ text: String?,
        to output: Output
    ) throws {
        let verification = Verification(file: file, scenario: name, problems: problems)
        switch format {
        case .text, .json: break
        case .github: try output.write(verification.githubCommands)
        case .junit: try output.write(verification.junit)
        case .sarif: try output.write(verification.sarif)
        case .xcode:
            Terminal.standardError.write(verification.compilerLines)
            // A Swift file of comments only: the build of a target can depend on it.
            guard let text else { return }
            try output.write(text.split(separator: "\n").map { "// \($0)\n" }.joined())
        }
    }
}

/// The warnings of `verify` about a graph that can run.
struct ScenarioFindings {
    struct Warning {
        /// Fit for programs, one of ``ScenarioFindings/kinds``.
        let code: String
        let message: String
        /// The operation that it is about; nil for the whole scenario.
        var operation: String?
    }

    /// The codes of warnings, in their order, each with how further ones are called that are counted only.
    private static let kinds = [
        ("impliedDependency", "implied dependencies"), ("absentDependency", "such dependencies"), ("overlappingInteraction", "such pairs"),
        ("nobodyAsked", "such operations"), ("budget", ""), ("deadline", ""), ("deadlineWithinBudget", ""), ("timeouts", ""),
        ("lateUpdateCheck", ""), ("unawaitedRequired", "such operations"),
    ]
    /// More pairs of operations than anyone mends one by one.
    private static let maximumPairs = 1000
    /// More warnings of a kind than anyone reads.
    private static let maximumShown = 100

    let isOverBudget: Bool
    /// Whether the launch will fail, because its deadline comes before its milestone.
    let isPastDeadline: Bool
    private let budget: Duration
    private let deadline: Duration?
    private let graph: ValidatedGraph
    private let warnings: [Warning]
    /// Pairs of operations that can ask the person at the same time, besides those that are among the warnings.
    private let unnamed: Int

    /// - Parameters:
    ///   - budget: what the launch may take until its milestone.
    ///   - deadline: when the launch is ended, even if operations still run; nil for never.
    ///   - document: the file that the graph was made of.
    init(_ graph: ValidatedGraph, budget: Duration, deadline: Duration?, document: ScenarioDocument? = nil) throws {
        self.graph = graph
        self.budget = budget
        self.deadline = deadline
        // One whose value is read cannot be left out, implied or not.
        var warnings = graph.edges.subtracting(graph.reduced().edges).sorted().map { edge in
            Warning(
                code: "impliedDependency",
                message:
                    "\(printable(edge.operation, limit: 64)) need not wait for \(printable(edge.dependency, limit: 64)): other dependencies imply it",
                operation: edge.operation
            )
        }
        warnings += (document.map(Self.misspelledDependencies) ?? []).map { Warning(code: "absentDependency", message: $0) }
        let overlaps = graph.overlappingInteractions(maximum: Self.maximumPairs)
        warnings += overlaps.pairs.map { first, second in
            Warning(
                code: "overlappingInteraction",
                message: "\(printable(first, limit: 64)) and \(printable(second, limit: 64)) can ask the person at the same time; "
                    + "give both the exclusive resource 'ui'",
                operation: second
            )
        }
        unnamed = overlaps.count - overlaps.pairs.count
        warnings += (document?.operations ?? []).filter { $0.interactive && !$0.asksPerson }.map { operation in
            Warning(
                code: "nobodyAsked",
                message: "\(printable(operation.id, limit: 64)) is interactive, but its work asks nobody, so its time counts; "
                    + "'simulate' stands for a person",
                operation: operation.id
            )
        }
        let (counted, path) = graph.budgetedPath
        isOverBudget = counted > budget
        if isOverBudget {
            let names = path.map { printable($0, limit: 64) }.joined(separator: " → ")
            warnings.append(
                Warning(
                    code: "budget",
                    message: "the critical path alone takes \(durationText(counted)) of \(durationText(budget)): \(names)",
                    operation: path.last
                )
            )
        }
        let needed = graph.criticalPathDuration
        isPastDeadline = deadline.map { needed > $0 } ?? false
        if let deadline {
            if isPastDeadline {
                let names = graph.criticalPath.map { printable($0, limit: 64) }.joined(separator: " → ")
                let message =
                    "by what is expected the launch takes \(durationText(needed)), and fails at its deadline, \(durationText(deadline)): \(names)"
                warnings.append(Warning(code: "deadline", message: message))
            } else if case let all = graph.longestPathDuration, all > deadline {
                let message =
                    "by what is expected, what runs on after the milestone takes until \(durationText(all)), and is ended at the deadline, \(durationText(deadline))"
                warnings.append(Warning(code: "deadline", message: message))
            }
            // Only a scenario file can say so: the default deadline follows the budget.
            if deadline < budget {
                let message =
                    "the launch is ended at its deadline, \(durationText(deadline)), before its budget, \(durationText(budget)), is used up"
                warnings.append(Warning(code: "deadlineWithinBudget", message: message))
            }
        }
        let (allowed, slow) = graph.timeoutPath
        // One alone may be meant to end a launch that is late anyway.
        if allowed > budget, slow.count > 1 {
            let names = slow.map { printable($0, limit: 64) }.joined(separator: " → ")
            warnings.append(
                Warning(
                    code: "timeouts",
                    message: "by their timeouts, operations may take \(durationText(allowed)) of \(durationText(budget)): \(names)"
                )
            )
        }
        warnings += try Self.lateUpdateCheck(graph, budget).map {
            Warning(code: "lateUpdateCheck", message: $0, operation: StartupStep.forceUpdate.id)
        }
        if let milestone = graph.milestone {
            let name = printable(milestone, limit: 64)
            warnings += graph.unawaitedRequiredOperations.map { id in
                Warning(
                    code: "unawaitedRequired",
                    message: "\(printable(id, limit: 64)) is required, but \(name) does not wait for it; "
                        + "add the dependency, or give it another 'onFailure'",
                    operation: id
                )
            }
        }
        self.warnings = warnings
    }

    /// Warns of dependencies that may be absent, and are, but for an operation of a similar name. The first few: each takes a pass over all names.
    private static func misspelledDependencies(in document: ScenarioDocument) -> [String] {
        let ids = document.operations.lazy.map(\.id)
        let names = Set(ids)
        var (messages, looked): ([String], Int) = ([], 0)
        for operation in document.operations {
            // A similar name is searched for in a pass over all names, hence at most twenty of them.
            for dependency in operation.after where dependency.isOptional && !names.contains(dependency.id) && looked < 20 {
                looked += 1
                guard let nearest = nearestName(to: dependency.id, in: ids), nearest != operation.id else { continue }
                let (id, missing) = (printable(operation.id, limit: 64), printable(dependency.id, limit: 64))
                messages.append("\(id) does not wait for \(missing), which the file lacks; did you mean \(quoted(nearest))?")
            }
        }
        return messages
    }

    /// Warns of a late check for a required update, which can end the launch: all operations before it run in vain, and in a version that may not be
    /// used.
    ///
    /// A tenth of the budget is taken to be nothing to speak of. The check is the operation that has its name in the built-in scenarios.
    private static func lateUpdateCheck(_ graph: ValidatedGraph, _ budget: Duration) throws -> [String] {
        let check = StartupStep.forceUpdate.id
        guard graph.identifiers.contains(check) else { return [] }
        var messages: [String] = []
        let (start, path) = try graph.earliestStart(of: check)
        if start > budget / 10 {
            let names = path.map { printable($0, limit: 64) }.joined(separator: " → ")
            messages.append(
                "\(check), which can end the launch, starts after \(durationText(start)) of \(durationText(budget)): it waits for \(names)"
            )
        }
        let people = try graph.interactions(before: check)
        if !people.isEmpty {
            let names = people.prefix(5).map { printable($0, limit: 64) }.joined(separator: ", ")
            let more = people.count > 5 ? " and \(people.count - 5) more" : ""
            messages.append("\(check), which can end the launch, waits for a person: \(names)\(more)")
        }
        return messages
    }

    func text() -> String {
        let edges = graph.edges.count
        let total = warnings.count + unnamed
        let count = total == 0 ? "no problem found" : total == 1 ? "1 warning" : "\(total) warnings"
        let name = printable(graph.name, limit: 64)
        let head =
            "\(name): \(graph.count) operation\(graph.count == 1 ? "" : "s"), \(edges) dependenc\(edges == 1 ? "y" : "ies"), \(count)\n"
        let times = "budget \(durationText(budget)), deadline \(deadline.map(durationText) ?? "none")\n"
        return head + times + lines.joined() + (graph.count == 0 ? "warning: there is nothing to run\n" : "")
    }

    /// The warnings, the first of each kind, with the places of their operations. One that the command fails for is an error.
    func problems(in scenario: LoadedScenario) -> [Verification.Problem] {
        let operations = scenario.file?.document.operations ?? []
        let positions = Dictionary(operations.map { ($0.id, $0.position) }) { first, _ in first }
        return Self.kinds.flatMap { code, _ in
            warnings.filter { $0.code == code }.prefix(Self.maximumShown).map { warning in
                // Only the kind that the exit code speaks of is an error; the others would fail a check that has passed.
                let isError = isOverBudget ? code == "budget" : isPastDeadline && code == "deadline"
                return Verification.Problem(
                    level: isError ? .error : .warning,
                    code: code,
                    message: warning.message,
                    position: warning.operation.flatMap { positions[$0] }
                )
            }
        }
    }

    /// The first of each kind, and how many others there are.
    private var lines: [String] {
        var lines: [String] = []
        for (code, what) in Self.kinds {
            let warnings = warnings.filter { $0.code == code }
            lines += warnings.prefix(Self.maximumShown).map { "warning: \($0.message)\n" }
            // Only counted, never listed: the pairs of a wide graph are its square.
            let rest = warnings.count - min(warnings.count, Self.maximumShown) + (code == "overlappingInteraction" ? unnamed : 0)
            if rest > 0 { lines.append("warning: and \(rest) more \(what)\n") }
        }
        return lines
    }

    func json() -> String {
        JSONWriter.document("sequencer.verification/1") { json in
            json.write(graph.name, for: "scenario")
            json.write(graph.count, for: "operations")
            json.write(graph.edges.count, for: "dependencies")
            json.write(isOverBudget ? "fail" : "pass", for: "budgetVerdict")
            json.write(milliseconds: budget, for: "budgetMs")
            if let deadline { json.write(milliseconds: deadline, for: "deadlineMs") }
            json.writeObjects(warnings, for: "warnings") { json, warning in
                json.write(warning.code, for: "code")
                json.write(warning.message, for: "message")
            }
            if unnamed > 0 { json.write(unnamed, for: "unnamedOverlappingInteractions") }
        }
    }
}
