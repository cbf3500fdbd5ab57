import Sequencer

/// What many launches came to, for people.
struct StatsText {
    private static let percents = [50.0, 75, 90, 95, 99]
    private static let mostOperations = 5

    let summary: LinesSummary
    let style: TextStyle
    let name: String

    var text: String {
        let groups = rows
        let total = summary.statistics.total
        var head = "\(name)  \(total.launches) launches, \(total.crashes) of them crashed"
        if summary.brokenLines > 0 { head += "; " + style.yellow("\(summary.brokenLines) of \(summary.lines) lines could not be read") }
        if groups.isEmpty { return head + "\n" }
        let error = "percentiles are within \(ShareText.brief(QuantileSketch.relativeError)) of the exact ones; "
        let bound = "the true rate of misses is below 'at most' with 95% confidence"
        return head + "\n\n" + times(groups) + "\n" + rates(groups) + crashes(groups) + "\n" + style.dim("  " + error + bound) + "\n"
    }

    private var rows: [LaunchGroup] {
        let groups = summary.statistics.sortedGroups
        return groups.count > 1 ? groups + [summary.statistics.total] : groups
    }

    private func times(_ groups: [LaunchGroup]) -> String {
        var table = TextTable(["scenario", "version", "outcome", "launches"] + Self.percents.map { "p\(Int($0))" } + ["max"], leading: 3)
        for group in groups {
            for outcome in BenchRun.Outcome.allCases {
                guard let sketch = group.times[outcome] else { continue }
                let values = Self.percents.map { sketch.percentile($0).map(time) ?? "" }
                table.add(names(group) + [outcome.rawValue, "\(sketch.count)"] + values + [time(sketch.maximum)])
            }
        }
        return table.text(style)
    }

    private func rates(_ groups: [LaunchGroup]) -> String {
        var table = TextTable(["scenario", "version", "over budget", "at most", "aborted", "failed", "cancelled", "crashed"], leading: 2)
        for group in groups {
            table.add(
                names(group)
                    + [share(group.missRate), group.reports > 0 ? share(group.missBound) : "", share(group.rate(of: .aborted))]
                    + [share(group.rate(of: .failed)), share(group.rate(of: .cancelled)), share(group.crashRate)]
            )
        }
        return table.text(style)
    }

    private func crashes(_ groups: [LaunchGroup]) -> String {
        let groups = groups.filter { !$0.crashesByOperation.isEmpty }
        guard !groups.isEmpty else { return "" }
        var table = TextTable(["scenario", "version", "crashed in", "launches"], leading: 3)
        for group in groups {
            for (operation, count) in group.sortedCrashes.prefix(Self.mostOperations) {
                table.add(names(group) + [printable(operation, limit: 60), "\(count)"])
            }
        }
        return "\n" + table.text(style)
    }

    private func names(_ group: LaunchGroup) -> [String] {
        [printable(group.key.scenario, limit: 60), printable(group.key.version ?? "", limit: 40)]
    }

    private func share(_ share: Double?) -> String {
        share.map { ShareText.format($0) } ?? ""
    }

    private func time(_ milliseconds: Double) -> String {
        style.duration(.nearest(nanoseconds: milliseconds * 1e6))
    }
}

extension LaunchGroup {
    /// The operation with the most crashes first.
    var sortedCrashes: [(operation: String, count: Int)] {
        crashesByOperation.map { ($0.key, $0.value) }.sorted { ($0.1, $1.0) > ($1.1, $0.0) }
    }
}

extension LinesSummary {
    /// The summary as JSON, in the format `sequencer.stats/1`, described by `Schemas/stats.schema.json`.
    func json() -> String {
        JSONWriter.object(pretty: true) { json in
            json.write("sequencer.stats/1", for: "schema")
            json.write(decimal: QuantileSketch.relativeError, for: "relativeError")
            json.write(lines, for: "lines")
            json.write(brokenLines, for: "brokenLines")
            json.writeObject(for: "total") { json in statistics.total.write(to: &json) }
            json.writeArray(for: "groups") { json in
                for group in statistics.sortedGroups {
                    json.writeObject { json in
                        json.write(group.key.scenario, for: "scenario")
                        if let version = group.key.version { json.write(version, for: "version") }
                        group.write(to: &json)
                    }
                }
            }
        } + "\n"
    }
}

extension LaunchGroup {
    fileprivate func write(to json: inout JSONWriter) {
        json.write(launches, for: "launches")
        json.write(misses, for: "budgetMisses")
        json.write(decimal: missRate, for: "budgetMissRate")
        json.write(decimal: missBound, for: "budgetMissRateUpperBound")
        json.write(decimal: rate(of: .aborted), for: "abortRate")
        json.write(decimal: rate(of: .failed), for: "failureRate")
        json.write(decimal: rate(of: .cancelled), for: "cancelRate")
        json.write(crashes, for: "crashes")
        json.write(decimal: crashRate, for: "crashRate")
        json.writeArray(for: "crashesByOperation") { json in
            for (operation, count) in sortedCrashes {
                json.writeObject { json in
                    json.write(operation, for: "operation")
                    json.write(count, for: "crashes")
                }
            }
        }
        json.writeArray(for: "outcomes") { json in
            for outcome in BenchRun.Outcome.allCases {
                guard let sketch = times[outcome] else { continue }
                json.writeObject { json in
                    json.write(outcome.rawValue, for: "outcome")
                    json.write(sketch.count, for: "launches")
                    json.write(decimal: sketch.minimum, for: "minMs")
                    for percent in [50, 75, 90, 95, 99] { json.write(decimal: sketch.percentile(Double(percent)), for: "p\(percent)Ms") }
                    json.write(decimal: sketch.maximum, for: "maxMs")
                }
            }
        }
    }
}
