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
    public func json(pretty: Bool = true) -> String {
        JSONWriter.object(pretty: pretty) { writeMembers(to: &$0) }
    }

    func writeMembers(to document: inout JSONWriter) {
        document.write(Self.format, for: "schema")
        document.write(scenario, for: "scenario")
        if let version { document.write(version, for: "version") }
        if !attributes.isEmpty {
            // A dictionary has no order, and the same report gives the same bytes.
            document.writeObjects(attributes.sorted { $0.key < $1.key }, for: "attributes") { object, attribute in
                object.write(attribute.key, for: "name")
                object.write(attribute.value, for: "value")
            }
        }
        if let startedAt { document.write(startedAt.timestamp, for: "startedAt") }
        if isVirtual { document.write("virtual", for: "clock") }
        if let grounds { document.add(grounds.json) }
        document.add(outcome.json)
        document.writeObject(for: "budget") { document in
            budget.writeMembers(to: &document)
            // Who reads this verdict alone would take the launch for one that kept its budgets.
            if budget.isMet, isInitialDisplayMet == false { document.write("fail", for: "initialDisplayVerdict") }
        }
        if let milestone { document.write(milestone, for: "milestone") }
        if let initialDisplay { document.write(initialDisplay, for: "initialDisplay") }
        // It follows from the operations, and is there for those who read no more than a few keys.
        if let timeToInitialDisplay { document.write(milliseconds: timeToInitialDisplay, for: "initialDisplayMs") }
        if let limit = budget.budget?.initialDisplay {
            document.writeObject(for: "initialDisplayBudget") { display in
                display.write(milliseconds: limit, for: "limitMs")
                if let isInitialDisplayMet { display.write(isInitialDisplayMet ? "pass" : "fail", for: "verdict") }
            }
        }
        document.write(milliseconds: makespan, for: "makespanMs")
        document.write(milliseconds: work, for: "workMs")
        document.write(milliseconds: criticalPathDuration, for: "criticalPathMs")
        document.write(criticalPath, for: "criticalPath")
        document.write(lanes, for: "lanes")
        if hasLaneLimit { document.write(true, for: "lanesLimited") }
        if hasLaneLimit, case let used = lanesUsed.count, used < lanes { document.write(used, for: "lanesUsed") }
        if !resourceLimits.isEmpty {
            // In one order, as the attributes.
            document.writeObjects(resourceLimits.sorted { $0.key.name < $1.key.name }, for: "resources") { object, resource in
                object.write(resource.key.name, for: "name")
                object.write(resource.value, for: "limit")
            }
        }
        document.writeObjects(operations, for: "operations") { $1.writeMembers(to: &$0) }
        if !stragglers.isEmpty { document.write(stragglers, for: "stragglers") }
        if let beforeRun { document.write(milliseconds: beforeRun, for: "beforeRunMs") }
        if let processStart { document.write(processStart.name, for: "processStart") }
        if let afterMilestone {
            document.writeObject(for: "afterMilestone") { afterMilestone.writeMembers(to: &$0, outcomes) }
        }
        if standstill > .zero { document.write(milliseconds: standstill, for: "standstillMs") }
        if suspended > .zero { document.write(milliseconds: suspended, for: "suspendedMs") }
        if threadsLeftBehind > 0 { document.write(threadsLeftBehind, for: "threadsLeftBehind") }
        if !scopes.isEmpty { document.writeObjects(scopes, for: "scopes") { $1.writeMembers(to: &$0) } }
        if anomalies.isEmpty { return }
        document.write(anomalies.map(\.description), for: "anomalies")
        document.writeObjects(anomalies, for: "anomalyDetails") { details, anomaly in
            details.write(anomaly.kind.name, for: "kind")
            if let operation = anomaly.operation { details.write(operation, for: "operation") }
            if let duration = anomaly.duration { details.write(milliseconds: duration, for: "durationMs") }
        }
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
}

extension LaunchReport.AfterMilestone {
    /// - Parameter outcomes: those of the report's operations.
    fileprivate func writeMembers(to document: inout JSONWriter, _ outcomes: [String: Sequencer.Outcome]) {
        if let outcome { document.add(outcome.json) }
        document.write(milliseconds: start, for: "startMs")
        document.writeObjects(operations, for: "operations") { operation, id in
            operation.write(id, for: "id")
            if let outcome = outcomes[id] { operation.write(outcome.rawValue, for: "outcome") }
        }
        if !failures.isEmpty { document.write(failures, for: "failures") }
        if !stragglers.isEmpty { document.write(stragglers, for: "stragglers") }
    }
}

extension BudgetResult {
    fileprivate func writeMembers(to document: inout JSONWriter) {
        if let budget { document.write(milliseconds: budget.limit, for: "limitMs") }
        document.write(milliseconds: measured, for: "measuredMs")
        document.write(milliseconds: interactive, for: "interactiveMs")
        if !questions.isEmpty {
            document.writeObjects(questions, for: "questions") { interval, question in
                interval.write(milliseconds: question.lowerBound, for: "startMs")
                interval.write(milliseconds: question.upperBound, for: "endMs")
            }
        }
        document.write(isMet ? "pass" : "fail", for: "verdict")
        if !isMet { document.write(causes, for: "causes") }
        if budget?.isFromProcessStart == true { document.write("processStart", for: "from") }
        if budget?.isEnforced == false { document.write(false, for: "enforced") }
    }
}

extension OperationReport {
    fileprivate func writeMembers(to document: inout JSONWriter) {
        document.write(id, for: "id")
        document.write(outcome.rawValue, for: "outcome")
        if let failure { document.write(failure.rawValue, for: "failure") }
        document.write(milliseconds: ready, for: "readyMs")
        document.write(milliseconds: start, for: "startMs")
        document.write(milliseconds: end, for: "endMs")
        document.write(milliseconds: start == nil ? nil : wait, for: "waitMs")
        document.write(milliseconds: start == nil ? nil : duration, for: "durationMs")
        document.write(milliseconds: slack, for: "slackMs")
        document.write(isCritical, for: "critical")
        if let place, start != nil { document.write(place, for: "lane") } else { document.writeNull(for: "lane") }
        document.write(attempts, for: "attempts")
        if !dependencies.isEmpty { document.write(dependencies, for: "after") }
        if let expected { document.write(milliseconds: expected, for: "expectedMs") }
        if let title { document.write(title, for: "title") }
        if isInteractive { document.write(true, for: "interactive") }
        if isInteractive || interactive > .zero { document.write(milliseconds: interactive, for: "interactiveMs") }
        if isCut { document.write(true, for: "cut") }
        if isDeferred { document.write(true, for: "deferred") }
        // An operation on the main thread that never started has no lane to tell it by.
        if isMain, start == nil { document.write(true, for: "main") }
        // A reader takes an interactive step to suspend, and any other one to keep the thread: written where that is
        // wrong.
        if isMain, suspends != isInteractive { document.write(suspends, for: "suspends") }
        if !exclusive.isEmpty { document.write(exclusive.lazy.map(\.name), for: "exclusive") }
        if let message { document.write(message, for: "message") }
        if !notes.isEmpty { document.write(notes, for: "notes") }
    }
}

extension LaunchReport: Codable {
    /// Encodes the report in the format `sequencer.report/1`.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree.object(JSONWriter.nested { writeMembers(to: &$0) }).encode(to: encoder)
    }

    /// Reads a report in the format `sequencer.report/1`. Unknown keys are ignored: a later version may write more of
    /// them.
    ///
    /// - Throws: `DecodingError`, for another kind of document: values out of range, an attribute, an operation or a
    ///   scope that is there twice, an operation that comes after one that is not there, or scopes within one another
    ///   more than 16 deep.
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
            criticalPath: try document.strings("criticalPath"),
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
            anomalies: try sentences.enumerated().map { index, sentence in
                try Anomaly(sentence, index < details.count ? details[index] : nil)
            },
            scopes: try Scope.all(in: document, depth: depth)
        )
        let identifiers = Set(operations.lazy.map(\.id))
        try document.checkNames(operations.lazy.map(\.id), of: "the operation", in: "operations")
        for operation in operations {
            guard let unknown = operation.dependencies.first(where: { !identifiers.contains($0) }) else { continue }
            let reason = "\(operation.id.debugDescription) comes after \(unknown.debugDescription), which is not in the report"
            throw document.error("operations", reason)
        }
    }

    private static func attributes(in document: DocumentReader) throws -> [String: String] {
        let attributes = try document.optionalObjects("attributes").map { (try $0.string("name"), try $0.string("value")) }
        try document.checkNames(attributes.lazy.map { $0.0 }, of: "the attribute", in: "attributes")
        return Dictionary(attributes) { first, _ in first }
    }
}

extension LaunchReport.Outcome {
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

extension OperationReport {
    fileprivate init(_ document: DocumentReader) throws {
        let id = try document.string("id")
        let lane = try document.optionalString("lane")
        let number = lane.flatMap { $0.hasPrefix("lane ") ? Int($0.dropFirst(5)) : nil }
        if let lane, lane != "main", number ?? 0 < 1 {
            throw document.error("lane", "expected \"main\" or \"lane 1\", found \(lane.debugDescription)")
        }
        self.init(
            id: id,
            title: try document.optionalString("title"),
            dependencies: try document.strings("after"),
            outcome: try document.outcome("outcome"),
            failure: try document.optionalString("failure") == nil ? nil : document.outcome("failure"),
            ready: try document.optionalDuration("readyMs"),
            start: try document.optionalDuration("startMs"),
            end: try document.duration("endMs"),
            expected: try document.optionalDuration("expectedMs"),
            attempts: try document.count("attempts"),
            lane: number,
            isMain: try lane == "main" || document.optionalFlag("main") == true,
            suspends: try document.optionalFlag("suspends"),
            exclusive: try document.strings("exclusive").map { ExclusiveResource($0) },
            isInteractive: try document.optionalFlag("interactive") ?? false,
            interactive: try document.optionalDuration("interactiveMs"),
            slack: try document.duration("slackMs"),
            isCritical: try document.flag("critical"),
            isCut: try document.optionalFlag("cut") ?? false,
            isDeferred: try document.optionalFlag("deferred") ?? false,
            message: try document.optionalString("message"),
            notes: try document.strings("notes")
        )
    }
}

extension DocumentReader {
    fileprivate func outcome(_ key: String) throws -> Outcome {
        // Never the latter: the word is one of these.
        Outcome(rawValue: try word(key, of: Outcome.allCases.map(\.rawValue))) ?? .failed
    }
}
