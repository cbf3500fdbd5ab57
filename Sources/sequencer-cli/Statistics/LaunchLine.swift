import Foundation
import Sequencer
import SequencerAnalysis

/// What statistics need of a report or a crash.
struct LaunchLine: Decodable, Equatable, Sendable {
    enum End: Equatable, Sendable {
        /// It left a report.
        ///
        /// - measured: what the budget counts, in milliseconds.
        /// - isMet: whether it kept all of its budgets.
        /// - display: the time to the initial display, which counts likewise; nil without one.
        /// - isDisplayMet: whether that was within its own budget; nil where nobody can say.
        case report(LaunchOutcome, measured: Double, isMet: Bool, display: Double? = nil, isDisplayMet: Bool? = nil)
        /// The process ended in the middle of it, while this operation ran.
        case crash(operation: String?)
    }

    struct Operation: Equatable, Sendable {
        var id: String
        /// Nil for one that never started.
        var milliseconds: Double?
        /// Nil where the report does not say.
        var outcome: Outcome?
    }

    var scenario: String
    var version: String?
    var end: End
    /// Empty where nobody asked for them.
    var operations: [Operation] = []
    /// The value of the attribute that was asked for.
    var attribute: String?
    /// Whether its time is that of a virtual clock.
    var isVirtual = false
    /// Whether it completed without its milestone: then no time to it was measured.
    var missedMilestone = false
    /// Whether its time is unknown, and its verdict with it; or a part of it.
    var isUnknown = false, isPartlyUnknown = false
}

extension LaunchLine {
    // Not `DecodableWithConfiguration`, which `JSONDecoder` takes from macOS 14 on.
    private static let keysKey = CodingUserInfoKey(rawValue: "keys")

    /// Decodes a report or a crash of any version, whatever else it has.
    ///
    /// - Parameter keys: what is asked for; decoding the operations takes twice as long as the rest.
    static func decoder(_ keys: StatsKeys) -> JSONDecoder {
        let decoder = JSONDecoder()
        if let keysKey { decoder.userInfo[keysKey] = keys }
        return decoder
    }

    /// Reads one by a decoder that ``decoder(_:)`` has made.
    init(from decoder: any Decoder) throws {
        let keys = Self.keysKey.flatMap { decoder.userInfo[$0] as? StatsKeys } ?? StatsKeys()
        let document = try DocumentReader(decoder)
        let schema = try document.string("schema")
        guard schema == SavedSchema.report || schema == SavedSchema.crash else {
            let hint = schema == SavedSchema.bench ? "; 'compare' reads benches" : ""
            let expected = "expected '\(SavedSchema.report)' or '\(SavedSchema.crash)'\(hint)"
            throw document.error("schema", "unknown schema \(quoted(schema, limit: 40)); \(expected)")
        }
        scenario = try document.name("scenario")
        version = try document.optionalName("version")
        if let attribute = keys.attribute {
            let attributes = try document.optionalObjects("attributes")
            self.attribute = try attributes.first { try $0.string("name") == attribute }?.name("value")
        }
        guard schema == SavedSchema.report else {
            end = .crash(operation: try document.optionalName("operation"))
            return
        }
        // These launches are another scenario: some of the work that others still have to do is done in their
        // processes.
        if let start = try document.optionalName("processStart") { scenario += " (\(start))" }
        isVirtual = try document.optionalString("clock") == "virtual"
        if isVirtual, let unknown = try? LaunchReport(from: decoder).unknownTimes, !unknown.operations.isEmpty {
            (isUnknown, isPartlyUnknown) = (unknown.tellNothing, !unknown.tellNothing)
        }
        if keys.hasOperations { operations = try document.optionalObjects("operations").map(Operation.init) }
        let outcome: LaunchOutcome = try document.word("outcome")
        let budget = try document.object("budget"), measured = try budget.duration("measuredMs")
        let isInTime = try budget.optionalDuration("limitMs").map { measured <= $0 } ?? true
        let display = try document.optionalDuration("initialDisplayMs"), displayBudget = try document.optionalObject("initialDisplayBudget")
        // A verdict says no more than the times that it stands beside.
        let isDisplayInTime =
            try display.flatMap { display in try displayBudget?.optionalDuration("limitMs").map { display <= $0 } } ?? true
        let isDisplayMet = try displayBudget?.optionalString("verdict") == nil ? nil : displayBudget?.isMet() == true && isDisplayInTime
        let milestone = Self.milestone(of: document)
        missedMilestone = outcome == .completed && milestone?.isSuccess == false
        let isMet = try budget.isMet() && isInTime && LaunchReport.canMeetBudget(outcome.rawValue, milestone: milestone)
        end = .report(
            outcome,
            measured: measured.milliseconds,
            isMet: isMet && isDisplayMet != false,
            display: display?.milliseconds,
            isDisplayMet: isDisplayMet
        )
    }

    /// How the milestone ended; nil where the report does not say.
    private static func milestone(of document: DocumentReader) -> Outcome? {
        guard let id = try? document.optionalString("milestone"), let operations = try? document.optionalObjects("operations") else {
            return nil
        }
        let ended = operations.first { (try? $0.optionalString("id")) == id }.flatMap { try? $0.optionalString("outcome") }
        return ended.flatMap { Outcome(rawValue: $0) }
    }
}

extension LaunchLine.Operation {
    fileprivate init(_ document: DocumentReader) throws {
        id = try document.name("id")
        // A duration without a start does not count.
        let hasStarted = try document.optionalDuration("startMs") != nil
        milliseconds = hasStarted ? try document.optionalDuration("durationMs")?.milliseconds : nil
        outcome = try document.optionalString("outcome").map { _ in try document.word("outcome") }
    }
}

extension DocumentReader {
    fileprivate func name(_ key: String) throws -> String { try optionalName(key) ?? string(key) }

    /// A text that is kept: so many are kept that long ones would fill the memory.
    fileprivate func optionalName(_ key: String) throws -> String? {
        let name = try optionalString(key)
        if let count = name?.utf8.count, count > 256 { throw error(key, "expected at most 256 bytes, found \(count)") }
        return name
    }
}

/// How a launch ended, without the details.
enum LaunchOutcome: String, CaseIterable, Sendable {
    case completed, aborted, failed, cancelled

    init(_ outcome: LaunchReport.Outcome) { self = Self(rawValue: outcome.name) ?? .failed }
}
