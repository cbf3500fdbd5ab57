import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// What holds for any input: valid files are read as they were meant, broken ones are refused, and nothing ever traps.
@Suite("Random scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ParsingPropertyTests {
    @Test("A random document is read back as it was written", arguments: Nightly.cases(0..<200, each: 5))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let document = randomDocument(&random)
        var read = try parseScenario(Array(json(document).utf8), file: "f")
        for index in read.operations.indices { read.operations[index].position = SourcePosition(line: 1, column: 1) }
        #expect(read == document)
    }

    @Test("Damaged bytes are read or refused, with a place inside the file", arguments: 0..<20)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = Array(json(randomDocument(&random)).utf8)
        let lineCount = original.count { $0 == 0x0A } + 1
        for _ in 0..<100 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.remove(at: index)
                default: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
                }
                if bytes.isEmpty { break }
            }
            do throws(ScenarioError) {
                _ = try parseScenario(bytes, file: "f")
            } catch {
                #expect(1...lineCount + 4 ~= error.position.line)
                #expect(!error.message.isEmpty && !error.description.contains("\n"))
            }
        }
    }

    @Test("Random bytes and random JSON tokens never trap", arguments: 0..<20)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"a\"", "\"", "\\", "\\u", "D800", "1", "-", ".", "e", "null", "tru", " ", "\n", "é", "//",
        ]
        for _ in 0..<Nightly.times(day: 100, night: 500) {
            let length = Int.random(in: 0...40, using: &random)
            _ = try? parseJSON((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            let text = (0..<length).map { _ in tokens.randomElement(using: &random) ?? "" }.joined()
            _ = try? parseJSON(Array(text.utf8))
            _ = try? DurationText.parse(String(text.prefix(8)))
            _ = try? URLText.parse("https://" + text)
            _ = try? parseArguments(["run", text, "--inject", text])
        }
    }

    private func randomDocument(_ random: inout SeededGenerator) -> ScenarioDocument {
        var document = ScenarioDocument(name: "random \"é\" \\ 🚀")
        let count = Int.random(in: 0...30, using: &random)
        for index in 0..<count {
            var operation = OperationDocument(id: "operation \"\(index)\" /")
            let earlier = document.operations.shuffled(using: &random)
            operation.after = earlier.prefix(Int.random(in: 0...4, using: &random)).map { randomDependency(on: $0, &random) }
            if Bool.random(using: &random) { operation.after.append(DependencyDocument("absent", isOptional: true)) }
            operation.onMain = Bool.random(using: &random)
            operation.interactive = Bool.random(using: &random)
            operation.when = [nil, true, false].randomElement(using: &random) ?? nil
            if operation.when == nil, Bool.random(using: &random) {
                operation.conditions = [
                    FactCondition(fact: "account \"é\"", values: ["known"]), FactCondition(fact: "b", values: ["x", "y"]),
                ]
            }
            operation.timeout = Bool.random(using: &random) ? randomDuration(&random) : nil
            operation.expected = Bool.random(using: &random) ? randomDuration(&random) : nil
            operation.exclusive = Bool.random(using: &random) ? ["ui", "disk"] : []
            operation.qos = QualityDocument.allCases.randomElement(using: &random)
            if Bool.random(using: &random) {
                operation.fallback = "fallback\nof \(index)"
            } else {
                operation.onFailure = FailurePolicy.allCases.randomElement(using: &random) ?? .required
            }
            if Bool.random(using: &random) {
                operation.retry = RetryPolicy(attempts: Int.random(in: 1...100, using: &random), backoff: randomDuration(&random))
                operation.retry?.jitter = 0.25
            }
            let works: [WorkDocument] = [.none, .simulate(randomDuration(&random)), .compute(.zero), .command(["true", "", "a\tb"])]
            operation.work = works.randomElement(using: &random) ?? .none
            document.operations.append(operation)
        }
        document.milestone = document.operations.randomElement(using: &random)?.id
        document.initialDisplay = document.operations.randomElement(using: &random)?.id
        document.initialDisplayBudget = document.initialDisplay == nil ? nil : randomDuration(&random)
        document.facts = ["account \"é\"": ["known", "unknown"], "b": ["y", "x"]]
        document.budget = Bool.random(using: &random) ? randomDuration(&random) : nil
        document.lanes = Bool.random(using: &random) ? Int.random(in: 1...1024, using: &random) : nil
        document.operations.shuffle(using: &random)
        return document
    }

    private func randomDependency(on operation: OperationDocument, _ random: inout SeededGenerator) -> DependencyDocument {
        var dependency = DependencyDocument(operation.id, isOptional: Bool.random(using: &random))
        let policies: [DependencyDocument.Effect?] = [nil, .skip, .continue]
        let mayFail = operation.fallback == nil && operation.onFailure != .required
        if mayFail { dependency.onFailure = policies.randomElement(using: &random) ?? nil }
        return dependency
    }

    private func randomDuration(_ random: inout SeededGenerator) -> Duration {
        .microseconds(Int64.random(in: 1...10_000_000, using: &random))
    }

    // MARK: - Writing

    private func json(_ document: ScenarioDocument) -> String {
        var members = ["\"schema\": \"sequencer.scenario/1\"", "\"name\": \(literal(document.name))"]
        if let budget = document.budget { members.append("\"budget\": \(literal(budget))") }
        if let milestone = document.milestone { members.append("\"milestone\": \(literal(milestone))") }
        if let initialDisplay = document.initialDisplay { members.append("\"initialDisplay\": \(literal(initialDisplay))") }
        if let budget = document.initialDisplayBudget { members.append("\"initialDisplayBudget\": \(literal(budget))") }
        if let lanes = document.lanes { members.append("\"lanes\": \(lanes)") }
        let facts = document.facts.map { "\(literal($0.key)): [\($0.value.map(literal).joined(separator: ", "))]" }
        members.append("\"facts\": {\(facts.joined(separator: ", "))}")
        members.append("\"operations\": [\n\(document.operations.map(json).joined(separator: ",\n"))\n]")
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    private func json(_ operation: OperationDocument) -> String {
        var members = ["\"id\": \(literal(operation.id))", "\"after\": [\(operation.after.map(json).joined(separator: ", "))]"]
        members.append("\"on\": \(operation.onMain ? "\"main\"" : "\"background\"")")
        members.append("\"interactive\": \(operation.interactive)")
        members.append("\"exclusive\": [\(operation.exclusive.map(literal).joined(separator: ", "))]")
        if !operation.conditions.isEmpty {
            let conditions = operation.conditions.map { condition in
                let values = condition.values.map(literal).joined(separator: ", ")
                return "\(literal(condition.fact)): " + (condition.values.count == 1 ? values : "[\(values)]")
            }
            members.append("\"when\": {\(conditions.joined(separator: ", "))}")
        }
        if let when = operation.when { members.append("\"when\": \(when)") }
        if let timeout = operation.timeout { members.append("\"timeout\": \(literal(timeout))") }
        if let expected = operation.expected { members.append("\"expected\": \(literal(expected))") }
        if let qos = operation.qos { members.append("\"qos\": \"\(qos.rawValue)\"") }
        if let fallback = operation.fallback {
            members.append("\"fallback\": \(literal(fallback))")
        } else {
            members.append("\"onFailure\": \"\(operation.onFailure.rawValue)\"")
        }
        if let retry = operation.retry {
            members.append("\"retry\": {\"attempts\": \(retry.attempts), \"backoff\": \(literal(retry.backoff)), \"jitter\": 2.5e-1}")
        }
        switch operation.work {
        case .simulate(let duration): members.append("\"work\": {\"simulate\": \(literal(duration))}")
        case .compute(let duration): members.append("\"work\": {\"compute\": \(literal(duration))}")
        case .command(let words): members.append("\"work\": {\"command\": [\(words.map(literal).joined(separator: ", "))]}")
        // No scenario has the second.
        case .http, .expected, .none: break
        }
        return "  { " + members.joined(separator: ", ") + " }"
    }

    private func json(_ dependency: DependencyDocument) -> String {
        if dependency.onFailure == nil, !dependency.isOptional { return literal(dependency.id) }
        let policy = dependency.onFailure.map { ", \"onFailure\": \"\($0.rawValue)\"" } ?? ""
        return "{\"id\": \(literal(dependency.id)), \"optional\": \(dependency.isOptional)\(policy)}"
    }

    private func literal(_ duration: Duration) -> String {
        literal(DurationText.format(duration))
    }

    private func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n").replacing(
            "\t",
            with: "\\u0009"
        )
        return "\"" + escaped + "\""
    }
}
