import Foundation
import Sequencer

// The format `sequencer.history/1`, described by `Schemas/history.schema.json`:
//
//     {"scenarios":[{"operations":{"login":[302.5,298.1]},"scenario":"regular"}],"schema":"sequencer.history/1"}
//
// Durations are in milliseconds, exact to the nanosecond, the latest last; so are scenarios, by their latest launch. Of an operation that was cut,
// `"atLeast":{"login":[1]}` names the places, from 0, of the durations that are lower bounds.

extension LaunchHistory: Codable {
    static let schema = "sequencer.history/1"

    private struct Document: Codable {
        var schema: String
        var scenarios: [ScenarioDurations]
        /// Nil in files, whose readers say how many they keep, and where it is 20.
        var maximumDurations: Int?
    }

    /// The history as JSON, in one line that does not end with a newline. The same history always gives the same text.
    public func json() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail: all numbers are finite.
        let data = try? encoder.encode(Document(schema: Self.schema, scenarios: recorded))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Encodes the history in the format `sequencer.history/1`, with the number of durations that it keeps where that is not 20.
    public func encode(to encoder: any Encoder) throws {
        let maximum = maximumDurations == LaunchHistory().maximumDurations ? nil : maximumDurations
        try Document(schema: Self.schema, scenarios: recorded, maximumDurations: maximum).encode(to: encoder)
    }

    /// Reads a history in the format `sequencer.history/1`. Unknown keys are ignored: a later version may write more of them.
    ///
    /// - Throws: `DecodingError`, for another kind of document, and for durations outside 0 to 24 hours.
    public init(from decoder: any Decoder) throws {
        let document = try Document(from: decoder)
        guard document.schema == Self.schema else {
            let mistake = "expected the schema \"\(Self.schema)\", found \(document.schema.debugDescription)"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: mistake))
        }
        // The text of a file does not say how many its reader keeps: none of them is lost.
        let kept = document.scenarios.flatMap(\.operations.values).map(\.count).max() ?? 0
        self.init(
            maximumDurations: document.maximumDurations ?? max(kept, LaunchHistory().maximumDurations),
            scenarios: document.scenarios
        )
    }

    /// A text that does not hold a history, or holds one of an unknown version.
    enum FormatProblem: Error {
        case corrupt(String)
        case otherVersion(String)
    }

    private struct Version: Decodable {
        let schema: String
    }

    /// Reads the text of a history; nothing at all is an empty one.
    init(json: Data, maximumDurations: Int) throws(FormatProblem) {
        guard !json.isEmpty else {
            self.init(maximumDurations: maximumDurations)
            return
        }
        let decoder = JSONDecoder()
        // The schema alone: all else may be different in another version.
        guard let version = try? decoder.decode(Version.self, from: json) else { throw .corrupt("it is no JSON object with a schema") }
        guard version.schema == Self.schema else {
            if version.schema.hasPrefix("sequencer.history/") { throw .otherVersion(version.schema) }
            throw .corrupt("its schema is '\(printable(version.schema))', expected '\(Self.schema)'")
        }
        let document: Document
        do { document = try decoder.decode(Document.self, from: json) } catch { throw FormatProblem.corrupt(Self.sentence(for: error)) }
        self.init(maximumDurations: maximumDurations, scenarios: document.scenarios)
    }

    /// The place and the mistake, such as `scenarios[0].operations.login[0]: expected a duration of 0 to 24 hours`.
    private static func sentence(for error: any Error) -> String {
        let found: (path: [any CodingKey], mistake: String) =
            switch error as? DecodingError {
            case .dataCorrupted(let context)?: (context.codingPath, context.debugDescription)
            case .keyNotFound(let key, let context)?: (context.codingPath + [key], "it is missing")
            // Foundation's own words name types of Swift, which say nothing to the reader of a file.
            case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?: (context.codingPath, "it is of another kind")
            default: ([], "\(error)")
            }
        let place = found.path.reduce(into: "") { place, key in
            if let index = key.intValue { place += "[\(index)]" } else { place += (place.isEmpty ? "" : ".") + key.stringValue }
        }
        return printable("\(place): \(found.mistake)", limit: 400)
    }
}

extension LaunchHistory.ScenarioDurations: Codable {
    private enum CodingKeys: String, CodingKey {
        case name = "scenario"
        case operations, atLeast
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        operations = try values.decode([String: [DurationSample]].self, forKey: .operations)
        for (operation, places) in try values.decodeIfPresent([String: [Int]].self, forKey: .atLeast) ?? [:] {
            for place in places {
                guard operations[operation]?.indices.contains(place) == true else {
                    let mistake = "\(printable(operation)) has no duration at place \(place)"
                    throw DecodingError.dataCorruptedError(forKey: .atLeast, in: values, debugDescription: mistake)
                }
                operations[operation]?[place].isLowerBound = true
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(operations, forKey: .operations)
        let bounds = operations.mapValues { samples in samples.indices.filter { samples[$0].isLowerBound } }.filter { !$0.value.isEmpty }
        if !bounds.isEmpty { try values.encode(bounds, forKey: .atLeast) }
    }
}

extension DurationSample: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let milliseconds = try value.decode(Double.self)
        guard milliseconds >= 0, milliseconds <= OperationGraph.maximumDuration.milliseconds else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "expected a duration of 0 to 24 hours")
        }
        self.init(.nanoseconds(Nanoseconds((milliseconds * 1e6).rounded())))
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(Double(nanoseconds) / 1e6)
    }
}
