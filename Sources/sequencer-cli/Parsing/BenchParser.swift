import Sequencer

/// Reads a saved bench, in the format `sequencer.bench/1`.
///
/// What can be computed from the measurements is not read; unknown keys are left alone, because a later version may have more of them.
func parseBench(_ bytes: [UInt8], file: String) throws(ScenarioError) -> BenchDocument {
    let lines = SourceLines(bytes)
    let value: JSONValue
    do throws(JSONError) {
        value = try parseJSON(bytes)
    } catch {
        throw ScenarioError(file: file, position: lines.position(of: error.offset), path: "", message: error.message)
    }
    do throws(ScenarioFault) {
        return try BenchParser().parse(ScenarioField(value: value, path: .root))
    } catch {
        throw ScenarioError(file: file, position: lines.position(of: error.offset), path: error.path.description, message: error.message)
    }
}

/// Reads a saved bench from a file, or from standard input for `-`.
func readBench(_ path: String) throws -> BenchDocument {
    try parseBench(try readInput(path), file: inputName(path))
}

private struct BenchParser {
    private enum VerdictWord: String, CaseIterable {
        case pass, fail
    }

    /// More than any launch takes: what is measured is cut off there.
    private static let milliseconds = 0.0...1e10
    private static let most = 1_000_000

    func parse(_ root: ScenarioField) throws(ScenarioFault) -> BenchDocument {
        _ = try root.object()
        let schema = try root.required("schema")
        let name = try schema.string()
        guard name == BenchDocument.schema else {
            throw schema.fault("expected '\(BenchDocument.schema)', as 'bench --save' writes it, found \(quoted(name))")
        }
        let machine = try root.required("machine")
        var document = BenchDocument(
            toolVersion: try root.required("toolVersion").string(),
            machine: Machine(
                system: try machine.required("system").label("the system"),
                architecture: try machine.required("architecture").label("the architecture"),
                processors: try machine.required("processors").integer(in: 1...Self.most),
                name: try machine.required("name").label("the name")
            ),
            clock: try root.required("clock").word(ClockMode.self, called: "clock"),
            warmups: try root.required("warmups").integer(in: 0...Self.most),
            scenarios: []
        )
        let scenarios = try root.required("scenarios")
        for field in try scenarios.elements() {
            let scenario = try parseScenario(field)
            if document.scenarios.contains(where: { $0.name == scenario.name }) {
                throw field.fault("the scenario \(quoted(scenario.name)) is there twice")
            }
            document.scenarios.append(scenario)
        }
        if document.scenarios.isEmpty { throw scenarios.fault("there is no scenario") }
        return document
    }

    private func parseScenario(_ field: ScenarioField) throws(ScenarioFault) -> BenchedScenario {
        var scenario = BenchedScenario(
            name: try field.required("scenario").string(),
            budget: try milliseconds(try field.required("budgetMs"))
        )
        for run in try field.required("runs").elements() {
            scenario.runs.append(
                BenchRun(
                    outcome: try run.required("outcome").word(BenchRun.Outcome.self, called: "outcome"),
                    isMet: try run.required("verdict").word(VerdictWord.self, called: "verdict") == .pass,
                    measured: try milliseconds(try run.required("measuredMs")),
                    makespan: try milliseconds(try run.required("makespanMs")),
                    interactive: try milliseconds(try run.required("interactiveMs"))
                )
            )
        }
        var seen: Set<String> = []
        for operation in try field.required("operations").elements() {
            let id = try operation.required("id")
            let durations = try operation.required("durationsMs")
            var parsed = BenchedOperation(
                id: try id.string(),
                durations: [],
                criticalRuns: try operation.required("criticalRuns").integer(in: 0...Self.most)
            )
            if !seen.insert(parsed.id).inserted { throw id.fault("the operation \(quoted(parsed.id)) is there twice") }
            for duration in try durations.elements() {
                if case .null = duration.value.content {
                    parsed.durations.append(nil)
                } else {
                    parsed.durations.append(try milliseconds(duration))
                }
            }
            guard parsed.durations.count == scenario.runs.count else {
                throw durations.fault("expected a duration for each of \(scenario.runs.count) runs, found \(parsed.durations.count)")
            }
            scenario.operations.append(parsed)
        }
        return scenario
    }

    private func milliseconds(_ field: ScenarioField) throws(ScenarioFault) -> Duration {
        .nearest(nanoseconds: try field.number(in: Self.milliseconds) * 1e6)
    }
}
