import Sequencer
import SequencerAnalysis

/// The result of `stats` about the launches of some files.
struct StatsSummary {
    /// The name of all that is summed up.
    let name: String
    /// The name of the attribute that launches are told apart by.
    let attribute: String?
    var statistics = LaunchStatistics()
    /// All lines, blank ones included.
    var lines = 0
    var brokenLines = 0

    /// The summary as JSON, in the format `sequencer.stats/1`, described by `Schemas/stats.schema.json`.
    var json: String {
        let (total, groups) = (statistics.total, statistics.sortedGroups)
        let head: JSONTree = [
            "relativeError": .decimal(QuantileSketch.relativeError), "attribute": .text(attribute),
            "virtualLaunches": .count(total.count(of: .virtual)),
        ]
        return JSONTree.document(
            "sequencer.stats/1",
            head + (total.count(of: .virtual) > 0 ? Grounds.virtualTime.json : [:]) + [
                "lines": .number(lines), "brokenLines": .number(brokenLines), "total": total.json,
                "groups": .array(
                    groups.map { group in
                        let key: JSONTree = [
                            "scenario": .text(group.key.scenario), "version": .text(group.key.version),
                            "attributeValue": .text(group.key.attribute),
                        ]
                        return key + group.json
                    }
                ),
            ]
        )
    }
}

extension LaunchGroup {
    fileprivate var json: JSONTree {
        /// A share of all launches, those that crashed included; null with too few.
        func rate(_ count: Int) -> JSONTree { .decimal(LaunchStatistics.rate(count, of: launches)) }
        let ends: JSONTree = [
            "launches": .number(launches), "missedMilestone": .count(count(of: .missedMilestone)),
            "unknownTimes": .count(count(of: .unknown)), "partlyUnknownTimes": .count(count(of: .partlyUnknown)),
            "budgetMisses": .number(verdicts.misses), "budgetMissRate": .decimal(verdicts.rate),
            "budgetMissRateUpperBound": .decimal(verdicts.bound), "abortRate": rate(count(of: .aborted)),
            "failureRate": rate(count(of: .failed)), "cancelRate": rate(count(of: .cancelled)), "crashes": .number(crashes),
            "crashRate": rate(crashes),
            "crashesByOperation": .array(sortedCrashes.map { ["operation": .text($0.operation), "crashes": .number($0.count)] }),
        ]
        return ends + [
            "outcomes": .array(outcomes.map { ["outcome": .text($0.outcome.rawValue)] + $0.times.json }),
            "initialDisplay": displays.count > 0 ? displays.json : nil,
            "initialDisplayBudget": displayVerdicts.launches == 0
                ? nil
                : [
                    "launches": .number(displayVerdicts.launches), "misses": .number(displayVerdicts.misses),
                    "missRate": .decimal(displayVerdicts.rate), "missRateUpperBound": .decimal(displayVerdicts.bound),
                ],
            "operations": .objects(slowest) { ["operation": .text($0.name)] + $0.operation.times.json },
            "operationOutcomes": .objects(leastSuccessful) {
                ["operation": .text($0.name), "outcomes": $0.operation.outcomes.json]
            },
        ]
    }
}

/// The summary as text, for people.
struct StatsText {
    private static let maximumOperations = 5
    let summary: StatsSummary
    let style: TextStyle

    var text: String {
        let total = summary.statistics.total
        let launches = "\(total.launches) launch\(total.launches == 1 ? "" : "es")"
        var head = "\(summary.name)  \(launches), \(total.crashes) of them crashed"
        if summary.brokenLines > 0 {
            head += "; " + style.yellow("\(summary.brokenLines) of \(summary.lines) lines could not be read")
        }
        if groups.isEmpty { return head + "\n" }
        // The error is told, since a percentile of a sketch is not a measured value.
        let error = "percentiles are within \(ShareText.brief(QuantileSketch.relativeError)) of the exact ones; "
        let bound = "the true rate of misses is below 'at most' with 95% confidence"
        let tables = [times, rates, operations, outcomes, crashes].compactMap(\.self)
        let virtual = total.count(of: .virtual)
        let grounds = virtual == 0 ? "" : style.dim("  \(virtual) in virtual time, \(Grounds.virtualTime.text)") + "\n"
        let doubts = doubts(total).map { style.yellow("  " + $0) + "\n" }.joined()
        return ([head + "\n"] + tables + [style.dim("  " + error + bound) + "\n" + doubts + grounds]).joined(separator: "\n")
    }

    /// The reasons that keep launches out of the times, or make the times mean less than they seem to.
    private func doubts(_ total: LaunchGroup) -> [String] {
        let texts: KeyValuePairs<LaunchLine.Doubt, String> = [
            .missedMilestone: "did not reach their milestone, and are not in the times",
            .unknown: "took a time that nobody knows, and are neither in the times nor within their budget",
            .partlyUnknown: "needed operations of which nobody knows how long they take: these count as 0 ms",
        ]
        let virtual = total.count(of: .virtual), real = total.launches - total.crashes - virtual
        let mixed = "ran in real time beside those in virtual time: their times say nothing about each other"
        let doubts = texts.map { (total.count(of: $0.key), $0.value) } + [(virtual > 0 ? real : 0, mixed)]
        return doubts.filter { $0.0 > 0 }.map { count, text in "\(count) of \(total.launches) \(text)" }
    }

    private var groups: [LaunchGroup] {
        let groups = summary.statistics.sortedGroups
        // With a single group, a line for all would be the same line again.
        return groups.count > 1 ? groups + [summary.statistics.total] : groups
    }

    // MARK: Tables

    private var times: String? {
        table(["outcome"], Self.timeColumns) { group in
            let displays = group.displays.count > 0 ? [("initial display", group.displays)] : []
            return (group.outcomes.map { ($0.rawValue, $1) } + displays).map { [$0] + cells($1) }
        }
    }

    private var rates: String? {
        // In most files no initial display has a budget.
        let hasDisplays = groups.contains { $0.displayVerdicts.launches > 0 }
        let displays: [String] = hasDisplays ? ["initial display over its own", "at most"] : []
        let columns = ["over budget", "at most"] + displays + ["aborted", "failed", "cancelled", "crashed"]
        return table([], columns) { group in
            let counts = [LaunchOutcome.aborted, .failed, .cancelled].map(group.count) + [group.crashes]
            let misses = misses(group.verdicts) + (hasDisplays ? self.misses(group.displayVerdicts) : [])
            return [misses + counts.map { rate($0, of: group.launches) }]
        }
    }

    private var operations: String? {
        table(["operation"], Self.timeColumns) { group in
            group.slowest.map { [printable($0.name, limit: 60)] + cells($0.operation.times) }
        }
    }

    /// Of the operations that did not always succeed.
    private var outcomes: String? {
        let trouble = Outcome.allCases.filter { $0 != .succeeded }
        return table(["operation"], ["launches"] + trouble.map(\.words)) { group in
            let troubled = group.leastSuccessful.filter { $0.operation.outcomes[.succeeded] != $0.operation.launches }
            return troubled.map { name, operation in
                let rates = trouble.map { rate(operation.outcomes[$0], of: operation.launches) }
                return [printable(name, limit: 60), "\(operation.launches)"] + rates
            }
        }
    }

    private var crashes: String? {
        table(["crashed in"], ["launches"]) { group in
            let crashes = group.sortedCrashes.prefix(Self.maximumOperations)
            return crashes.map { [printable($0.operation, limit: 60), "\($0.count)"] }
        }
    }

    /// A table whose rows begin with the names of a group; nil without a row.
    ///
    /// - Parameters:
    ///   - texts: the columns of texts that come next.
    ///   - numbers: the columns of numbers at its end.
    private func table(_ texts: [String], _ numbers: [String], rows: (LaunchGroup) -> [[String]]) -> String? {
        let leading = ["scenario", "version"] + (summary.attribute.map { [printable($0, limit: 40)] } ?? []) + texts
        let all = groups.flatMap { group in
            let attribute = summary.attribute == nil ? [] : [group.key.attribute ?? ""]
            let names = ([group.key.scenario, group.key.version ?? ""] + attribute).map { printable($0, limit: 60) }
            return rows(group).map { names + $0 }
        }
        return all.isEmpty ? nil : style.table(leading + numbers, leading: leading.count, all)
    }

    // MARK: Cells

    private static let timeColumns = ["launches"] + QuantileSketch.percents.map { "p\($0)" } + ["max"]

    private func cells(_ sketch: QuantileSketch) -> [String] {
        ["\(sketch.count)"] + sketch.percentiles.map { $0.value.map(time) ?? "too few" } + [time(sketch.maximum)]
    }

    private func time(_ milliseconds: Double) -> String { style.duration(nanoseconds: milliseconds * 1e6) }

    private func misses(_ verdicts: BudgetVerdicts) -> [String] {
        // A bound on nothing would be 100%, which reads like a result.
        [rate(verdicts.misses, of: verdicts.launches), verdicts.bound.map { ShareText.format($0) } ?? ""]
    }

    /// `5.3%`, or `1 of 4` of a few; nothing of none.
    private func rate(_ count: Int, of total: Int) -> String {
        if total == 0 { return "" }
        return total < LaunchStatistics.leastForRate ? "\(count) of \(total)" : ShareText.format(Double(count) / Double(total))
    }
}

/// The keys that times are grouped by, besides scenario, version and outcome.
struct StatsKeys: Equatable, Sendable {
    var hasOperations = false
    /// The name of an attribute of reports.
    var attribute: String?

    /// Reads `operation`, the name of an attribute, or both with a comma between them.
    static func parse(_ text: String) throws(ValueError) -> StatsKeys {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let attributes = words.filter { $0 != "operation" }
        if attributes.count > 1 || words.count > attributes.count + 1 || words.contains("") {
            let expected = "'operation', the name of an attribute, or both with a comma"
            throw ValueError("\(quoted(text)) is not \(expected)")
        }
        return StatsKeys(hasOperations: words.count > attributes.count, attribute: attributes.first)
    }
}
