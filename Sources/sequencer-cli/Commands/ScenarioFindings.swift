import Sequencer
import SequencerAnalysis
import StartupOps

/// The warnings of `verify` about a graph that can run.
struct ScenarioFindings {
    /// More pairs of operations than anyone mends one by one.
    private static let maximumPairs = 1000
    /// More warnings than anyone reads.
    private static let maximumShown = 100

    private let graph: ValidatedGraph
    /// The launch in virtual time, with its budget and without a deadline.
    private let forecast: LaunchReport
    private let budget: Budget
    /// When the launch is ended, even if operations still run; nil for never.
    private let deadline: Duration?
    /// The operations of the file that the graph was made of; none of a built-in scenario.
    private let operations: [OperationDocument]
    private let written: [String: OperationDocument]
    /// How the command ends: as `run` does, in virtual time.
    let code: ExitCode
    private var warnings: [Finding] = []
    /// Pairs of operations that can ask the user at the same time, besides those that are among the warnings.
    private var unnamed = 0

    init(_ scenario: LoadedScenario) async throws {
        (graph, budget) = (try scenario.validated(), scenario.budget(nil))
        deadline = scenario.deadline(nil).limit(beside: budget)
        forecast = try await LoadedReport.run(scenario, deadline: .never)
        operations = scenario.file?.document.operations ?? []
        written = Dictionary(operations.map { ($0.id, $0) }) { first, _ in first }
        code = ExitCode(foreseen: forecast, deadline: deadline)
        warnOfDependencies()
        warnOfPersons()
        warnOfMissingEnds()
        warnOfTimes()
        warnOfLateUpdateCheck()
        warnOfTimeouts()
        warnOfRetries()
        warnOfFailures()
    }

    /// - Parameters:
    ///   - operation: the one that it is about; nil for the whole scenario.
    ///   - isError: whether the exit code speaks of it; another one would fail a check that has passed.
    private mutating func warn(_ code: String, of operation: String? = nil, isError: Bool = false, _ message: String) {
        let position = operation.flatMap { written[$0]?.position }
        let severity: Finding.Severity = isError ? .error : .warning
        warnings.append(Finding(severity: severity, code: code, message: message, position: position))
    }

    private mutating func warnOfDependencies() {
        // A dependency whose value is read cannot be left out, implied or not.
        for edge in graph.edges.subtracting(graph.reduced().edges).sorted() {
            let message = "\(name(edge.operation)) need not wait for \(name(edge.dependency)): other dependencies imply it"
            warn("impliedDependency", of: edge.operation, message)
        }
        let absent = operations.flatMap { operation in
            operation.after.filter { $0.isOptional && written[$0.id] == nil }.map { (operation.id, $0.id) }
        }
        // A similar name is searched for in a pass over all names, hence at most twenty of them.
        for (id, missing) in absent.prefix(20) {
            guard let nearest = nearestName(to: missing, in: operations.map(\.id)), nearest != id else { continue }
            let guess = "which the file lacks; did you mean \(quoted(nearest))?"
            warn("absentDependency", "\(name(id)) does not wait for \(name(missing)), \(guess)")
        }
    }

    private mutating func warnOfPersons() {
        let overlaps = graph.overlappingInteractions(maximum: Self.maximumPairs)
        for (first, second) in overlaps.pairs {
            let advice = "give both the exclusive resource 'ui'"
            warn("overlappingInteraction", of: second, "\(name(first)) and \(name(second)) can ask the person at the same time; \(advice)")
        }
        unnamed = overlaps.count - overlaps.pairs.count
        for operation in operations where operation.interactive && !operation.asksPerson {
            let fault = "is interactive, but its work asks nobody, so its time counts"
            warn("nobodyAsked", of: operation.id, "\(name(operation.id)) \(fault); 'simulate' stands for a person")
        }
    }

    /// An event that never comes has missed its budget.
    private mutating func warnOfMissingEnds() {
        for node in graph.awaitedEnds {
            let isMilestone = node == graph.milestoneIndex
            guard isMilestone ? forecast.missedMilestone != nil : forecast.isInitialDisplayMet == false,
                let end = forecast[graph.id(node)], !end.outcome.isSuccess
            else { continue }
            let isOff = graph.policy(node).isSwitchedOff
            let reason = isOff ? "is switched off" : "does not succeed (\(printable(end.message ?? end.outcome.words, limit: 200)))"
            let what = "the \(isMilestone ? "milestone" : "initial display"), \(name(end.id))"
            warn(isOff ? "switchedOff" : "timeout", of: end.id, isError: true, "\(what), \(reason), and so misses its budget")
        }
    }

    private mutating func warnOfTimes() {
        func times(_ time: Duration, of limit: Duration) -> String { "\(durationText(time)) of \(durationText(limit))" }

        let note = (0..<graph.count).contains { graph.policy($0).isExpectedOfPerson } ? ", a person's time not counted" : ""
        let (counted, path) = graph.budgetedPath
        let measured = forecast.budget.measured
        if forecast.outcome == .completed, measured > budget.limit {
            // The forecast counts cuts, deferrals, simulated work and waits for others.
            let (what, time, ids) =
                counted > budget.limit
                ? ("the longest path alone", counted, path) : ("by what is expected the launch", measured, forecast.criticalPath)
            warn("budget", of: ids.last, isError: true, "\(what) takes \(times(time, of: budget.limit))\(note): \(names(ids))")
        }
        if let limit = budget.initialDisplay, let time = forecast.timeToInitialDisplay, time > limit {
            let (counted, path) = graph.initialDisplayIndex.map { graph.budgetedPath(to: $0) } ?? (time, [])
            let message =
                counted > limit
                ? "the path to the initial display alone takes \(times(counted, of: limit))\(note): \(names(path))"
                : "by what is expected the initial display takes \(times(time, of: limit))\(note)"
            warn("initialDisplayBudget", of: forecast.initialDisplay, isError: true, message)
        }
        if let deadline, forecast.outcome == .completed {
            let (end, all) = (durationText(deadline), forecast.makespan)
            if !forecast.isWithin(deadline) {
                let takes = "by what is expected the launch takes \(durationText(forecast.endOfLaunchProper))"
                warn("deadline", isError: code == .failed, "\(takes), and fails at its deadline, \(end): \(names(forecast.criticalPath))")
            } else if all > deadline {
                let takes = "by what is expected, what runs on after the milestone takes until \(durationText(all))"
                warn("deadline", "\(takes), and is ended at the deadline, \(end)")
            }
        }
        // Only a scenario file can say so: the default deadline follows the budget.
        if let deadline, deadline < budget.limit {
            let use = "before its budget, \(durationText(budget.limit)), is used up"
            warn("deadlineWithinBudget", "the launch is ended at its deadline, \(durationText(deadline)), \(use)")
        }
        // No time counts in which the user could be waited for.
        func timeout(_ policy: StepPolicy) -> Duration? { policy.isInteractive || policy.isSwitchedOff ? nil : policy.timeout }
        let (allowed, slowest) = graph.path(to: graph.milestoneIndex, by: timeout)
        let slow = slowest.filter { timeout(graph.policy($0)) != nil }.map(graph.id)
        // A single timeout may be meant to end a launch that is late anyway.
        if allowed > budget.limit, slow.count > 1 {
            warn("timeouts", "by their timeouts, operations may take \(times(allowed, of: budget.limit)): \(names(slow))")
        }
    }

    private mutating func warnOfLateUpdateCheck() {
        // All operations before a late check for a required update run in vain, and in a version that may not be used.
        // The check has its name in the built-in scenarios; a tenth of the budget is nothing to speak of.
        guard let node = graph.position(of: StartupStep.forceUpdate.id) else { return }
        let check = graph.id(node), (end, way) = graph.path(to: node) { $0.expected }
        let start = end - (graph.policy(node).expected ?? .zero)
        let before = way.dropLast().filter { graph.policy($0).expected ?? .zero > .zero }.map(graph.id)
        if start > budget.limit / 10 {
            let late = "starts after \(durationText(start)) of \(durationText(budget.limit)): it waits for \(names(before))"
            warn("lateUpdateCheck", of: check, "\(check), which can end the launch, \(late)")
        }
        let people = graph.predecessors.reachable(from: node).filter { graph.policy($0).isInteractive }.sorted().map(graph.id)
        if !people.isEmpty {
            let asked = "waits for a person: \(listed(people, name))"
            warn("lateUpdateCheck", of: check, "\(check), which can end the launch, \(asked)")
        }
    }

    private mutating func warnOfTimeouts() {
        var failure: (operation: String, message: String)?
        if case .failed(let operation, let message) = forecast.outcome { failure = (operation, message) }
        var isExplained = false
        for node in 0..<graph.count {
            let (id, policy) = (graph.id(node), graph.policy(node))
            // A simulated time may be longer than the expected one.
            let simulated = written[id].flatMap { $0.timeout == nil ? nil : $0.work.knownDuration }
            let time = max(policy.expected ?? .zero, simulated ?? .zero)
            guard let timeout = policy.shortestTimeout, graph.timesOut(node, after: time) else { continue }
            let isFatal = failure != nil && policy.onFailure == .required && !policy.hasFallback
            if id == failure?.operation { isExplained = true }
            let effect = isFatal ? "so the launch fails" : policy.hasFallback ? "so it always falls back" : "so it never succeeds"
            let late = "takes \(durationText(time)), and times out after \(durationText(timeout)), \(effect)"
            warn("timeout", of: id, isError: isFatal, "\(name(id)) \(late)")
        }
        if let (operation, message) = failure, !isExplained {
            let reason = "\(name(operation)): \(printable(message, limit: 200))"
            warn("timeout", of: operation, isError: true, "by what is expected the launch fails at \(reason)")
        }
    }

    private mutating func warnOfRetries() {
        for node in 0..<graph.count where !graph.policy(node).isSwitchedOff {
            guard let timeout = graph.policy(node).timeout, let retry = graph.policy(node).retry, retry.attempts > 1 else { continue }
            let (id, end) = (graph.id(node), "it times out after \(durationText(timeout))")
            let lost = (2...retry.attempts).first { retry.earliestStart(ofAttempt: $0) >= timeout }
            let next = retry.timeout.map { retry.earliestStart(ofAttempt: 2, afterAttemptsOf: $0) } ?? .zero
            if let lost {
                let pauses = "the pauses before it take at least \(durationText(retry.earliestStart(ofAttempt: lost)))"
                warn("retry", of: id, "\(name(id)) never comes to attempt \(lost) of \(retry.attempts): \(pauses), and \(end)")
            } else if next >= timeout {
                let hangs = "is not tried again after an attempt that hangs: the next could begin after \(durationText(next))"
                warn("retry", of: id, "\(name(id)) \(hangs), and \(end)")
            }
        }
    }

    private mutating func warnOfFailures() {
        if let milestone = graph.milestone {
            for id in graph.unawaitedRequiredOperations {
                let advice = "add the dependency, or give it another 'onFailure'"
                warn("unawaitedRequired", of: id, "\(name(id)) is required, but \(name(milestone)) does not wait for it; \(advice)")
            }
        }
        // The 'continue' of a dependency can do nothing where all that wait for that operation go on without it, and
        // where it is skipped itself.
        for operation in operations {
            for dependency in operation.after where dependency.onFailure == .continue {
                guard let target = written[dependency.id], target.onFailure == .continue else { continue }
                let cause = target.after.first {
                    $0.onFailure != .continue && written[$0.id]?.onFailure == .skipDependents
                }
                let (id, other) = (name(operation.id), name(target.id))
                let skipped = cause.map { "; where \(name($0.id)) fails, \(other) is skipped, and \(id) with it" } ?? ""
                let fault = "can do nothing: \(other) says so for all that wait for it\(skipped)"
                warn("idleContinue", of: operation.id, "the 'continue' of \(id) for \(other) \(fault)")
            }
        }
    }

    // MARK: Results

    /// The first warnings, before these what the command fails for.
    var shown: ArraySlice<Finding> {
        let errors = warnings.filter { $0.severity == .error }
        return (errors + warnings.filter { $0.severity == .warning }).prefix(Self.maximumShown)
    }

    /// The operations that are put off to keep the budget.
    private var putOff: [String] { forecast.operations.filter(\.isDeferred).map(\.id) }

    var text: String {
        let (edges, total) = (graph.edges.count, warnings.count + unnamed)
        let count = total == 0 ? "no problem found" : "\(total) warning\(total == 1 ? "" : "s")"
        let operations = "\(graph.count) operation\(graph.count == 1 ? "" : "s"), \(edges) dependenc\(edges == 1 ? "y" : "ies")"
        let display = budget.initialDisplay.map { ", initial display \(durationText($0))" } ?? ""
        var text = "\(name(graph.name)): \(operations), \(count)\n"
        text += "budget \(durationText(budget.limit))\(display), deadline \(deadline.map(durationText) ?? "none")\n"
        text += shown.map { "warning: \($0.message)\n" }.joined()
        // Only counted: the pairs of a wide graph are its square.
        if total > shown.count { text += "warning: and \(total - shown.count) more\n" }
        text += notes.map { "note: \($0)\n" }.joined()
        return text + (graph.count == 0 ? "warning: there is nothing to run\n" : "")
    }

    /// Sentences on times that count as 0 ms, on timeouts that are missing or leave nothing to a further attempt, and
    /// on operations that come later.
    private var notes: [String] {
        let triedOnce = (0..<graph.count).filter { node in
            let (timeout, retry) = (graph.policy(node).timeout, graph.policy(node).retry)
            return timeout != nil && retry.map { $0.attempts > 1 && $0.timeout == nil } ?? false
        }
        return Notes.lines([
            "needed by the milestone and without a timeout, so that only the deadline ends it": graph.operationsWithoutTimeout,
            Notes.unexpected: graph.operationsWithoutExpectation,
            Notes.workless: operations.filter(\.isWorkless).map(\.id),
            "with one timeout for all attempts, so that none follows one that hangs": triedOnce.map(graph.id),
            "put off until after the milestone, to keep the budget": putOff,
        ])
    }

    var json: JSONTree {
        [
            "scenario": .text(graph.name), "operations": .number(graph.count), "dependencies": .number(graph.edges.count),
            "budgetVerdict": ExitCode(of: forecast) == .success ? "pass" : "fail", "budgetMs": .milliseconds(budget.limit),
            "initialDisplayBudgetMs": .milliseconds(budget.initialDisplay), "deadlineMs": .milliseconds(deadline),
            "warnings": .array(warnings.map { ["code": .text($0.code), "message": .text($0.message)] }),
            "withoutExpectation": .list(graph.operationsWithoutExpectation), "deferred": .list(putOff),
            "withoutTimeout": .list(graph.operationsWithoutTimeout),
            "unnamedOverlappingInteractions": .count(unnamed),
        ]
    }
}

private func name(_ id: String) -> String { printable(id, limit: 64) }

/// A path of operations.
private func names(_ path: [String]) -> String { path.map(name).joined(separator: " → ") }

extension ValidatedGraph {
    /// Required operations that the milestone does not wait for though it could, in the order they were added: one that
    /// fails ends the launch as failed, or comes after the milestone and fails alone, as chance has it.
    ///
    /// Left out are those that are meant to come later (they wait for the milestone, or may be deferred), and those
    /// that cannot fail, or whose failure has a fallback.
    ///
    /// - Complexity: O(operations + dependencies).
    fileprivate var unawaitedRequiredOperations: [String] {
        guard let milestone = milestoneIndex else { return [] }
        let related = predecessors.reachable(from: milestone).union(successors.reachable(from: milestone)).union([milestone])
        return (0..<count).filter { node in
            let policy = policy(node)
            return hasWork(node) && policy.onFailure == .required && !policy.hasFallback && !policy.isDeferrable
                && !related.contains(node)
        }.map { id($0) }
    }
}
