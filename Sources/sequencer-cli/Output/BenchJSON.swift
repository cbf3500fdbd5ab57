import Sequencer

extension BenchDocument {
    /// The document as JSON, in the format `sequencer.bench/1`, described by `Schemas/bench.schema.json`.
    ///
    /// What can be computed from the measurements is there for other readers; this tool computes it again.
    ///
    /// - Parameters:
    ///   - comparisons: what became of the scenarios; not a part of saved benches.
    ///   - pretty: two spaces a level, or all in one line, which is much shorter.
    func json(_ comparisons: [BenchComparison] = [], pretty: Bool = true) -> String {
        JSONWriter.object(pretty: pretty) { json in
            json.write(Self.schema, for: "schema")
            json.write(toolVersion, for: "toolVersion")
            json.writeObject(for: "machine") { json in
                json.write(machine.system, for: "system")
                json.write(machine.architecture, for: "architecture")
                json.write(machine.processors, for: "processors")
                json.write(machine.name, for: "name")
            }
            json.write(clock.rawValue, for: "clock")
            json.write(warmups, for: "warmups")
            json.writeArray(for: "scenarios") { json in
                for scenario in scenarios { scenario.write(to: &json) }
            }
            guard !comparisons.isEmpty else { return }
            json.writeArray(for: "comparisons") { json in
                for comparison in comparisons { comparison.write(to: &json) }
            }
        } + "\n"
    }
}

extension BenchedScenario {
    fileprivate func write(to json: inout JSONWriter) {
        let summary = BenchSummary(self)
        json.writeObject { json in
            json.write(name, for: "scenario")
            json.write(milliseconds: budget, for: "budgetMs")
            summary.write(to: &json)
            json.writeArray(for: "runs") { json in
                for run in runs { run.write(to: &json) }
            }
            let medians = Dictionary(summary.operations.map { ($0.id, $0.sample.median) }) { first, _ in first }
            json.writeArray(for: "operations") { json in
                for operation in operations {
                    json.writeObject { json in
                        json.write(operation.id, for: "id")
                        json.write(nanoseconds: medians[operation.id], for: "medianMs")
                        json.write(operation.criticalRuns, for: "criticalRuns")
                        json.writeArray(for: "durationsMs") { json in
                            for duration in operation.durations { json.write(milliseconds: duration) }
                        }
                    }
                }
            }
        }
    }
}

extension BenchSummary {
    fileprivate func write(to json: inout JSONWriter) {
        json.writeObject(for: "summary") { json in
            json.write(sample?.count ?? 0, for: "completed")
            json.write(nanoseconds: sample?.median, for: "medianMs")
            json.write(nanoseconds: sample?.medianAbsoluteDeviation, for: "madMs")
            json.write(nanoseconds: interval?.lower, for: "medianLowerMs")
            json.write(nanoseconds: interval?.upper, for: "medianUpperMs")
            json.write(nanoseconds: sample?.minimum, for: "minMs")
            json.write(nanoseconds: sample?.percentile(90), for: "p90Ms")
            json.write(nanoseconds: sample?.maximum, for: "maxMs")
            json.writeArray(for: "outlierRuns") { json in
                for outlier in outliers { json.write(outlier.run) }
            }
            json.write(misses, for: "budgetMisses")
            json.write(decimal: missBound, for: "missRateUpperBound")
        }
    }
}

extension BenchRun {
    fileprivate func write(to json: inout JSONWriter) {
        json.writeObject { json in
            json.write(outcome.rawValue, for: "outcome")
            json.write(isMet ? "pass" : "fail", for: "verdict")
            json.write(milliseconds: measured, for: "measuredMs")
            json.write(milliseconds: makespan, for: "makespanMs")
            json.write(milliseconds: interactive, for: "interactiveMs")
        }
    }
}

extension BenchComparison {
    static let schema = "sequencer.comparison/1"

    /// Comparisons as JSON, in the format `sequencer.comparison/1`, described by `Schemas/comparison.schema.json`.
    static func json(_ comparisons: [BenchComparison]) -> String {
        JSONWriter.object(pretty: true) { json in
            json.write(schema, for: "schema")
            json.writeArray(for: "comparisons") { json in
                for comparison in comparisons { comparison.write(to: &json) }
            }
        } + "\n"
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.writeObject { json in
            json.write(before.scenario.name, for: "before")
            json.write(after.scenario.name, for: "after")
            json.write(verdict.rawValue, for: "verdict")
            json.write(decimal: threshold, for: "threshold")
            json.write(nanoseconds: before.sample?.median, for: "beforeMs")
            json.write(nanoseconds: after.sample?.median, for: "afterMs")
            json.write(decimal: change, for: "change")
            json.write(decimal: interval?.lower, for: "changeLower")
            json.write(decimal: interval?.upper, for: "changeUpper")
            json.write(decimal: test?.u, for: "u")
            json.write(decimal: test?.p, for: "p")
            json.writeArray(for: "operations") { json in
                for operation in operations {
                    json.writeObject { json in
                        json.write(operation.id, for: "id")
                        json.write(nanoseconds: operation.before, for: "beforeMs")
                        json.write(nanoseconds: operation.after, for: "afterMs")
                        json.write(nanoseconds: operation.difference, for: "differenceMs")
                        json.write(decimal: operation.p, for: "p")
                        json.write(operation.isCritical, for: "critical")
                    }
                }
            }
        }
    }
}
