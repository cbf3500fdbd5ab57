import Foundation

/// The text of a history, `sequencer.history/1`, described by `Schemas/history.schema.json`:
///
/// ```json
/// {"schema":"sequencer.history/1","scenarios":[{"scenario":"regular","operations":{"login":[302.5,298.1]}}]}
/// ```
///
/// Durations are in milliseconds, exact to the nanosecond, the latest last; so are scenarios, by their latest launch. The same history always
/// gives the same text.
extension LaunchHistory {
    static let schema = "sequencer.history/1"

    /// A text that is no history, or one of a version that is not known here.
    enum FormatProblem: Error {
        case corrupt(String)
        case otherVersion(String)
    }

    private struct Document: Decodable {
        struct Scenario: Decodable {
            let scenario: String
            let operations: [String: [Double]]
        }

        let scenarios: [Scenario]
    }

    private struct Version: Decodable {
        let schema: String
    }

    /// The history as JSON, in one line that does not end with a newline.
    public func json() -> String {
        JSONWriter.object(pretty: false) { json in
            json.write(Self.schema, for: "schema")
            json.writeArray(for: "scenarios") { json in
                for scenario in recorded {
                    json.writeObject { json in
                        json.write(scenario.name, for: "scenario")
                        json.writeObject(for: "operations") { json in
                            for (operation, durations) in scenario.operations.sorted(by: { $0.key < $1.key }) {
                                json.writeArray(for: operation) { json in
                                    for duration in durations { json.write(milliseconds: .nanoseconds(duration)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Reads the text of a history; nothing at all is an empty one.
    init(json: Data, limit: Int) throws(FormatProblem) {
        guard !json.isEmpty else {
            self.init(limit: limit)
            return
        }
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: json) else { throw .corrupt("it is no JSON object with a schema") }
        guard version.schema == Self.schema else {
            if version.schema.hasPrefix("sequencer.history/") { throw .otherVersion(version.schema) }
            throw .corrupt("its schema is '\(printable(version.schema))', expected '\(Self.schema)'")
        }
        guard let document = try? decoder.decode(Document.self, from: json) else { throw .corrupt("its scenarios make no sense") }
        let longest = OperationGraph.longestDuration.milliseconds
        var scenarios: [Scenario] = []
        for scenario in document.scenarios {
            guard scenario.operations.allSatisfy({ $0.value.allSatisfy { $0 >= 0 && $0 <= longest } }) else {
                throw .corrupt("it holds a duration outside 0 to 24 hours")
            }
            let operations = scenario.operations.mapValues { $0.map { Nanoseconds(($0 * 1e6).rounded()) } }
            scenarios.removeAll { $0.name == scenario.scenario }
            scenarios.append(Scenario(name: scenario.scenario, operations: operations))
        }
        self.init(limit: limit, scenarios: scenarios)
    }
}
