import Foundation

extension LaunchReport {
    /// The report as JSON: how the launch ended, what its budget says, and what became of each operation.
    ///
    /// The format is `sequencer.report/1`, described by `Schemas/report.schema.json`. All times are in milliseconds, exact to the
    /// nanosecond: points in time count from the begin of the launch. What never happened is `null`: `readyMs` of an operation whose
    /// dependencies did not all end, `startMs`, `waitMs`, `durationMs` and `lane` of one that never started. Operations come in the order
    /// they were added. The same report always gives the same text; nothing can fail.
    ///
    /// ```swift
    /// let report = try await Sequencer(graph).run()
    /// try report.json().write(toFile: "launch.json", atomically: true, encoding: .utf8)
    /// print(report.json(pretty: false))   // one launch a line
    /// ```
    ///
    /// - Parameter pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Complexity: O(operations + dependencies), when the report's messages are.
    public func json(pretty: Bool = true) -> String { ReportDocument(self).json(pretty: pretty) }
}

extension ReportDocument {
    /// The document as JSON, in the format `sequencer.report/1`; see ``LaunchReport/json(pretty:)``.
    public func json(pretty: Bool = true) -> String {
        JSONWriter.object(pretty: pretty) { json in
            json.write("sequencer.report/1", for: "schema")
            json.write(scenario, for: "scenario")
            if let version { json.write(version, for: "version") }
            if let startedAt { json.write(startedAt.formatted(Self.timestamp), for: "startedAt") }
            writeOutcome(to: &json)
            writeBudget(to: &json)
            json.write(milliseconds: makespan, for: "makespanMs")
            json.write(milliseconds: work, for: "workMs")
            json.write(milliseconds: criticalPathDuration, for: "criticalPathMs")
            json.write(criticalPath, for: "criticalPath")
            json.write(lanes, for: "lanes")
            json.writeArray(for: "operations") { json in
                for operation in operations { operation.write(to: &json) }
            }
            if !stragglers.isEmpty { json.write(stragglers, for: "stragglers") }
            if !anomalies.isEmpty { json.write(anomalies, for: "anomalies") }
        }
    }

    /// RFC 3339, in UTC, to the millisecond.
    package static let timestamp = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private func writeOutcome(to json: inout JSONWriter) {
        json.write(outcome.name, for: "outcome")
        switch outcome {
        case .aborted(let operation, let reason):
            json.writeObject(for: "abort") { json in
                json.write(operation, for: "by")
                json.write(reason.rawValue, for: "reason")
            }
        case .failed(let operation, let message):
            json.writeObject(for: "failure") { json in
                json.write(operation, for: "operation")
                json.write(message, for: "message")
            }
        case .completed, .cancelled:
            break
        }
    }

    private func writeBudget(to json: inout JSONWriter) {
        let result = budget
        json.writeObject(for: "budget") { json in
            json.write(milliseconds: result.budget.limit, for: "limitMs")
            json.write(milliseconds: result.measured, for: "measuredMs")
            json.write(milliseconds: result.interactive, for: "interactiveMs")
            json.write(result.isMet ? "pass" : "fail", for: "verdict")
            if !result.isMet { json.write(result.causes, for: "causes") }
            if result.budget.origin == .processStart { json.write("processStart", for: "from") }
        }
    }
}

extension OperationReport {
    fileprivate func write(to json: inout JSONWriter) {
        json.writeObject { json in
            json.write(id, for: "id")
            json.write(outcome.rawValue, for: "outcome")
            if let failure { json.write(failure.rawValue, for: "failure") }
            json.write(milliseconds: ready, for: "readyMs")
            json.write(milliseconds: start, for: "startMs")
            json.write(milliseconds: end, for: "endMs")
            json.write(milliseconds: start == nil ? nil : wait, for: "waitMs")
            json.write(milliseconds: start == nil ? nil : duration, for: "durationMs")
            json.write(milliseconds: slack, for: "slackMs")
            json.write(isCritical, for: "critical")
            if let laneName { json.write(laneName, for: "lane") } else { json.writeNull(for: "lane") }
            json.write(attempts, for: "attempts")
            if !dependencies.isEmpty { json.write(dependencies, for: "after") }
            if let expected { json.write(milliseconds: expected, for: "expectedMs") }
            if let title { json.write(title, for: "title") }
            if isInteractive { json.write(true, for: "interactive") }
            if isCut { json.write(true, for: "cut") }
            if isDeferred { json.write(true, for: "deferred") }
            if let message { json.write(message, for: "message") }
            if !notes.isEmpty { json.write(notes, for: "notes") }
        }
    }

    /// Where the operation ran; nil when it never did.
    private var laneName: String? {
        guard start != nil else { return nil }
        return isMain ? "main" : lane.map { "lane \($0)" }
    }
}
