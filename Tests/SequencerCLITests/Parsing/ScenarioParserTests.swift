import Foundation
import Sequencer
import StartupNetworking
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioParserTests {
    @Test("Every key of an operation")
    func readsEveryKey() throws {
        let operation = try parseOne(
            """
            {"id": "a", "title": "Ä b", "after": [], "on": "background", "timeout": "1s", "fallback": "cached", "cuttable": true, "interactive": false,
             "retry": {"attempts": 100, "timeout": "2s", "backoff": "0s", "multiplier": 2, "jitter": 0.5, "maxBackoff": "1s", "unless": [401, 3]},
             "exclusive": ["ui", "disk"],
             "qos": "userInitiated", "expected": "0s", "when": false,
             "work": {"http": {"url": "http://127.0.0.1:8080/a?b=c", "method": "POST", "headers": {"Accept": "*/*", "X-Empty": ""}}}}
            """
        )
        let url = try #require(URL(string: "http://127.0.0.1:8080/a?b=c"))
        var retry = RetryPolicy(attempts: 100, timeout: .seconds(2), backoff: .zero)
        (retry.maximumBackoff, retry.jitter) = (.seconds(1), 0.5)
        let expected = OperationDocument(
            id: "a",
            title: "Ä b",
            timeout: .seconds(1),
            fallback: "cached",
            retry: retry,
            finalStatuses: [401, 3],
            cuttable: true,
            exclusive: ["ui", "disk"],
            qos: .userInitiated,
            expected: .zero,
            when: false,
            work: .http(HTTPRequest(.post, url, headers: ["Accept": "*/*", "X-Empty": ""])),
            position: operation.position
        )
        #expect(operation == expected)
    }

    @Test("What is left out has a default")
    func defaults() throws {
        let operation = try parseOne(#"{"id": "a"}"#)
        #expect(operation == OperationDocument(id: "a", position: operation.position))
        #expect(operation.work == .none)
        #expect(operation.onFailure == .required)
        #expect(try parseOne(#"{"id": "a", "retry": {"attempts": 2}}"#).retry == RetryPolicy(attempts: 2, backoff: .zero))
    }

    @Test("A whole number may be written as JSON writes any number", arguments: ["4", "4.0", "4e0", "0.4e1", "40E-1"])
    func wholeNumbers(_ text: String) throws {
        let file = #"{"schema": "sequencer.scenario/1", "name": "n", "lanes": \#(text), "operations": []}"#
        #expect(try parseScenario(Array(file.utf8), file: "f").lanes == 4)
    }

    @Test("fault G8: No operation at all is a launch that ends at once")
    func empty() throws {
        let text = #"{"schema": "sequencer.scenario/1", "name": "n", "deadline": "5s", "operations": []}"#
        let document = try parseScenario(Array(text.utf8), file: "f")
        #expect(document == ScenarioDocument(name: "n", deadline: .seconds(5)))
    }

    @Test("Identifiers may hold any printable text", arguments: ["a b", "\"quoted\"", "<b>", "ログイン", "a=b", "🚀", "-"])
    func identifiers(_ id: String) throws {
        let literal = "\"" + id.replacing("\"", with: "\\\"") + "\""
        #expect(try parseOne("{\"id\": \(literal)}").id == id)
    }

    @Test("More than a million operations are too many", .timeLimit(.minutes(30)), .nightly)
    func tooManyOperations() {
        let text = wrap(String(repeating: "0,", count: 1_000_000) + "0")
        let error = #expect(throws: ScenarioError.self) { try parseScenario(text, file: "f") }
        #expect(error?.description == "f:1:63: operations: 1000001 operations; at most 1000000 are allowed")
    }

    @Test("More than 64 MB are too much", .timeLimit(.minutes(30)))
    func tooLarge() {
        let bytes = [UInt8](repeating: 0x20, count: ScenarioDocument.sizeLimit + 1)
        let error = #expect(throws: ScenarioError.self) { try parseScenario(bytes, file: "f") }
        #expect(error?.description == "f:1:1: the scenario has 67108865 bytes; at most 67108864 are read")
    }

    private func parseOne(_ operation: String) throws -> OperationDocument {
        let document = try parseScenario(wrap(operation), file: "f")
        return try #require(document.operations.first)
    }

    private func wrap(_ operations: String) -> [UInt8] {
        Array("{\"schema\": \"sequencer.scenario/1\", \"name\": \"n\", \"operations\": [\n\(operations)]}".utf8)
    }
}
