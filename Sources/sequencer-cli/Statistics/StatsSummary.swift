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
