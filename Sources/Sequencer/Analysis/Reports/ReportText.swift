import Sequencer

/// The phrases of the exports for people, the same in each.
extension LaunchReport {
    /// The launch's attributes, sorted by name.
    var sortedAttributes: [(key: String, value: String)] { attributes.sorted { $0.key < $1.key } }

    /// `pass: 1.33 s of 3 s; fell back: config`. A launch that did not complete has no verdict but its outcome:
    /// `failed`, or `failed; milestone after 1.33 s of 3 s`.
    var verdictText: String { verdictText(name: { printable($0, limit: 80) }) }

    /// - Parameter name: how an operation is named.
    func verdictText(name: (String) -> String) -> String {
        let unknown = unknownTimes
        let word = !isWithinBudgets ? "fail" : unknown.tellNothing ? "unknown" : "pass"
        let time = outcome == .completed ? "\(word): \(budget.measuredText())\(milestoneOutcomeText)" : outcome.name + milestoneText()
        let verdict = time + (outcome == .completed && !unknown.operations.isEmpty ? "; \(unknown.text(name: name))" : "")
        var later = troubleText(later: true, name: name)
        if case .failed(let operation, _)? = afterMilestone?.outcome {
            later = "; failed: \(name(operation))"
        } else if let outcome = afterMilestone?.outcome, outcome != .completed {
            later = "; \(outcome.name)"
        }
        return verdict + initialDisplayText() + troubleText(name: name) + (later.isEmpty ? "" : "; after the milestone\(later.dropFirst())")
    }

    /// How the launch ended, without a full stop. Identifiers and messages are as they are in the report.
    var outcomeText: String {
        switch outcome {
        case .completed: "Completed"
        case .aborted(let operation, let reason): "Aborted by \(operation): \(reason)"
        case .failed(let operation, let message): "Failed at \(operation): \(message)"
        case .cancelled: "Cancelled"
        }
    }

    /// The number of lanes, and of the used ones if these were fewer: they alone are drawn. `2`, `3 of 4`,
    /// or `2 and the main thread`; the main thread does not count as a lane.
    ///
    /// - Parameter noun: comes after the number.
    package func lanesText(_ noun: String = "") -> String {
        let used = lanesUsed.count
        return (used < lanes ? "\(used) of " : "") + "\(lanes)\(noun)" + (usesMain ? " and the main thread" : "")
    }

    private var usesMain: Bool { operations.contains { $0.isMain && $0.start != nil } }

    /// The main thread and the lanes that operations ran on.
    var placesUsed: [String] { (usesMain ? ["main"] : []) + lanesUsed.sorted().map { "lane \($0)" } }

    /// By how much the launch is over its budget: `140 ms over`; nil when it is within.
    package func excessText(_ text: (Duration) -> String = durationText) -> String? {
        guard let limit = budget.budget?.limit, !budget.isMet, budget.measured > limit else { return nil }
        return "\(text(budget.measured - limit)) over"
    }

    /// How far a launch came that was stopped: `5 of 9 operations done, 2 not started`.
    package var progressText: String {
        let ended = operations.count { $0.outcome == .succeeded || $0.outcome == .fellBack }
        let notStarted = operations.count { $0.start == nil }
        return "\(ended) of \(plural(operations.count, "operation")) done, \(notStarted) not started"
    }

    /// The end of the operations that continued after the milestone, without a full stop; nil without such operations:
    /// `2 operations ran on after the milestone, to 3.28 s, and sync failed: no network`, or `...; fell back:
    /// news`. Identifiers and messages are as they are in the report.
    ///
    /// - Parameter isPlan: whether the report is of a launch that has yet to happen.
    package func afterMilestoneText(isPlan: Bool = false, _ text: (Duration) -> String = durationText) -> String? {
        guard let later = afterMilestone else { return nil }
        // A skipped operation did nothing; one that runs is in no report yet.
        let skipped = Set(operations.lazy.filter { $0.start == nil }.map(\.id))
        let count = later.operations.count { !skipped.contains($0) }
        // All remaining operations were skipped: nothing ran on.
        if count == 0, later.outcome == .completed { return nil }
        let isYetToHappen = isPlan || later.outcome == nil
        let verb = isYetToHappen ? (count == 1 ? "runs" : "run") : "ran"
        let subject = "\(plural(count, "operation")) \(verb) on after the milestone"
        guard let outcome = later.outcome else { return subject }
        let start = subject + ", to \(text(makespan))"
        return switch outcome {
        case .completed: start + troubleText(later: true)
        case .failed(let operation, let message): start + ", and \(operation) \(isPlan ? "fails" : "failed"): \(message)"
        case .aborted(let operation, let reason): start + ", and \(operation) stopped the launch (\(reason))"
        case .cancelled: start + ", and the launch was cancelled"
        }
    }

    /// The special traits of an operation of the report.
    func marks(of operation: OperationReport) -> [String] {
        operation.marks + words(["initial display": initialDisplay == operation.id, "milestone": milestone == operation.id])
    }
}

extension OperationReport {
    /// Its special traits in any report: see ``LaunchReport/marks(of:)``.
    var marks: [String] { words(["critical": isCritical, "interactive": isInteractive, "cut": isCut, "deferred": isDeferred]) }

    /// Its duration, its wait for a processor if that was long, and the duration that was expected where that was less:
    /// `800 ms, 300 ms of it waiting for a processor, 450 ms expected`.
    package func timesText(_ text: (Duration) -> String = durationText) -> String {
        let expected = expected.flatMap { $0 < duration ? ", \(text($0)) expected" : nil } ?? ""
        let waited = wasContended ? runnableTime.map { ", \(text($0)) of it waiting for a processor" } ?? "" : ""
        return text(duration) + awaitedEventText + waited + expected
    }

    /// Why it did not succeed, and its notes.
    var remarks: [String] { (message.map { [$0] } ?? []) + notes }

    /// Its numbers in one line, for the small window that a pointer brings up.
    var summary: String {
        var text = outcome.words
        if let start {
            text += ", \(durationText(start)) to \(durationText(end)) (\(durationText(duration)))"
            if wait > .zero { text += ", waited \(durationText(wait))" }
            if let processorTime { text += ", ran \(durationText(processorTime))" }
            if let runnableTime { text += ", waited \(durationText(runnableTime)) for a processor" }
        }
        if let expected { text += ", expected \(durationText(expected))" }
        text += isCritical ? ", on the critical path" : ", slack \(durationText(slack))"
        if let place { text += ", \(place)" }
        return text
    }
}

extension LaunchReport {
    /// The positions of the operations that are shown where not all can be, in the order of the report.
    ///
    /// First come those of the critical path, then those that did not succeed, then the longest.
    ///
    /// - Complexity: O(operations · log operations).
    package func selection(limit: Int) -> [Int] {
        guard operations.count > limit else { return Array(operations.indices) }
        // Once: each comparison would ask for two of them.
        let keys = operations.map { ($0.isCritical ? 0 : $0.outcome != .succeeded ? 1 : 2, Duration.zero - $0.duration) }
        let byInterest = operations.indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }
        return byInterest.prefix(max(limit, 0)).sorted()
    }

    /// The order of the rows of a timeline: by start. Operations that never started are sorted by their end, below
    /// those that started then: otherwise an operation whose failure cancelled a hundred others would stand among them.
    func rowOrder(_ selection: [Int]) -> [Int] {
        let keys = operations.map { (time: $0.start ?? $0.end, rank: $0.start == nil ? 1 : 0) }
        return selection.sorted { (keys[$0].time, keys[$0].rank, $0) < (keys[$1].time, keys[$1].rank, $1) }
    }

    /// The phrase about the operations that a selection leaves out; nil when it leaves out none.
    func omission(_ selection: [Int]) -> String? {
        guard selection.count < operations.count else { return nil }
        let shown = Set(selection)
        let longest = operations.indices.lazy.filter { !shown.contains($0) }.map { operations[$0].duration }.max() ?? .zero
        return "\(plural(operations.count - selection.count, "more operation")), none longer than \(durationText(longest))"
    }

    /// The dependencies of each operation, as positions, each once; identifiers that the report does not hold are left
    /// out.
    var dependencyPositions: [[Int]] {
        let positions = Dictionary(operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        return operations.map { operation in
            var seen: Set<Int> = []
            return operation.dependencies.compactMap { positions[$0] }.filter { seen.insert($0).inserted }
        }
    }
}
