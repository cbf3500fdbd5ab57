import Foundation

// The format `sequencer.report/1`. Milliseconds are exact to the nanosecond. A value that does not exist is `null`
// where the format has always had a key for it (`readyMs`, `startMs`, `waitMs`, `durationMs`, `lane`); every other key
// is left out when there is nothing to say.

extension LaunchReport {
    /// The report as JSON text, in the format `sequencer.report/1`.
    ///
    /// Unlike `JSONEncoder`, it keeps the order of keys, so the same report always gives the same bytes. Nothing can
    /// fail.
    ///
    /// ```swift
    /// try report.json().write(toFile: "launch.json", atomically: true, encoding: .utf8)
    /// print(report.json(pretty: false))   // one launch a line
    /// ```
    ///
    /// - Parameter pretty: two spaces a level, or everything in one line. Neither ends with a newline.
    /// - Complexity: O(operations + dependencies).
    public func json(pretty: Bool = true) -> String { tree.document(pretty: pretty) }

    var tree: JSONTree {
        let display = budget.budget?.initialDisplay
        let launch: JSONTree = [
            "schema": .text(Self.format), "scenario": .text(scenario), "version": .text(version),
            // A dictionary has no order, and the same report gives the same bytes.
            "attributes": .objects(attributes.inOrder { $0.key < $1.key }) { ["name": .text($0.key), "value": .text($0.value)] },
            "startedAt": .text(startedAt?.timestamp), "clock": isVirtual ? "virtual" : nil,
        ]
        let times: JSONTree = [
            // This verdict alone would suggest that the launch kept its budgets.
            "budget": budget.tree + ["initialDisplayVerdict": budget.isMet && isInitialDisplayMet == false ? "fail" : nil]
                + (outcome == .completed ? unknownTimes.json : [:]),
            // Likewise: a fallback that took its place is within the budget.
            "milestone": .text(milestone), "milestoneOutcome": .text(unusualMilestone?.outcome.rawValue),
            "initialDisplay": .text(initialDisplay),
            // It follows from the operations, and is there for those who read no more than a few keys.
            "initialDisplayMs": .milliseconds(timeToInitialDisplay),
            "initialDisplayBudget": display.map { ["limitMs": .milliseconds($0), "verdict": isInitialDisplayMet.map(verdict)] },
            "makespanMs": .milliseconds(makespan), "workMs": .milliseconds(work), "criticalPathMs": .milliseconds(criticalPathDuration),
            "criticalPath": .texts(criticalPath), "lanes": .number(lanes), "lanesLimited": .mark(hasLaneLimit),
            "lanesUsed": hasLaneLimit && lanesUsed.count < lanes ? .number(lanesUsed.count) : nil,
            "resources": .objects(resourceLimits.inOrder { $0.key.name < $1.key.name }) {
                ["name": .text($0.key.name), "limit": .number($0.value)]
            },
        ]
        let rest: JSONTree = [
            "operations": .array(operations.map(\.json)), "stragglers": .list(stragglers), "beforeRunMs": .milliseconds(beforeRun),
            "processStart": .text(processStart?.name), "afterMilestone": afterMilestone?.tree(outcomes),
            "standstillMs": standstill > .zero ? .milliseconds(standstill) : nil,
            "suspendedMs": suspended > .zero ? .milliseconds(suspended) : nil, "threadsLeftBehind": .count(threadsLeftBehind),
            "otherProcessorMs": .milliseconds(otherProcessorTime), "processors": .count(processors ?? 0),
            "scopes": .objects(scopes, \.tree), "anomalies": .list(anomalies.map(\.description)),
            "anomalyDetails": .objects(anomalies) {
                ["kind": .text($0.kind.name), "operation": .text($0.operation), "durationMs": .milliseconds($0.duration)]
            },
        ]
        return launch + (grounds?.json ?? [:]) + outcome.json + times + rest
    }

    /// How each operation ended; of one that is there twice the first.
    private var outcomes: [String: Sequencer.Outcome] {
        Dictionary(operations.lazy.map { ($0.id, $0.outcome) }) { first, _ in first }
    }

    fileprivate static let format = "sequencer.report/1"

    /// RFC 3339, in UTC, to the millisecond.
    package static let timestamp = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension Date {
    /// As ``LaunchReport/timestamp``, rounded to the millisecond.
    package var timestamp: String {
        // The style cuts off fractions of a millisecond, and few milliseconds are exact in a date: half of one more
        // makes it round.
        (self + 0.0005).formatted(LaunchReport.timestamp)
    }
}

private func verdict(_ isMet: Bool) -> JSONTree { isMet ? "pass" : "fail" }

extension LaunchReport.Outcome {
    /// How the launch ended: the keys `outcome`, `abort` and `failure`.
    package var json: JSONTree {
        switch self {
        case .aborted(let operation, let reason):
            ["outcome": .text(name), "abort": ["by": .text(operation), "reason": .text(reason.description)]]
        case .failed(let operation, let message):
            ["outcome": .text(name), "failure": ["operation": .text(operation), "message": .text(message)]]
        case .completed, .cancelled: ["outcome": .text(name)]
        }
    }

    fileprivate init(_ document: DocumentReader) throws {
        switch try document.word("outcome", of: ["completed", "aborted", "failed", "cancelled"]) {
        case "aborted":
            let abort = try document.object("abort")
            self = .aborted(by: try abort.string("by"), reason: AbortReason(try abort.string("reason")))
        case "failed":
            let failure = try document.object("failure")
            self = .failed(operation: try failure.string("operation"), message: try failure.string("message"))
        case "cancelled": self = .cancelled
        // The word is one of four.
        default: self = .completed
        }
    }
}

extension LaunchReport.AfterMilestone {
    /// - Parameter outcomes: those of the report's operations.
    fileprivate func tree(_ outcomes: [String: Sequencer.Outcome]) -> JSONTree {
        let rest: JSONTree = [
            "startMs": .milliseconds(start),
            "operations": .array(operations.map { ["id": .text($0), "outcome": .text(outcomes[$0]?.rawValue)] }),
            "failures": .list(failures), "stragglers": .list(stragglers),
        ]
        return (outcome?.json ?? [:]) + rest
    }

    fileprivate init(_ document: DocumentReader) throws {
        // A launch in which nothing ran on writes no such section: an empty one was not written by a launch.
        if try document.objects("operations").isEmpty { throw document.error("operations", "expected at least one operation") }
        self.init(
            outcome: try document.optionalString("outcome") == nil ? nil : LaunchReport.Outcome(document),
            start: try document.duration("startMs"),
            operations: try document.objects("operations").map { try $0.string("id") },
            failures: try document.strings("failures"),
            stragglers: try document.strings("stragglers")
        )
    }
}

extension BudgetResult {
    fileprivate var tree: JSONTree {
        [
            "limitMs": .milliseconds(budget?.limit), "measuredMs": .milliseconds(measured), "interactiveMs": .milliseconds(interactive),
            "questions": .objects(questions) {
                ["startMs": .milliseconds($0.lowerBound), "endMs": .milliseconds($0.upperBound)]
            },
            "verdict": verdict(isMet), "causes": isMet ? nil : .texts(causes),
            "from": budget?.isFromProcessStart == true ? "processStart" : nil, "enforced": budget?.isEnforced == false ? false : nil,
        ]
    }

    fileprivate init(_ document: DocumentReader, initialDisplay: Duration?) throws {
        let isFromStart = try document.optionalString("from") == "processStart"
        let isEnforced = try document.optionalFlag("enforced") ?? true
        self.init(
            budget: try document.optionalDuration("limitMs").map {
                Budget($0, initialDisplay: initialDisplay, fromProcessStart: isFromStart, isEnforced: isEnforced)
            },
            measured: try document.duration("measuredMs"),
            interactive: try document.duration("interactiveMs"),
            questions: try document.optionalObjects("questions").map { interval in
                let (start, end) = (try interval.duration("startMs"), try interval.duration("endMs"))
                if end < start { throw interval.error("endMs", "expected a time after startMs, found one before it") }
                return start..<end
            },
            isMet: try document.word("verdict", of: ["pass", "fail"]) == "pass",
            causes: try document.strings("causes")
        )
    }
}

extension OperationReport {
    /// An operation of the format.
    package var json: JSONTree {
        let hasRun = start != nil
        let times: JSONTree = [
            "id": .text(id), "outcome": .text(outcome.rawValue), "failure": .text(failure?.rawValue),
            "readyMs": .milliseconds(ready) ?? .null, "startMs": .milliseconds(start) ?? .null, "endMs": .milliseconds(end),
            "waitMs": hasRun ? .milliseconds(wait) : .null, "durationMs": hasRun ? .milliseconds(duration) : .null,
            "slackMs": .milliseconds(slack), "critical": .flag(isCritical), "lane": (hasRun ? .text(place) : nil) ?? .null,
            "attempts": .number(attempts),
        ]
        let rest: JSONTree = [
            "after": .list(dependencies), "expectedMs": .milliseconds(expected), "delayMs": .milliseconds(delay),
            "title": .text(title), "interactive": .mark(isInteractive),
            "interactiveMs": isInteractive || interactive > .zero ? .milliseconds(interactive) : nil,
            "cut": .mark(isCut), "deferred": .mark(isDeferred), "cuttable": .mark(isCuttable && !isCut),
            "deferrable": .mark(isDeferrable && !isDeferred),
            // An operation on the main thread that never started has no lane to tell it by.
            "main": .mark(isMain && !hasRun),
            // A reader takes an interactive step to suspend, and any other one to keep the thread: written where that
            // is wrong.
            "suspends": isMain && suspends != isInteractive ? .flag(suspends) : nil,
            "exclusive": .list(exclusive.map(\.name)), "message": .text(message), "notes": .list(notes),
            "processorMs": .milliseconds(processorTime), "runnableMs": .milliseconds(runnableTime),
        ]
        return times + rest
    }

    fileprivate init(_ document: DocumentReader) throws {
        let lane = try document.optionalString("lane")
        let number = lane.flatMap { $0.hasPrefix("lane ") ? Int($0.dropFirst(5)) : nil }
        if let lane, lane != "main", number ?? 0 < 1 {
            throw document.error("lane", "expected \"main\" or \"lane 1\", found \(lane.debugDescription)")
        }
        let isMain = try lane == "main" || document.optionalFlag("main") == true
        let isInteractive = try document.optionalFlag("interactive") ?? false
        let (start, end) = (try document.optionalDuration("startMs"), try document.duration("endMs"))
        // Reports of earlier versions do not say more: all of its time is the user's.
        let asked = isInteractive ? start.map { end - $0 } : nil
        let isCut = try document.optionalFlag("cut") ?? false
        let isDeferred = try document.optionalFlag("deferred") ?? false
        self.init(
            id: try document.string("id"),
            title: try document.optionalString("title"),
            dependencies: try document.strings("after"),
            outcome: try document.outcome("outcome"),
            failure: try document.optionalString("failure") == nil ? nil : document.outcome("failure"),
            ready: try document.optionalDuration("readyMs"),
            start: start,
            end: end,
            expected: try document.optionalDuration("expectedMs"),
            delay: try document.optionalDuration("delayMs"),
            attempts: try document.count("attempts"),
            lane: number,
            isMain: isMain,
            // As of a step that does not say.
            suspends: try isMain && document.optionalFlag("suspends") ?? isInteractive,
            exclusive: try document.strings("exclusive").map { ExclusiveResource($0) },
            isInteractive: isInteractive,
            interactive: try document.optionalDuration("interactiveMs") ?? asked ?? .zero,
            slack: try document.duration("slackMs"),
            isCritical: try document.flag("critical"),
            isCut: isCut,
            isDeferred: isDeferred,
            isCuttable: try isCut || document.optionalFlag("cuttable") ?? false,
            isDeferrable: try isDeferred || document.optionalFlag("deferrable") ?? false,
            message: try document.optionalString("message"),
            processorTime: try document.optionalDuration("processorMs"),
            runnableTime: try document.optionalDuration("runnableMs"),
            notes: try document.strings("notes")
        )
    }
}

extension LaunchReport: Codable {
    /// Encodes the report in the format `sequencer.report/1`.
    public func encode(to encoder: any Encoder) throws { try tree.encode(to: encoder) }

    /// Reads a report in the format `sequencer.report/1`. Unknown keys are ignored: a later version may write more of
    /// them. The budget counts as met only if the time, the outcome and the milestone say so, too.
    ///
    /// - Throws: `DecodingError`, for another kind of document: values out of range, an attribute, an operation or a
    ///   scope that is there twice, an operation that comes after one that is not there, a launch that completed
    ///   without the operation that is its milestone, or scopes within one another more than 16 deep.
    public init(from decoder: any Decoder) throws { try self.init(DocumentReader(decoder)) }

    /// - Parameter depth: the number of scopes that it is in.
    init(_ document: DocumentReader, depth: Int = 0) throws {
        let format = try document.string("schema")
        if format != Self.format { throw document.error("schema", "expected \"\(Self.format)\", found \(format.debugDescription)") }
        let operations = try document.objects("operations").map(OperationReport.init)
        let sentences = try document.strings("anomalies")
        let details = try document.optionalObjects("anomalyDetails")
        self.init(
            scenario: try document.string("scenario"),
            version: try document.optionalString("version"),
            attributes: try Self.attributes(in: document),
            startedAt: try document.optionalString("startedAt") == nil ? nil : document.date("startedAt", Self.timestamp),
            isVirtual: try document.optionalString("clock") == "virtual",
            outcome: try Outcome(document),
            budget: try BudgetResult(
                document.object("budget"),
                initialDisplay: document.optionalObject("initialDisplayBudget")?.duration("limitMs")
            ),
            milestone: try document.optionalString("milestone"),
            initialDisplay: try document.optionalString("initialDisplay"),
            // Of a budget that counts from elsewhere it would say nothing.
            beforeRun: try document.object("budget").optionalString("from") == "processStart"
                ? document.optionalDuration("beforeRunMs") : nil,
            processStart: try document.optionalString("processStart").map(ProcessStart.init),
            makespan: try document.duration("makespanMs"),
            work: try document.duration("workMs"),
            criticalPathDuration: try document.duration("criticalPathMs"),
            criticalPath: try document.texts("criticalPath"),
            lanes: try document.count("lanes"),
            hasLaneLimit: try document.optionalFlag("lanesLimited") ?? false,
            resourceLimits: try document.optionalObjects("resources").reduce(into: [:]) { limits, resource in
                limits[ExclusiveResource(try resource.string("name"))] = try resource.count("limit")
            },
            operations: operations,
            stragglers: try document.strings("stragglers"),
            afterMilestone: try document.optionalObject("afterMilestone").map(AfterMilestone.init),
            standstill: try document.optionalDuration("standstillMs") ?? .zero,
            suspended: try document.optionalDuration("suspendedMs") ?? .zero,
            threadsLeftBehind: try document.optionalCount("threadsLeftBehind") ?? 0,
            otherProcessorTime: try document.optionalDuration("otherProcessorMs"),
            processors: try document.optionalCount("processors"),
            anomalies: try sentences.enumerated().map { index, sentence in
                try Anomaly(sentence, index < details.count ? details[index] : nil)
            },
            scopes: try Scope.all(in: document, depth: depth)
        )
        let identifiers = Set(operations.lazy.map(\.id))
        // Of a launch that was stopped, its milestone may never have ended.
        if outcome == .completed, let milestone, !identifiers.contains(milestone) {
            throw document.error("milestone", "there is no operation \(milestone.debugDescription) in the report")
        }
        // Earlier versions had other rules, and a file can be edited.
        budget.isMet =
            budget.isMet && budget.isInTime && Self.canMeetBudget(outcome.name, milestone: milestone.flatMap { self[$0]?.outcome })
        try document.checkNames(operations.map(\.id), of: "the operation", in: "operations")
        for operation in operations {
            guard let unknown = operation.dependencies.first(where: { !identifiers.contains($0) }) else { continue }
            let reason = "\(operation.id.debugDescription) comes after \(unknown.debugDescription), which is not in the report"
            throw document.error("operations", reason)
        }
    }

    private static func attributes(in document: DocumentReader) throws -> [String: String] {
        let attributes = try document.optionalObjects("attributes").map { (try $0.string("name"), try $0.string("value")) }
        try document.checkNames(attributes.map(\.0), of: "the attribute", in: "attributes")
        return Dictionary(attributes) { first, _ in first }
    }
}

extension Anomaly {
    fileprivate init(_ sentence: String, _ details: DocumentReader?) throws {
        self.init(
            // Any name: a later version may write kinds that this one does not know.
            kind: try details?.optionalString("kind").map(Kind.init(name:)) ?? .unknown,
            operation: try details?.optionalString("operation"),
            duration: try details?.optionalDuration("durationMs"),
            description: sentence
        )
    }
}

extension DocumentReader {
    fileprivate func outcome(_ key: String) throws -> Outcome {
        // Never the latter: the word is one of these.
        Outcome(rawValue: try word(key, of: Outcome.allCases.map(\.rawValue))) ?? .failed
    }
}
