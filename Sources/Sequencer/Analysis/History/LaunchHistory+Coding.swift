import Foundation
import Sequencer

// The format `sequencer.history/1`, described by `Schemas/history.schema.json`:
//
//     {"scenarios":[{"operations":{"login":[302.5,298.1]},"scenario":"regular"}],"schema":"sequencer.history/1"}
//
// Durations are in milliseconds, exact to the nanosecond, the latest last; so are scenarios, by their latest launch. Of
// an operation that was cut, `"atLeast":{"login":[1]}` names the places, from 0, of the durations that are lower
// bounds.

extension LaunchHistory: Codable {
    static let schema = "sequencer.history/1"

    private struct Document: Codable {
        struct Scenario: Codable {
            let scenario: String
            let operations: [String: [Double]]
            var atLeast: [String: [Int]]?
        }

        let schema: String
        let scenarios: [Scenario]
        /// Nil in files, whose readers say how many they keep, and where it is 20.
        var maximumDurations: Int?
    }

    private var document: Document {
        let scenarios = recorded.map { entry in
            let bounds = entry.operations.mapValues { samples in samples.indices.filter { samples[$0].isLowerBound } }
            return Document.Scenario(
                scenario: entry.name,
                operations: entry.operations.mapValues { $0.map { Double($0.nanoseconds) / 1e6 } },
                atLeast: bounds.values.allSatisfy(\.isEmpty) ? nil : bounds.filter { !$0.value.isEmpty }
            )
        }
        return Document(schema: Self.schema, scenarios: scenarios)
    }

    /// The history as JSON, in one line that does not end with a newline. The same history always gives the same text.
    public func json() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail: all numbers are finite.
        return String(decoding: (try? encoder.encode(document)) ?? Data(), as: UTF8.self)
    }

    /// Encodes the history in the format `sequencer.history/1`, with the number of durations that it keeps where that
    /// is not 20.
    public func encode(to encoder: any Encoder) throws {
        var document = document
        document.maximumDurations = maximumDurations == LaunchHistory().maximumDurations ? nil : maximumDurations
        try document.encode(to: encoder)
    }

    /// Reads a history in the format `sequencer.history/1`. Unknown keys are ignored: a later version may write more of
    /// them.
    ///
    /// - Throws: `DecodingError`, for another kind of document, and for durations outside 0 to 24 hours.
    public init(from decoder: any Decoder) throws {
        let document = try Document(from: decoder)
        func corrupt(_ mistake: String) -> DecodingError {
            .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: mistake))
        }
        guard document.schema == Self.schema else {
            throw corrupt("its schema is '\(printable(document.schema))', expected '\(Self.schema)'")
        }
        let scenarios = try document.scenarios.enumerated().map { place, entry in
            var scenario = ScenarioDurations(name: entry.scenario)
            // Sorted: of several mistakes always the same one is told.
            for (id, times) in entry.operations.sorted(by: { $0.key < $1.key }) {
                if let wrong = times.firstIndex(where: { !(0...OperationGraph.maximumDuration.milliseconds).contains($0) }) {
                    throw corrupt("scenarios[\(place)].operations.\(id)[\(wrong)]: expected a duration of 0 to 24 hours")
                }
                let bounds = entry.atLeast?[id] ?? []
                if let wrong = bounds.first(where: { !times.indices.contains($0) }) {
                    throw corrupt("scenarios[\(place)].atLeast: \(id) has no duration at place \(wrong)")
                }
                scenario.operations[id] = times.map { DurationSample(.nanoseconds(Nanoseconds(($0 * 1e6).rounded()))) }
                for bound in bounds { scenario.operations[id]?[bound].isLowerBound = true }
            }
            return scenario
        }
        // The text of a file does not say how many its reader keeps: none of them is lost.
        let kept = max(scenarios.flatMap(\.operations.values).map(\.count).max() ?? 0, LaunchHistory().maximumDurations)
        self.init(maximumDurations: document.maximumDurations ?? kept, scenarios: scenarios)
    }

    private struct Version: Decodable {
        let schema: String
    }

    /// Reads the text of a history; nothing at all is an empty one.
    init(json: Data, maximumDurations: Int) throws(HistoryError) {
        guard !json.isEmpty else {
            self.init(maximumDurations: maximumDurations)
            return
        }
        // The schema alone: all else may be different in another version.
        guard let version = try? JSONDecoder().decodeForeign(Version.self, from: json).schema else {
            throw HistoryError(.corrupt, "it is no JSON object with a schema")
        }
        if version != Self.schema {
            let code: HistoryError.Code = version.hasPrefix("sequencer.history/") ? .otherVersion : .corrupt
            throw HistoryError(code, "its schema is '\(printable(version))', expected '\(Self.schema)'; choose another file")
        }
        do {
            let history = try JSONDecoder().decodeForeign(LaunchHistory.self, from: json)
            self.init(maximumDurations: maximumDurations, scenarios: history.recorded)
        } catch DecodingError.dataCorrupted(let context) {
            throw HistoryError(.corrupt, printable(context.debugDescription, limit: 400))
        } catch {
            // Foundation's own words name types of Swift, which say nothing to the reader of a file.
            throw HistoryError(.corrupt, "a value is missing, or of another kind than in a history")
        }
    }
}
