import Foundation
import Sequencer

/// Reads a saved report, in the format `sequencer.report/1`.
///
/// Unknown keys are left alone, because a later version may have more of them; what can be computed is not read.
func parseReport(_ root: ScenarioField) throws(ScenarioFault) -> ReportDocument {
    try ReportParser().parse(root)
}

private struct ReportParser {
    private enum OutcomeWord: String, CaseIterable {
        case completed, aborted, failed, cancelled
    }

    private enum VerdictWord: String, CaseIterable {
        case pass, fail
    }

    /// More than any launch takes: what is measured is cut off there.
    private static let milliseconds = 0.0...1e10
    private static let most = 1_000_000

    func parse(_ root: ScenarioField) throws(ScenarioFault) -> ReportDocument {
        let operations = try root.required("operations")
        var parsed: [OperationReport] = []
        var seen: Set<String> = []
        for field in try operations.elements() {
            let operation = try parseOperation(field)
            if !seen.insert(operation.id).inserted { throw field.fault("the operation \(quoted(operation.id)) is there twice") }
            parsed.append(operation)
        }
        for (operation, field) in zip(parsed, try operations.elements()) {
            if let unknown = operation.dependencies.first(where: { !seen.contains($0) }) {
                throw field.fault("it comes after \(quoted(unknown)), which is not in the report")
            }
        }
        return ReportDocument(
            scenario: try root.required("scenario").string(),
            version: try optional("version", of: root) { field throws(ScenarioFault) in try field.string() },
            startedAt: try optional("startedAt", of: root) { field throws(ScenarioFault) in try date(field) },
            outcome: try outcome(root),
            budget: try budget(try root.required("budget")),
            makespan: try milliseconds("makespanMs", of: root),
            work: try milliseconds("workMs", of: root),
            criticalPathDuration: try milliseconds("criticalPathMs", of: root),
            criticalPath: try strings(try root.required("criticalPath")),
            lanes: try root.required("lanes").integer(in: 0...Self.most),
            operations: parsed,
            stragglers: try optional("stragglers", of: root, strings) ?? [],
            anomalies: try optional("anomalies", of: root, strings) ?? []
        )
    }

    private func outcome(_ root: ScenarioField) throws(ScenarioFault) -> LaunchReport.Outcome {
        switch try root.required("outcome").word(OutcomeWord.self, called: "outcome") {
        case .completed: return .completed
        case .cancelled: return .cancelled
        case .aborted:
            let abort = try root.required("abort")
            return .aborted(
                by: try abort.required("by").string(),
                reason: AbortReason(rawValue: try abort.required("reason").string())
            )
        case .failed:
            let failure = try root.required("failure")
            return .failed(operation: try failure.required("operation").string(), message: try failure.required("message").string())
        }
    }

    private func budget(_ field: ScenarioField) throws(ScenarioFault) -> BudgetResult {
        let isFromProcessStart = try optional("from", of: field) { from throws(ScenarioFault) in try from.string() } == "processStart"
        return BudgetResult(
            budget: Budget(try milliseconds("limitMs", of: field), from: isFromProcessStart ? .processStart : .run),
            measured: try milliseconds("measuredMs", of: field),
            interactive: try milliseconds("interactiveMs", of: field),
            isMet: try field.required("verdict").word(VerdictWord.self, called: "verdict") == .pass,
            causes: try optional("causes", of: field, strings) ?? []
        )
    }

    private func parseOperation(_ field: ScenarioField) throws(ScenarioFault) -> OperationReport {
        let lane = try optional("lane", of: field) { lane throws(ScenarioFault) in try lane.string() }
        return OperationReport(
            id: try field.required("id").label("the id"),
            title: try optional("title", of: field) { title throws(ScenarioFault) in try title.string() },
            dependencies: try optional("after", of: field, strings) ?? [],
            outcome: try field.required("outcome").word(Outcome.self, called: "outcome"),
            failure: try optional("failure", of: field) { failure throws(ScenarioFault) in
                try failure.word(Outcome.self, called: "outcome")
            },
            ready: try optionalMilliseconds("readyMs", of: field),
            start: try optionalMilliseconds("startMs", of: field),
            end: try milliseconds("endMs", of: field),
            expected: try optionalMilliseconds("expectedMs", of: field),
            attempts: try field.required("attempts").integer(in: 0...Self.most),
            lane: lane.flatMap { $0.hasPrefix("lane ") ? Int($0.dropFirst(5)) : nil },
            isMain: lane == "main",
            isInteractive: try flag("interactive", of: field),
            slack: try milliseconds("slackMs", of: field),
            isCritical: try field.required("critical").bool(),
            isCut: try flag("cut", of: field),
            isDeferred: try flag("deferred", of: field),
            message: try optional("message", of: field) { message throws(ScenarioFault) in try message.string() },
            notes: try optional("notes", of: field, strings) ?? []
        )
    }

    // MARK: Values

    /// The value of a key; nil where it is absent or null.
    private func optional<Value>(
        _ key: String,
        of field: ScenarioField,
        _ read: (ScenarioField) throws(ScenarioFault) -> Value
    ) throws(ScenarioFault) -> Value? {
        guard let child = field.child(key), child.value.content != .null else { return nil }
        return try read(child)
    }

    private func strings(_ field: ScenarioField) throws(ScenarioFault) -> [String] {
        var strings: [String] = []
        for element in try field.elements() { strings.append(try element.string()) }
        return strings
    }

    private func flag(_ key: String, of field: ScenarioField) throws(ScenarioFault) -> Bool {
        try optional(key, of: field) { flag throws(ScenarioFault) in try flag.bool() } ?? false
    }

    private func milliseconds(_ key: String, of field: ScenarioField) throws(ScenarioFault) -> Duration {
        try duration(try field.required(key))
    }

    private func optionalMilliseconds(_ key: String, of field: ScenarioField) throws(ScenarioFault) -> Duration? {
        try optional(key, of: field, duration)
    }

    private func duration(_ field: ScenarioField) throws(ScenarioFault) -> Duration {
        .nearest(nanoseconds: try field.number(in: Self.milliseconds) * 1e6)
    }

    private func date(_ field: ScenarioField) throws(ScenarioFault) -> Date {
        guard let date = try? Date(try field.string(), strategy: ReportDocument.timestamp) else {
            throw field.expected("a date such as \"2026-01-31T09:30:00.000Z\"")
        }
        return date
    }
}
