import Foundation
import SequencerTesting
import StartupSamples
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// The table of `SECURITY.md`, row by row: what a launch does with each field of a policy, and each way in which it can be wrong.
@Suite("The fields of an update policy", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PolicyFieldTests {
    private enum End { case open, required, closed, recommended }

    /// A launch of version 1.2, or of another, whose service answers with `body`.
    private func end(_ body: String, status: Int, version: SemanticVersion = SemanticVersion(1, 2)) async throws -> End? {
        let http = WireService()
        http.next("GET /v1/version-policy", status: status, type: "application/json", body)
        let (directory, person) = (StateDirectory.inMemory(), AgreeablePerson())
        let app = AppInfo(version: version, platform: "linux", region: Region(country: "DE", language: "de"))
        let url = try #require(URL(string: "https://api.example.com"))
        let service = AppService(at: .service(at: url), http: http, directory: directory, app: app, deviceID: "d1")
        let services = StartupServices(service)
        let environment = StartupEnvironment(app: app, services: services, presenters: StartupPresenters(all: person), directory: directory)
        let report = try await environment.graph(.warmResume)
            .run(budget: .seconds(3), options: LaunchOptions(grace: .seconds(60), clock: VirtualClock(patience: .seconds(300)))).report
        switch person.shown {
        case ["active"] where report.outcome == .completed: return .open
        case ["recommended 9.0.0", "active"] where report.outcome == .completed: return .recommended
        case ["update"] where report.outcome == .aborted(by: "force-update", reason: .forceUpdate): return .required
        case ["maintenance"] where report.outcome == .aborted(by: "force-update", reason: .maintenance): return .closed
        default: return nil
        }
    }

    private func expect(
        _ expected: End,
        _ bodies: [String],
        status: Int = 200,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for body in bodies {
            let end = try await end(body, status: status)
            let shown = "\(body.prefix(120)) (\(body.utf8.count) bytes)"
            #expect(end == expected, "\(shown), status \(status)", sourceLocation: sourceLocation)
        }
    }

    /// Null, an empty text, a blank one, three of another type, one that makes no sense, and a long one.
    private static let nonsense = ["null", #""""#, #""  ""#, "7", "[]", "{}", #""abc""#, "\"\(String(repeating: "a", count: 2_000))\""]

    private func with(_ field: String, _ values: [String], in body: (String) -> String) -> [String] {
        // The field is absent first.
        [body("")] + values.map { body("\"\(field)\":\($0)") }
    }

    @Test("fault N21: nothing but a version that can be read demands an update, or recommends one")
    func versions() async throws {
        let wrong = Self.nonsense + [#""2026-11-29""#, #""2026-11-29T10:00:00Z""#, "true", "-1", #""-1""#]
        try await expect(.open, with("minimumVersion", wrong) { "{\($0)}" })
        try await expect(.required, [#"{"minimumVersion":"2"}"#, #"{"minimumVersion":" v1.2.1 "}"#])
        try await expect(.open, with("recommendedVersion", wrong) { "{\"minimumVersion\":\"1\"\($0.isEmpty ? "" : ",")\($0)}" })
        try await expect(.recommended, [#"{"minimumVersion":"1","recommendedVersion":"9"}"#])
        try await expect(.open, [#"{"minimumVersion":"1.2","recommendedVersion":"1.2.0"}"#])
    }

    @Test("a date or a time is no version; one of a calendar is, for an app that has such versions itself")
    func dates() async throws {
        func demand(_ version: String) -> String { "{\"minimumVersion\":\"\(version)\",\"recommendedVersion\":\"\(version)\"}" }
        let dates = ["20261129", "1764460800", "1764460800.5", "2026.11.29", "29.11.2026", "2026.11", "11.2026", "2026"]
        try await expect(.open, dates.map(demand))
        // One that moves to other numbers can still demand something of the old ones.
        try await expect(.required, ["999", "12.10", "1.2.20261129"].map(demand))
        for (minimum, expected) in [("2026.11.29", End.required), ("2024.5.1", .open), ("20261129", .open), ("1764460800", .open)] {
            #expect(try await end(demand(minimum), status: 200, version: SemanticVersion(2024, 5, 1)) == expected, "\(minimum)")
        }
        #expect(try await end(demand("20261129"), status: 200, version: SemanticVersion(20_240_501)) == .required)
    }

    @Test(
        "fault N21: no other field hides a required update, however it is wrong, or large",
        arguments: ["message", "store", "maintenance", "unknown"]
    )
    func beside(field: String) async throws {
        let values = Self.nonsense + ["true", "false", #"{"message":7,"until":[]}"#]
        try await expect(.required, with(field, values) { "{\"minimumVersion\":\"2\"\($0.isEmpty ? "" : ",")\($0)}" })
    }

    @Test("fault N21: maintenance is true, or an object; nothing else closes the app")
    func maintenance() async throws {
        let wrong = Self.nonsense + ["false", "1", #""true""#, #"{"unknown":1}"#, #"{"until":null}"#]
        try await expect(.open, with("maintenance", wrong) { "{\($0)}" })
        try await expect(.closed, [#"{"maintenance":true}"#])
    }

    @Test("fault N21: maintenance that says in a way of its own whether it is enabled closes nothing; one that is not enabled neither")
    func enabled() async throws {
        func body(_ field: String) -> String { "{\"maintenance\":{\"message\":\"Back soon\"\(field.isEmpty ? "" : ",")\(field)}}" }
        let wrong = Self.nonsense.dropFirst(3) + ["false", #""true""#, "1"]
        try await expect(.open, wrong.map { body("\"enabled\":\($0)") })
        try await expect(.closed, with("enabled", Self.nonsense.prefix(3) + ["true"], in: body))
        try await expect(.closed, [#"{"maintenance":{"enabled":true}}"#, #"{"maintenance":{"enabled":true,"message":[],"until":"abc"}}"#])
        try await expect(.open, [#"{"maintenance":{"enabled":false,"until":"9999-12-31T23:59:59Z"}}"#])
    }

    @Test("fault N21: without an end, maintenance is announced by its message; a message that says nothing closes nothing")
    func message() async throws {
        let silent = Self.nonsense.dropLast(2)
        try await expect(.open, with("message", Array(silent)) { "{\"maintenance\":{\($0)}}" })
        try await expect(.closed, Self.nonsense.suffix(2).map { "{\"maintenance\":{\"message\":\($0)}}" })
    }

    @Test("fault N21: an end of maintenance is a date by RFC 3339, or in seconds since 1970; one that cannot be read closes nothing")
    func until() async throws {
        func body(_ field: String) -> String { "{\"maintenance\":{\"message\":\"Back soon\"\(field.isEmpty ? "" : ",")\(field)}}" }
        func ends(_ values: [String]) -> [String] { values.map { body("\"until\":\($0)") } }
        let unreadable =
            Self.nonsense.dropFirst(3) + ["true", "-1", "1e27", "1e400", #""tomorrow""#, #""2026-99-99T10:00:00Z""#, "4102444800000"]
        try await expect(.open, ends(Array(unreadable)))
        // Until somebody says otherwise, or a day has passed.
        try await expect(.closed, with("until", ["null", #""""#, #""  ""#], in: body))
        let past = [
            #""2025-11-21T10:00:00Z""#, #""2025-11-21T10:00:00.250+02:00""#, "1763719200",
        ]
        try await expect(.open, ends(past))
        let future = [
            #""9999-12-31T23:59:59Z""#, #""9999-12-31T23:59:59.250+02:00""#, "99999999999",
        ]
        try await expect(.closed, ends(future))
    }

    @Test("fault N21: an answer that is no object, no JSON or has more than 4 MB says nothing; one of a megabyte does")
    func body() async throws {
        try await expect(.open, ["", "null", "[]", "true", "7", "\"2\"", "{", "<html></html>"])
        let message = String(repeating: "a", count: 1 << 20)
        try await expect(.required, [#"{"minimumVersion":"2","message":"\#(message)"}"#])
        let texts = Array(repeating: #""\#(message)""#, count: 5).joined(separator: ",")
        try await expect(.open, [#"{"minimumVersion":"2","unknown":[\#(texts)]}"#])
    }

    @Test("a policy that comes with status 426 or 503 counts; the body of another error does not, and what says nothing lifts nothing")
    func status() async throws {
        for status in [426, 503] {
            try await expect(.required, [#"{"minimumVersion":"2"}"#], status: status)
            try await expect(.closed, [#"{"maintenance":{"message":"Back soon"}}"#, #"{"maintenance":true}"#], status: status)
            try await expect(.open, [#"{"minimumVersion":"1"}"#], status: status)
            let silent = ["", "{}", #"{"error":"overloaded"}"#, #"{"message":"Service unavailable"}"#, "<html></html>"]
            try await expect(.open, silent, status: status)
        }
        for status in [400, 404, 500] { try await expect(.open, [#"{"minimumVersion":"2"}"#], status: status) }
    }
}
