import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// A broken report is refused with a sentence that names the key.
@Suite("Broken reports", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BrokenReportTests {
    /// A report with everything, in which one value is another, or missing.
    struct Broken: Sendable, CustomTestStringConvertible {
        /// Where, such as `operations.0.endMs`.
        let path: String
        /// As JSON; nil: the key is missing.
        let value: String?
        /// What the sentence says, if it is not Foundation's.
        let sentence: String?
        /// The key that the error names, if that is not the last of the path.
        let key: String?

        init(_ path: String, _ value: String?, _ sentence: String? = nil, key: String? = nil) {
            (self.path, self.value, self.sentence, self.key) = (path, value, sentence, key)
        }

        var testDescription: String { "\(path) is \(value ?? "missing")" }
    }

    private static let numbers = ["makespanMs", "workMs", "criticalPathMs", "budget.measuredMs", "budget.interactiveMs"]
    private static let required = [
        "schema", "scenario", "outcome", "budget", "lanes", "operations", "failure", "failure.operation", "failure.message",
    ]

    private static let brokenValues: [Broken] = [
        Broken("schema", "\"sequencer.report/2\"", "expected \"sequencer.report/1\", found \"sequencer.report/2\""),
        Broken("schema", "1"),
        Broken("scenario", "null"),
        Broken("version", "1.4"),
        Broken("attributes", "{}"),
        Broken("attributes.0.value", "1"),
        Broken("attributes.1.name", nil),
        Broken("attributes.0.name", "\"start.type\"", "the attribute \"start.type\" is there twice", key: "attributes"),
        Broken("startedAt", "\"yesterday\"", "expected a date such as \"2026-01-31T09:30:00.000Z\", found \"yesterday\""),
        Broken("outcome", "\"ended\"", "expected completed, aborted, failed, cancelled, found \"ended\""),
        Broken("failure", "\"login\""),
        Broken("budget", "[]"),
        Broken("budget.verdict", "\"maybe\"", "expected pass, fail, found \"maybe\""),
        Broken("budget.verdict", nil),
        Broken("budget.limitMs", "\"3 s\""),
        Broken("budget.limitMs", "-1", "expected 0 to 9000000000000 milliseconds, found -1.0"),
        Broken("budget.questions", "7"),
        Broken("budget.questions.0.endMs", nil),
        Broken("budget.questions.1.endMs", "999", "expected a time after startMs, found one before it"),
        Broken("budget.causes", "\"login\""),
        Broken("budget.from", "3"),
        Broken("budget.enforced", "\"no\""),
        Broken("milestone", "[\"main\"]"),
        Broken("scopes.0.report.milestone", "\"main\"", "there is no operation \"main\" in the report"),
        Broken("criticalPath", nil),
        Broken("criticalPath", "[1]"),
        Broken("lanes", "1.5", "expected a whole number, found 1.5"),
        Broken("lanes", "-1", "expected 0 to 1000000, found -1"),
        Broken("lanes", "1000001", "expected 0 to 1000000, found 1000001"),
        Broken("stragglers", "{}"),
        Broken("standstillMs", "-0.5", "expected 0 to 9000000000000 milliseconds, found -0.5"),
        Broken("suspendedMs", "{}"),
        Broken("threadsLeftBehind", "-1", "expected 0 to 1000000, found -1"),
        Broken("otherProcessorMs", "[]"),
        Broken("processors", "1.5", "expected a whole number, found 1.5"),
        Broken("operations.0.processorMs", "-1", "expected 0 to 9000000000000 milliseconds, found -1.0"),
        Broken("operations.0.runnableMs", "\"1 ms\""),
        Broken("anomalies", "[{}]"),
        Broken("anomalyDetails", "{}"),
        Broken("anomalyDetails.1", "\"late\"", key: "anomalyDetails"),
        Broken("anomalyDetails.0.kind", "7"),
        Broken("anomalyDetails.0.operation", "7"),
        Broken("anomalyDetails.0.durationMs", "1e14", "expected 0 to 9000000000000 milliseconds, found 100000000000000.0"),
        Broken("scopes", "{}"),
        Broken("scopes.0.name", nil),
        Broken("scopes.0.startMs", "-1", "expected 0 to 9000000000000 milliseconds, found -1.0"),
        Broken("scopes.0.report", "[]"),
        Broken("scopes.0.report.schema", nil),
        Broken("scopes.0.report.lanes", "1.5", "expected a whole number, found 1.5"),
        Broken("scopes.0.name", "\"account \\\"3\\\"\"", "the scope \"account \\\"3\\\"\" is there twice", key: "scopes"),
        Broken("operations", "{}"),
        Broken("operations.1", "\"login\"", key: "operations"),
        Broken("operations.0.id", nil),
        Broken("operations.0.id", "7"),
        Broken("operations.0.title", "7"),
        Broken("operations.0.outcome", "\"well\"", "expected succeeded, fellBack, failed, timedOut, cancelled, skipped, found \"well\""),
        Broken("operations.0.outcome", nil),
        Broken("operations.0.failure", "\"badly\"", "expected succeeded, fellBack, failed, timedOut, cancelled, skipped, found \"badly\""),
        Broken("operations.0.readyMs", "\"0\""),
        Broken("operations.0.startMs", "-1", "expected 0 to 9000000000000 milliseconds, found -1.0"),
        Broken("operations.0.endMs", nil),
        Broken("operations.0.endMs", "1e300", "expected 0 to 9000000000000 milliseconds, found 1e+300"),
        Broken("operations.0.slackMs", "null"),
        Broken("operations.0.expectedMs", "true"),
        Broken("operations.0.interactiveMs", "-1", "expected 0 to 9000000000000 milliseconds, found -1.0"),
        Broken("operations.0.attempts", nil),
        Broken("operations.0.attempts", "0.5", "expected a whole number, found 0.5"),
        Broken("operations.0.attempts", "-1", "expected 0 to 1000000, found -1"),
        Broken("operations.0.lane", "1"),
        Broken("operations.0.critical", nil),
        Broken("operations.0.critical", "\"yes\""),
        Broken("operations.0.interactive", "\"yes\""),
        Broken("operations.0.cut", "\"yes\""),
        Broken("operations.0.deferred", "\"yes\""),
        Broken("operations.0.main", "\"yes\""),
        Broken("operations.0.message", "7"),
        Broken("operations.0.notes", "\"a note\""),
        Broken("operations.0.after", "\"login\""),
        Broken("operations.0.after", "[\"nobody\"]", "\"config\" comes after \"nobody\", which is not in the report", key: "operations"),
        Broken("operations.0.id", "\"login\"", "the operation \"login\" is there twice", key: "operations"),
    ]

    static let broken: [Broken] =
        required.map { Broken($0, nil) }
        + numbers.flatMap { path in
            [
                Broken(path, nil), Broken(path, "\"1 s\""),
                Broken(path, "-1", "expected 0 to 9000000000000 milliseconds, found -1.0"),
                Broken(path, "1e14", "expected 0 to 9000000000000 milliseconds, found 100000000000000.0"),
            ]
        } + brokenValues

    @Test("a broken report is refused with a sentence, and the error names the key", arguments: broken)
    func refused(_ broken: Broken) throws {
        let whole = try JSONSerialization.jsonObject(with: Data(LaunchReportCodingTests.everything.json().utf8))
        let value = try broken.value.map { try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed) }
        let path = broken.path.split(separator: ".").map(String.init)
        let data = try JSONSerialization.data(withJSONObject: Self.replacing(path[...], in: whole, by: value) as Any)
        let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(LaunchReport.self, from: data) }
        let (key, sentence) = Self.told(by: try #require(error))
        #expect(key.contains(broken.key ?? path.last ?? ""))
        #expect(broken.sentence == nil ? !sentence.isEmpty : sentence == broken.sentence)
    }

    /// The path that an error names, with the key that is missing, and what it says.
    private static func told(by error: DecodingError) -> (path: [String], sentence: String) {
        switch error {
        case .keyNotFound(let key, let context): (context.codingPath.map(\.stringValue) + [key.stringValue], context.debugDescription)
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            (context.codingPath.map(\.stringValue), context.debugDescription)
        @unknown default: ([], "")
        }
    }

    @Test("an aborted launch says by whom and why")
    func brokenAbort() throws {
        var report = LaunchReportCodingTests.nothing
        report.outcome = .aborted(by: "update", reason: .forceUpdate)
        let whole = try JSONSerialization.jsonObject(with: Data(report.json().utf8))
        for path in [["abort"], ["abort", "by"], ["abort", "reason"]] {
            let data = try JSONSerialization.data(withJSONObject: Self.replacing(path[...], in: whole, by: nil) as Any)
            let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(LaunchReport.self, from: data) }
            #expect(Self.told(by: try #require(error)).path.last == path.last)
        }
    }

    @Test("what is no object, or no JSON, is refused", arguments: ["[]", "3", "null", "\"report\"", "{", ""])
    func noObject(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LaunchReport.self, from: Data(text.utf8)) }
    }

    /// The JSON value with another one, or none, at `path`.
    private static func replacing(_ path: ArraySlice<String>, in json: Any, by value: Any?) -> Any? {
        guard let key = path.first else { return value }
        if var array = json as? [Any], let index = Int(key) {
            array[index] = replacing(path.dropFirst(), in: array[index], by: value) ?? NSNull()
            return array
        }
        var object = json as? [String: Any] ?? [:]
        object[key] = path.count == 1 ? value : replacing(path.dropFirst(), in: object[key] ?? NSNull(), by: value)
        return object
    }
}
