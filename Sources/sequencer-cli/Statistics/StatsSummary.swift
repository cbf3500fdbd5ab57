import Sequencer
import SequencerAnalysis

/// What `stats` says of the launches of some files.
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
        JSONWriter.document("sequencer.stats/1") { json in
            json.write(decimal: QuantileSketch.relativeError, for: "relativeError")
            if let attribute { json.write(attribute, for: "attribute") }
            if statistics.total.virtualLaunches > 0 {
                json.write(statistics.total.virtualLaunches, for: "virtualLaunches")
                Grounds.virtualTime.write(to: &json)
            }
            json.write(lines, for: "lines")
            json.write(brokenLines, for: "brokenLines")
            json.writeObject(for: "total") { json in statistics.total.write(to: &json) }
            json.writeObjects(statistics.sortedGroups, for: "groups") { json, group in
                json.write(group.key.scenario, for: "scenario")
                if let version = group.key.version { json.write(version, for: "version") }
                if let value = group.key.attribute { json.write(value, for: "attributeValue") }
                group.write(to: &json)
            }
        }
    }
}

extension LaunchGroup {
    fileprivate func write(to json: inout JSONWriter) {
        /// A share of all launches, those that crashed included; null with too few.
        func rate(_ count: Int) -> Double? { LaunchStatistics.rate(count, of: launches) }
        json.write(launches, for: "launches")
        if missedMilestones > 0 { json.write(missedMilestones, for: "missedMilestone") }
        if unknownLaunches > 0 { json.write(unknownLaunches, for: "unknownTimes") }
        json.write(verdicts.misses, for: "budgetMisses")
        json.write(decimals: [
            "budgetMissRate": verdicts.rate, "budgetMissRateUpperBound": verdicts.bound, "abortRate": rate(count(of: .aborted)),
            "failureRate": rate(count(of: .failed)), "cancelRate": rate(count(of: .cancelled)),
        ])
        json.write(crashes, for: "crashes")
        json.write(decimal: rate(crashes), for: "crashRate")
        json.writeObjects(sortedCrashes, for: "crashesByOperation") { json, crash in
            json.write(crash.operation, for: "operation")
            json.write(crash.count, for: "crashes")
        }
        json.writeObjects(outcomes, for: "outcomes") { json, pair in
            json.write(pair.outcome.rawValue, for: "outcome")
            pair.times.write(to: &json)
        }
        if displays.count > 0 { json.writeObject(for: "initialDisplay") { json in displays.write(to: &json) } }
        if displayVerdicts.launches > 0 {
            json.writeObject(for: "initialDisplayBudget") { json in
                json.write(displayVerdicts.launches, for: "launches")
                json.write(displayVerdicts.misses, for: "misses")
                json.write(decimals: ["missRate": displayVerdicts.rate, "missRateUpperBound": displayVerdicts.bound])
            }
        }
        if !slowest.isEmpty {
            json.writeObjects(slowest, for: "operations") { json, pair in
                json.write(pair.name, for: "operation")
                pair.operation.times.write(to: &json)
            }
        }
        if leastSuccessful.isEmpty { return }
        json.writeObjects(leastSuccessful, for: "operationOutcomes") { json, pair in
            json.write(pair.name, for: "operation")
            json.writeObject(for: "outcomes") { json in
                for outcome in Outcome.allCases {
                    if let count = pair.operation.outcomes[outcome] { json.write(count, for: outcome.rawValue) }
                }
            }
        }
    }
}

extension QuantileSketch {
    fileprivate func write(to json: inout JSONWriter) {
        json.write(count, for: "launches")
        json.write(decimal: minimum, for: "minMs")
        for percent in [50, 75, 90, 95, 99] { json.write(decimal: knownPercentile(Double(percent)), for: "p\(percent)Ms") }
        json.write(decimal: maximum, for: "maxMs")
    }
}
