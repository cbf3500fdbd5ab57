import Sequencer
import SequencerAnalysis
import StartupOps

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
        ("nobodyAsked", "such operations"), ("budget", ""), ("initialDisplayBudget", ""), ("deadline", ""), ("deadlineWithinBudget", ""),
        ("timeouts", ""), ("lateUpdateCheck", ""), ("unawaitedRequired", "such operations"), ("idleContinue", "such dependencies"),
    ]
    /// More pairs of operations than anyone mends one by one.
    private static let maximumPairs = 1000
    /// More warnings of a kind than anyone reads.
    private static let maximumShown = 100

    let isOverBudget: Bool
    /// Whether the launch will fail, because its deadline comes before its milestone.
    let isPastDeadline: Bool
    private let budget: Duration
    private let displayBudget: Duration?
    private let deadline: Duration?
    private let graph: ValidatedGraph
    private let warnings: [Warning]
    /// Pairs of operations that can ask the person at the same time, besides those that are among the warnings.
    private let unnamed: Int

    /// - Parameters:
    ///   - budget: what the launch may take until its milestone.
    ///   - deadline: when the launch is ended, even if operations still run; nil for never.
    ///   - document: the file that the graph was made of.
    init(_ graph: ValidatedGraph, budget: Budget, deadline: Duration?, document: ScenarioDocument? = nil) throws {
        self.graph = graph
        displayBudget = budget.initialDisplay
        let budget = budget.limit
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
        if counted > budget {
            let names = path.map { printable($0, limit: 64) }.joined(separator: " → ")
            warnings.append(
                Warning(
                    code: "budget",
                    message: "the longest path alone takes \(durationText(counted)) of \(durationText(budget)): \(names)",
                    operation: path.last
                )
            )
        }
        var isDisplayLate = false
        if let displayBudget, let (counted, path) = graph.budgetedPathToInitialDisplay, counted > displayBudget {
            isDisplayLate = true
            let names = path.map { printable($0, limit: 64) }.joined(separator: " → ")
            warnings.append(
                Warning(
                    code: "initialDisplayBudget",
                    message:
                        "the path to the initial display alone takes \(durationText(counted)) of \(durationText(displayBudget)): \(names)",
                    operation: path.last
                )
            )
        }
        isOverBudget = counted > budget || isDisplayLate
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
        warnings += document.map(Self.idleContinues) ?? []
        self.warnings = warnings
    }

    /// Warns of dependencies whose `continue` can do nothing: all that wait for that operation go on without it, and none where it is skipped itself.
    private static func idleContinues(in document: ScenarioDocument) -> [Warning] {
        guard document.operations.contains(where: { $0.after.contains { $0.onFailure == .continue } }) else { return [] }
        let operations = Dictionary(document.operations.map { ($0.id, $0) }) { first, _ in first }
        return document.operations.flatMap { operation in
            operation.after.compactMap { dependency -> Warning? in
                guard dependency.onFailure == .continue, let target = operations[dependency.id], target.onFailure == .continue else {
                    return nil
                }
                let (id, name) = (printable(operation.id, limit: 64), printable(target.id, limit: 64))
                let cause = target.after.first { $0.onFailure != .continue && operations[$0.id]?.onFailure == .skipDependents }?.id
                let skipped = cause.map { "; where \(printable($0, limit: 64)) fails, \(name) is skipped, and \(id) with it" } ?? ""
                return Warning(
                    code: "idleContinue",
                    message: "the 'continue' of \(id) for \(name) can do nothing: \(name) says so for all that wait for it\(skipped)",
                    operation: operation.id
                )
            }
        }
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
        let display = displayBudget.map { ", initial display \(durationText($0))" } ?? ""
        let times = "budget \(durationText(budget))\(display), deadline \(deadline.map(durationText) ?? "none")\n"
        let notes = graph.notes(countsAttempts: true).map { "note: \($0)\n" }.joined()
        return head + times + lines.joined() + notes + (graph.count == 0 ? "warning: there is nothing to run\n" : "")
    }

    /// The warnings, the first of each kind, with the places of their operations. One that the command fails for is an error.
    func problems(in scenario: LoadedScenario) -> [Verification.Problem] {
        let operations = scenario.file?.document.operations ?? []
        let positions = Dictionary(operations.map { ($0.id, $0.position) }) { first, _ in first }
        return Self.kinds.flatMap { code, _ in
            warnings.filter { $0.code == code }.prefix(Self.maximumShown).map { warning in
                // Only the kind that the exit code speaks of is an error; the others would fail a check that has passed.
                let isError = isOverBudget ? code == "budget" || code == "initialDisplayBudget" : isPastDeadline && code == "deadline"
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
            if let displayBudget { json.write(milliseconds: displayBudget, for: "initialDisplayBudgetMs") }
            if let deadline { json.write(milliseconds: deadline, for: "deadlineMs") }
            json.writeObjects(warnings, for: "warnings") { json, warning in
                json.write(warning.code, for: "code")
                json.write(warning.message, for: "message")
            }
            let unexpected = graph.operationsWithoutExpectation
            if !unexpected.isEmpty { json.write(unexpected, for: "withoutExpectation") }
            if unnamed > 0 { json.write(unnamed, for: "unnamedOverlappingInteractions") }
        }
    }
}
