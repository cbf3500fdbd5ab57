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
    var doubts: Set<Doubt> = []

    /// Why its time does not count among others, or means less.
    enum Doubt: Sendable {
        /// It is that of a virtual clock.
        case virtual
        /// It completed without its milestone: no time to it was measured.
        case missedMilestone
        /// Its time is unknown, and its verdict with it.
        case unknown
        /// Its time counts an operation of unknown time as 0 ms.
        case partlyUnknown
    }
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
        if try document.optionalString("clock") == "virtual" {
            doubts.insert(.virtual)
            if let unknown = try? LaunchReport(from: decoder).unknownTimes, !unknown.operations.isEmpty {
                doubts.insert(unknown.tellNothing ? .unknown : .partlyUnknown)
            }
        }
        if keys.hasOperations { operations = try document.optionalObjects("operations").map(Operation.init) }
        let outcome: LaunchOutcome = try document.word("outcome")
        let budget = try document.object("budget"), measured = try budget.duration("measuredMs")
        let display = try document.optionalDuration("initialDisplayMs"), displayBudget = try document.optionalObject("initialDisplayBudget")
        let isDisplayMet = try displayBudget.flatMap { budget in
            try budget.optionalString("verdict").map { _ in try Self.isMet(budget, by: display) }
        }
        let milestone = Self.milestone(of: document)
        if outcome == .completed, milestone?.isSuccess == false { doubts.insert(.missedMilestone) }
        let canMeetBudget = LaunchReport.canMeetBudget(outcome.rawValue, milestone: milestone)
        let isMet = try Self.isMet(budget, by: measured) && canMeetBudget
        end = .report(
            outcome,
            measured: measured.milliseconds,
            isMet: isMet && isDisplayMet != false,
            display: display?.milliseconds,
            isDisplayMet: isDisplayMet
        )
    }

    /// A verdict says no more than the times that it stands beside.
    private static func isMet(_ budget: DocumentReader, by time: Duration?) throws -> Bool {
        let (isMet, limit) = (try budget.isMet(), try budget.optionalDuration("limitMs"))
        guard let time, let limit else { return isMet }
        return isMet && time <= limit
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
