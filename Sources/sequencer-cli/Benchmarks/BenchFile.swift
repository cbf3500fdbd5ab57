import Foundation
import Sequencer

/// Reads a saved bench, or saved reports, from a file, or from standard input for `-`.
func readBench(_ path: String) throws -> BenchDocument {
    try parseBench(try readInput(path), file: inputName(path))
}

/// Reads a saved bench, in the format `sequencer.bench/1`, or the runs of saved reports, in the format `sequencer.report/1`.
func parseBench(_ bytes: [UInt8], file: String) throws(ScenarioError) -> BenchDocument {
    if SavedReports.begin(bytes) { return try BenchDocument(try SavedReports.decode(bytes, file: file), file: file) }
    return try decodeDocument(BenchDocument.self, from: bytes, file: file)
}

// MARK: - Reading

// Unknown keys are ignored, because a later version may have more of them. Results that follow from the measurements are computed again.

extension BenchDocument: Decodable {
    private enum CodingKeys: CodingKey {
        case schema, toolVersion, machine, clock, warmups, taken, scenarios
    }

    init(from decoder: any Decoder) throws {
        let document = try decoder.container(keyedBy: CodingKeys.self)
        let schema = try document.decode(String.self, forKey: .schema)
        guard schema == Self.schema else {
            throw document.fault(.schema, "expected '\(Self.schema)', as 'bench --save' writes it, found \(quoted(schema))")
        }
        toolVersion = try document.decode(String.self, forKey: .toolVersion)
        machine = try document.decode(Machine.self, forKey: .machine)
        if let complaint = outside(1...maximumCounted, machine.processors) {
            throw document.fault(.machine, member: "processors", complaint)
        }
        clock = try document.word(.clock, called: "clock")
        warmups = try document.integer(.warmups, in: 0...maximumCounted)
        span = try document.decodeIfPresent(BenchSpan.self, forKey: .taken)
        scenarios = try document.decode([BenchedScenario].self, forKey: .scenarios)
        if scenarios.isEmpty { throw document.fault(.scenarios, "there is no scenario") }
        if let place = firstRepetition(scenarios.map(\.name)) {
            throw document.fault(.scenarios, at: place, "the scenario \(quoted(scenarios[place].name)) is there twice")
        }
    }
}

extension BenchSpan: Decodable {
    private enum CodingKeys: String, CodingKey {
        case begin, end, loadAtBegin = "loadBegin", loadAtEnd = "loadEnd"
    }

    init(from decoder: any Decoder) throws {
        let span = try decoder.container(keyedBy: CodingKeys.self)
        begin = try span.date(.begin)
        end = try span.date(.end)
        if end < begin { throw span.fault(.end, "the bench ends before it begins") }
        loadAtBegin = try span.load(.loadAtBegin)
        loadAtEnd = try span.load(.loadAtEnd)
    }
}

extension BenchedScenario: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name = "scenario", budget = "budgetMs", milestone, runs, operations
    }

    init(from decoder: any Decoder) throws {
        let scenario = try decoder.container(keyedBy: CodingKeys.self)
        name = try scenario.decode(String.self, forKey: .name)
        budget = try scenario.milliseconds(.budget)
        milestone = try scenario.decodeIfPresent(String.self, forKey: .milestone)
        runs = try scenario.decode([BenchRun].self, forKey: .runs)
        operations = try scenario.decode([BenchedOperation].self, forKey: .operations)
        if let place = firstRepetition(operations.map(\.id)) {
            throw scenario.fault(.operations, at: place, "the operation \(quoted(operations[place].id)) is there twice")
        }
        for (place, operation) in operations.enumerated() where operation.durations.count != runs.count {
            let message = "expected a duration for each of \(runs.count) runs, found \(operation.durations.count)"
            throw scenario.fault(.operations, at: place, member: "durationsMs", message)
        }
    }
}

extension BenchRun: Decodable {
    private enum Verdict: String, CaseIterable {
        case pass, fail
    }

    private enum CodingKeys: String, CodingKey {
        case outcome, verdict, measured = "measuredMs", makespan = "makespanMs", interactive = "interactiveMs", process = "processMs"
    }

    init(from decoder: any Decoder) throws {
        let run = try decoder.container(keyedBy: CodingKeys.self)
        outcome = try run.word(.outcome, called: "outcome")
        let verdict: Verdict = try run.word(.verdict, called: "verdict")
        isMet = verdict == .pass
        measured = try run.milliseconds(.measured)
        makespan = try run.milliseconds(.makespan)
        interactive = try run.milliseconds(.interactive)
        process = run.contains(.process) ? try run.milliseconds(.process) : nil
    }
}

extension BenchedOperation: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id, durations = "durationsMs", criticalRuns, dependencies = "after"
    }

    init(from decoder: any Decoder) throws {
        let operation = try decoder.container(keyedBy: CodingKeys.self)
        id = try operation.decode(String.self, forKey: .id)
        criticalRuns = try operation.integer(.criticalRuns, in: 0...maximumCounted)
        dependencies = try operation.decodeIfPresent([String].self, forKey: .dependencies)
        // One by one: most of a bench is these numbers, and the decoder takes twice as long for an array of `Double?`.
        var times = try operation.nestedUnkeyedContainer(forKey: .durations)
        durations = []
        while !times.isAtEnd {
            let place = times.currentIndex
            let time = try times.decodeNil() ? nil : times.decode(Double.self)
            if let time, let complaint = outside(longestTime, time) { throw operation.fault(.durations, at: place, complaint) }
            durations.append(time.map { .nearest(nanoseconds: $0 * 1e6) })
        }
    }
}

/// More runs or processors than anyone has.
private let maximumCounted = 1_000_000
/// In milliseconds. Longer than any launch takes.
private let longestTime = 0.0...1e10

/// The place of the first name that another one before it equals.
private func firstRepetition(_ names: [String]) -> Int? {
    var seen: Set<String> = []
    return names.firstIndex { !seen.insert($0).inserted }
}

/// The complaint about a number that is outside of a range; nil inside of it.
private func outside(_ range: ClosedRange<Int>, _ number: Int) -> String? {
    range.contains(number) ? nil : "expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(number)"
}

private func outside(_ range: ClosedRange<Double>, _ number: Double) -> String? {
    if range.contains(number) { return nil }
    let found = Int(exactly: number).map(String.init) ?? String(number)
    return "expected a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)), found \(found)"
}

extension KeyedDecodingContainer {
    fileprivate func milliseconds(_ key: Key) throws -> Duration {
        let number = try decode(Double.self, forKey: key)
        if let complaint = outside(longestTime, number) { throw fault(key, complaint) }
        return .nearest(nanoseconds: number * 1e6)
    }

    fileprivate func date(_ key: Key) throws -> Date {
        let text = try decode(String.self, forKey: key)
        guard let date = try? LaunchReport.timestamp.parse(text) else {
            throw fault(key, "expected a time such as '2026-09-01T08:30:00.000Z', found \(quoted(text))")
        }
        return date
    }

    fileprivate func load(_ key: Key) throws -> Double? {
        guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        if let complaint = outside(0...Double(maximumCounted), number) { throw fault(key, complaint) }
        return number
    }

    fileprivate func integer(_ key: Key, in range: ClosedRange<Int>) throws -> Int {
        let number = try decode(Int.self, forKey: key)
        if let complaint = outside(range, number) { throw fault(key, complaint) }
        return number
    }

    /// One word out of a few, each spelled exactly.
    fileprivate func word<Word: RawRepresentable<String> & CaseIterable>(_ key: Key, called name: String) throws -> Word {
        let text = try decode(String.self, forKey: key)
        guard let word = Word(rawValue: text) else {
            throw fault(key, unknownWord(text, called: name, among: Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// - Parameters:
    ///   - place: of an element of the array that the key has.
    ///   - member: a key of that element, or of the object that the key has.
    fileprivate func fault(_ key: Key, at place: Int? = nil, member: String? = nil, _ message: String) -> DecodingError {
        let rest: [any CodingKey] = [place.map { DocumentKey($0) }, member.map { DocumentKey($0) }].compactMap(\.self)
        return .dataCorrupted(DecodingError.Context(codingPath: codingPath + [key] + rest, debugDescription: message))
    }
}

// MARK: - Writing

extension BenchDocument {
    /// The document as JSON, in the format `sequencer.bench/1`, described by `Schemas/bench.schema.json`.
    ///
    /// It holds figures that follow from the measurements, too, for other readers; this tool computes them again.
    ///
    /// - Parameters:
    ///   - comparisons: the changes of the scenarios; not a part of saved benches.
    ///   - pretty: two spaces a level, or all in one line, which is much shorter.
    func json(_ comparisons: [BenchComparison] = [], pretty: Bool = true) -> String {
        JSONWriter.document(Self.schema, pretty: pretty) { json in
            json.write(toolVersion, for: "toolVersion")
            json.writeObject(for: "machine") { json in
                json.write(machine.system, for: "system")
                json.write(machine.architecture, for: "architecture")
                json.write(machine.processors, for: "processors")
                json.write(machine.name, for: "name")
            }
            json.write(clock.rawValue, for: "clock")
            json.write(warmups, for: "warmups")
            if let span {
                json.writeObject(for: "taken") { json in
                    json.write(span.begin.formatted(LaunchReport.timestamp), for: "begin")
                    json.write(span.end.formatted(LaunchReport.timestamp), for: "end")
                    if let load = span.loadAtBegin { json.write(decimal: load, for: "loadBegin") }
                    if let load = span.loadAtEnd { json.write(decimal: load, for: "loadEnd") }
                }
            }
            json.writeObjects(scenarios, for: "scenarios") { json, scenario in scenario.write(to: &json) }
            if comparisons.isEmpty { return }
            json.writeObjects(comparisons, for: "comparisons") { json, comparison in comparison.write(to: &json) }
        }
    }
}

extension BenchedScenario {
    fileprivate func write(to json: inout JSONWriter) {
        let summary = BenchSummary(self)
        json.write(name, for: "scenario")
        json.write(milliseconds: budget, for: "budgetMs")
        if let milestone { json.write(milestone, for: "milestone") }
        summary.write(to: &json)
        json.writeObjects(runs, for: "runs") { json, run in
            json.write(run.outcome.rawValue, for: "outcome")
            json.write(run.isMet ? "pass" : "fail", for: "verdict")
            json.write(milliseconds: run.measured, for: "measuredMs")
            json.write(milliseconds: run.makespan, for: "makespanMs")
            json.write(milliseconds: run.interactive, for: "interactiveMs")
            if let process = run.process { json.write(milliseconds: process, for: "processMs") }
        }
        let medians = Dictionary(summary.operations.map { ($0.id, $0.sample.median) }) { first, _ in first }
        json.writeObjects(operations, for: "operations") { json, operation in
            json.write(operation.id, for: "id")
            json.write(nanoseconds: medians[operation.id], for: "medianMs")
            json.write(operation.criticalRuns, for: "criticalRuns")
            if let dependencies = operation.dependencies { json.write(dependencies, for: "after") }
            json.writeArray(for: "durationsMs") { json in
                for duration in operation.durations { json.write(milliseconds: duration) }
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
            json.write(nanoseconds: sample?.nearestRank(90), for: "p90Ms")
            json.write(nanoseconds: sample?.maximum, for: "maxMs")
            json.writeArray(for: "outlierRuns") { json in
                for outlier in outliers { json.write(outlier.run) }
            }
            if let modes {
                json.writeObjects([modes.lower, modes.upper], for: "modes") { json, mode in
                    json.write(mode.count, for: "runs")
                    json.write(nanoseconds: mode.median, for: "medianMs")
                    json.write(nanoseconds: mode.medianAbsoluteDeviation, for: "madMs")
                }
            }
            json.write(misses, for: "budgetMisses")
            json.write(decimal: missBound, for: "missRateUpperBound")
        }
    }
}

extension BenchComparison {
    static let schema = "sequencer.comparison/1"

    /// Comparisons as JSON, in the format `sequencer.comparison/1`, described by `Schemas/comparison.schema.json`.
    static func json(_ comparisons: [BenchComparison]) -> String {
        JSONWriter.document(schema) { json in
            json.writeObjects(comparisons, for: "comparisons") { json, comparison in comparison.write(to: &json) }
        }
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.write(before.scenario.name, for: "before")
        json.write(after.scenario.name, for: "after")
        json.write(verdict.rawValue, for: "verdict")
        json.write(decimal: threshold, for: "threshold")
        for (summary, key) in [(before, "beforeRuns"), (after, "afterRuns")] {
            json.writeObject(for: key) { json in
                for (outcome, count) in summary.outcomes { json.write(count, for: outcome.rawValue) }
            }
        }
        if let gap {
            json.writeObject(for: "apart") { json in
                json.write(decimal: askedThreshold, for: "askedThreshold")
                json.write(decimal: gap.seconds, for: "seconds")
                json.write(decimal: gap.loadRatio, for: "loadRatio")
            }
        }
        json.write(nanoseconds: before.sample?.median, for: "beforeMs")
        json.write(nanoseconds: after.sample?.median, for: "afterMs")
        json.write(decimal: change, for: "change")
        json.write(decimal: interval?.lower, for: "changeLower")
        json.write(decimal: interval?.upper, for: "changeUpper")
        json.write(decimal: test?.u, for: "u")
        json.write(decimal: test?.p, for: "p")
        json.writeObjects(operations, for: "operations") { json, operation in
            json.write(operation.id, for: "id")
            json.write(nanoseconds: operation.before, for: "beforeMs")
            json.write(nanoseconds: operation.after, for: "afterMs")
            json.write(nanoseconds: operation.difference, for: "differenceMs")
            json.write(decimal: operation.p, for: "p")
            if let p = operation.adjustedP { json.write(decimal: p, for: "adjustedP") }
            if let share = operation.accountsFor { json.write(nanoseconds: share, for: "accountsForMs") }
            json.write(operation.isCritical, for: "critical")
        }
        guard let moved = criticalPathMove else { return }
        json.writeObject(for: "criticalPathMoved") { json in
            json.write(moved.from, for: "from")
            json.write(moved.to, for: "to")
        }
    }
}
