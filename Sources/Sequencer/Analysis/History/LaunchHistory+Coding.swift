import Foundation
import Sequencer

// The format `sequencer.history/1`, described by `Schemas/history.schema.json`:
//
//     {"schema":"sequencer.history/1","scenarios":[{"scenario":"regular","operations":{"login":[302.5,298.1]}}]}
//
// Durations are in milliseconds, exact to the nanosecond, the latest last; so are scenarios, by their latest launch. Of an operation that was cut,
// `"atLeast":{"login":[1]}` names the places, from 0, of the durations that are lower bounds.

extension LaunchHistory {
    static let schema = "sequencer.history/1"
    // Asked for, so that the default stands in one place.
    private static let usualMaximum = LaunchHistory().maximumDurations

    /// The history as JSON, in one line that does not end with a newline. The same history always gives the same text.
    public func json() -> String {
        JSONWriter.object(pretty: false) { writeMembers(to: &$0) }
    }

    private func writeMembers(to document: inout some DocumentWriter) {
        document.write(Self.schema, for: "schema")
        document.writeArray(for: "scenarios") { array in
            for scenario in recorded { array.writeObject(for: nil) { scenario.writeMembers(to: &$0) } }
        }
    }
}

extension LaunchHistory: Codable {
    /// Encodes the history in the format `sequencer.history/1`, with the number of durations that it keeps where that is not 20.
    public func encode(to encoder: any Encoder) throws {
        try EncoderWriter.encode(to: encoder) { document in
            writeMembers(to: &document)
            if maximumDurations != Self.usualMaximum { document.write(maximumDurations, for: "maximumDurations") }
        }
    }

    /// Reads a history in the format `sequencer.history/1`. Unknown keys are ignored: a later version may write more of them.
    ///
    /// - Throws: `DecodingError`, for another kind of document, and for durations outside 0 to 24 hours.
    public init(from decoder: any Decoder) throws {
        let document = try DocumentReader(decoder)
        let schema = try document.string("schema")
        if schema != Self.schema { throw document.error("schema", "expected \"\(Self.schema)\", found \(schema.debugDescription)") }
        let scenarios = try ScenarioDurations.all(in: document)
        // The text of a file does not say how many its reader keeps: none of them is lost.
        let kept = scenarios.map { $0.operations.values.map(\.count).max() ?? 0 }.max() ?? 0
        self.init(
            maximumDurations: try document.optionalCount("maximumDurations") ?? max(kept, Self.usualMaximum),
            scenarios: scenarios
        )
    }
}

extension LaunchHistory.ScenarioDurations {
    fileprivate func writeMembers(to document: inout some DocumentWriter) {
        document.write(name, for: "scenario")
        // A dictionary has another order in each process, and the same history gives the same text.
        let sorted = operations.sorted { $0.key < $1.key }
        document.writeObject(for: "operations") { object in
            for (operation, samples) in sorted {
                object.writeArray(for: operation) { array in
                    for sample in samples { array.write(milliseconds: .nanoseconds(sample.nanoseconds), for: nil) }
                }
            }
        }
        let cut = sorted.filter { $0.value.contains(where: \.isLowerBound) }
        if cut.isEmpty { return }
        document.writeObject(for: "atLeast") { object in
            for (operation, samples) in cut {
                object.writeArray(for: operation) { array in
                    for place in samples.indices where samples[place].isLowerBound { array.write(place, for: nil) }
                }
            }
        }
    }

    /// The scenarios of a document; of one that is there twice, the last one counts.
    fileprivate static func all(in document: DocumentReader) throws -> [Self] {
        let scenarios = try document.objects("scenarios").map { try Self($0) }
        let last = Dictionary(scenarios.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { _, last in last })
        return scenarios.enumerated().filter { last[$0.element.name] == $0.offset }.map { $0.element }
    }

    private init(_ document: DocumentReader) throws {
        self.init(name: try document.string("scenario"))
        let durations = try document.object("operations")
        let bounds = try document.optionalObject("atLeast")
        let longest = OperationGraph.maximumDuration.milliseconds
        for operation in durations.keys {
            let milliseconds = try durations.numbers(operation)
            guard milliseconds.allSatisfy({ $0 >= 0 && $0 <= longest }) else {
                throw durations.error(operation, "expected durations of 0 to 24 hours")
            }
            operations[operation] = milliseconds.map { DurationSample(.nanoseconds(Nanoseconds(($0 * 1e6).rounded()))) }
        }
        guard let bounds else { return }
        for operation in bounds.keys {
            for number in try bounds.numbers(operation) {
                guard let place = Int(exactly: number), operations[operation]?.indices.contains(place) == true else {
                    let found = Int(exactly: number).map { "\($0)" } ?? "\(number)"
                    throw bounds.error(operation, "expected the place of a duration in the list, found \(found)")
                }
                operations[operation]?[place].isLowerBound = true
            }
        }
    }
}

// MARK: - Files

extension LaunchHistory {
    /// A text that does not hold a history, or holds one of an unknown version.
    enum FormatProblem: Error {
        case corrupt(String)
        case otherVersion(String)
    }

    private struct Version: Decodable {
        let schema: String
    }

    private struct Document: Decodable {
        let scenarios: [ScenarioDurations]

        init(from decoder: any Decoder) throws { scenarios = try ScenarioDurations.all(in: DocumentReader(decoder)) }
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

    /// The place and the mistake, such as `scenarios[0].operations.login: expected durations of 0 to 24 hours`.
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
