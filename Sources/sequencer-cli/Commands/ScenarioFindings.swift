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
        var warnings: [Warning] = []
        func warn(_ code: String, of operation: String? = nil, _ message: String) {
            warnings.append(Warning(code: code, message: message, operation: operation))
        }
        // One whose value is read cannot be left out, implied or not.
        for edge in graph.edges.subtracting(graph.reduced().edges).sorted() {
            warn(
                "impliedDependency",
                of: edge.operation,
                "\(name(edge.operation)) need not wait for \(name(edge.dependency)): other dependencies imply it"
            )
        }
        for message in document.map(Self.misspelledDependencies) ?? [] { warn("absentDependency", message) }
        let overlaps = graph.overlappingInteractions(maximum: Self.maximumPairs)
        for (first, second) in overlaps.pairs {
            let advice = "give both the exclusive resource 'ui'"
            warn("overlappingInteraction", of: second, "\(name(first)) and \(name(second)) can ask the person at the same time; \(advice)")
        }
        unnamed = overlaps.count - overlaps.pairs.count
        for operation in document?.operations ?? [] where operation.interactive && !operation.asksPerson {
            let advice = "'simulate' stands for a person"
            warn(
                "nobodyAsked",
                of: operation.id,
                "\(name(operation.id)) is interactive, but its work asks nobody, so its time counts; \(advice)"
            )
        }
        let (counted, path) = graph.budgetedPath
        if counted > budget {
            let times = "\(durationText(counted)) of \(durationText(budget))"
            warn("budget", of: path.last, "the longest path alone takes \(times): \(names(path))")
        }
        var isDisplayLate = false
        if let displayBudget, let (counted, path) = graph.budgetedPathToInitialDisplay, counted > displayBudget {
            isDisplayLate = true
            let times = "\(durationText(counted)) of \(durationText(displayBudget))"
            warn("initialDisplayBudget", of: path.last, "the path to the initial display alone takes \(times): \(names(path))")
        }
        isOverBudget = counted > budget || isDisplayLate
        let needed = graph.criticalPathDuration
        isPastDeadline = deadline.map { needed > $0 } ?? false
        if let deadline {
            let end = durationText(deadline)
            if isPastDeadline {
                let takes = "by what is expected the launch takes \(durationText(needed))"
                warn("deadline", "\(takes), and fails at its deadline, \(end): \(names(graph.criticalPath))")
            } else if case let all = graph.longestPathDuration, all > deadline {
                let takes = "by what is expected, what runs on after the milestone takes until \(durationText(all))"
                warn("deadline", "\(takes), and is ended at the deadline, \(end)")
            }
            // Only a scenario file can say so: the default deadline follows the budget.
            if deadline < budget {
                warn(
                    "deadlineWithinBudget",
                    "the launch is ended at its deadline, \(end), before its budget, \(durationText(budget)), is used up"
                )
            }
        }
        let (allowed, slow) = graph.timeoutPath
        // One alone may be meant to end a launch that is late anyway.
        if allowed > budget, slow.count > 1 {
            let times = "\(durationText(allowed)) of \(durationText(budget))"
            warn("timeouts", "by their timeouts, operations may take \(times): \(names(slow))")
        }
        for message in try Self.lateUpdateCheck(graph, budget) { warn("lateUpdateCheck", of: StartupStep.forceUpdate.id, message) }
        if let milestone = graph.milestone {
            for id in graph.unawaitedRequiredOperations {
                let advice = "add the dependency, or give it another 'onFailure'"
                warn("unawaitedRequired", of: id, "\(name(id)) is required, but \(name(milestone)) does not wait for it; \(advice)")
            }
        }
        for (id, message) in document.map(Self.idleContinues) ?? [] { warn("idleContinue", of: id, message) }
        self.warnings = warnings
    }

    /// Warns of dependencies whose `continue` can do nothing: all that wait for that operation go on without it, and none where it is skipped itself.
    private static func idleContinues(in document: ScenarioDocument) -> [(String, String)] {
        guard document.operations.contains(where: { $0.after.contains { $0.onFailure == .continue } }) else { return [] }
        let operations = Dictionary(document.operations.map { ($0.id, $0) }) { first, _ in first }
        return document.operations.flatMap { operation in
            operation.after.filter { $0.onFailure == .continue }.compactMap { operations[$0.id] }.filter { $0.onFailure == .continue }.map {
                target in
                let cause = target.after.first { $0.onFailure != .continue && operations[$0.id]?.onFailure == .skipDependents }?.id
                let (id, other) = (name(operation.id), name(target.id))
                let skipped = cause.map { "; where \(name($0)) fails, \(other) is skipped, and \(id) with it" } ?? ""
                let message = "the 'continue' of \(id) for \(other) can do nothing: \(other) says so for all that wait for it\(skipped)"
                return (operation.id, message)
            }
        }
    }

    /// Warns of dependencies that may be absent, and are, but for an operation of a similar name. The first few: each takes a pass over all names.
    private static func misspelledDependencies(in document: ScenarioDocument) -> [String] {
        let ids = document.operations.lazy.map(\.id)
        let known = Set(ids)
        let absent = document.operations.lazy.flatMap { operation in
            operation.after.lazy.filter { $0.isOptional && !known.contains($0.id) }.map { (operation.id, $0.id) }
        }
        // A similar name is searched for in a pass over all names, hence at most twenty of them.
        return absent.prefix(20).compactMap { id, missing in
            guard let nearest = nearestName(to: missing, in: ids), nearest != id else { return nil }
            return "\(name(id)) does not wait for \(name(missing)), which the file lacks; did you mean \(quoted(nearest))?"
        }
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
            let times = "\(durationText(start)) of \(durationText(budget))"
            messages.append("\(check), which can end the launch, starts after \(times): it waits for \(names(path))")
        }
        let people = try graph.interactions(before: check)
        if !people.isEmpty {
            messages.append("\(check), which can end the launch, waits for a person: \(VerdictText.list(people, describe: name))")
        }
        return messages
    }

    func text() -> String {
        let edges = graph.edges.count
        let total = warnings.count + unnamed
        let count = total == 0 ? "no problem found" : total == 1 ? "1 warning" : "\(total) warnings"
        let head =
            "\(name(graph.name)): \(graph.count) operation\(graph.count == 1 ? "" : "s"), \(edges) dependenc\(edges == 1 ? "y" : "ies"), \(count)\n"
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

private func name(_ id: String) -> String { printable(id, limit: 64) }

/// A path of operations.
private func names(_ path: [String]) -> String { path.map(name).joined(separator: " → ") }
