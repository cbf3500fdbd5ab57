import Foundation
import TestSupport
import Testing

@testable import StartupOps

@Suite("Update policies", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct UpdatePolicyTests {
    private let date = Date(timeIntervalSince1970: 1_795_000_000)
    private let app = SemanticVersion(1, 2, 0)

    private func policy(_ json: String) throws -> UpdatePolicy { try JSONDecoder().decode(UpdatePolicy.self, from: Data(json.utf8)) }

    @Test("maintenance holds until its end, or without one until the service says otherwise")
    func maintenance() throws {
        let json =
            #"{"minimumVersion":"1.0","maintenance":{"message":"Back soon","until":"2026-11-21T10:00:00Z"},"recommendedVersion":"9"}"#
        let end = Date(timeIntervalSince1970: 1_795_255_200)
        #expect(try policy(json).decision(for: app, at: end - 1) == .maintenance(message: "Back soon", until: end))
        #expect(try policy(json).decision(for: app, at: end) == .recommended(SemanticVersion(9)))
        #expect(
            try policy(#"{"minimumVersion":"1.0","maintenance":true}"#).decision(for: app, at: date)
                == .maintenance(message: nil, until: nil)
        )
        #expect(
            try policy(#"{"minimumVersion":"2","maintenance":true}"#).decision(for: app, at: date)
                == .required(minimum: SemanticVersion(2), message: nil)
        )
        #expect(try policy(#"{"minimumVersion":"1","maintenance":null}"#).decision(for: app, at: date) == .mayContinue)
        #expect(try policy(#"{"minimumVersion":"1","maintenance":{"until":"2026-11-21T10:00:00.250Z"}}"#).maintenance?.until == end + 0.25)
        #expect(UpdateDecision.maintenance(message: nil, until: nil).stopsLaunch)
        #expect(!UpdateDecision.recommended(app).stopsLaunch)
    }

    private func fields(_ policy: UpdatePolicy) -> [String] { policy.ignored.map { String($0.prefix { $0 != " " }) } }

    @Test("fault N21: every field is judged on its own, and named")
    func otherFields() throws {
        let json = """
            {"recommendedVersion":7,"message":["x"],"maintenance":{"message":false,"until":"tomorrow"},"unknown":{"deep":[[[]]]}}
            """
        let policy = try policy(json)
        #expect(
            fields(policy) == ["minimumVersion", "recommendedVersion", "message", "maintenance.message", "maintenance.until"]
        )
        #expect(policy.ignored.first == "minimumVersion was ignored: it is missing")
        #expect(policy.ignored.last == "maintenance.until was ignored: \"tomorrow\" is no date; one looks like 2026-11-21T10:00:00Z")
        #expect(policy.maintenance == nil, "its end may have passed")
        #expect(try self.policy(#"{"minimumVersion":"1","maintenance":"yes"}"#).maintenance == nil)
        for garbage in ["", "null", "[]", "\"1.0\"", "{", "\u{0}", "{\"minimumVersion\""] {
            #expect(throws: DecodingError.self) { try self.policy(garbage) }
        }
    }

    @Test("fault N20: without an answer the launch goes on, unless the last known minimum still asks for an update")
    func lastKnown() throws {
        func decide(_ answer: String?, _ lastKnown: String?) throws -> UpdateDecision {
            try (try answer.map(policy) ?? UpdatePolicy()).completed(by: lastKnown.map(policy), at: date).decision(for: app, at: date)
        }
        let must = #"{"minimumVersion":"2.0","message":"Update now"}"#
        let required = UpdateDecision.required(minimum: SemanticVersion(2), message: "Update now")
        #expect(try decide(nil, nil) == .mayContinue)
        #expect(try decide(nil, must) == required)
        #expect(try decide(nil, #"{"minimumVersion":"1.2"}"#) == .mayContinue, "the app was updated since")
        #expect(try decide(nil, #"{"minimumVersion":"1.0","recommendedVersion":"3","maintenance":true}"#) == .mayContinue)
        #expect(try decide(#"{"minimumVersion":"1.0"}"#, must) == .mayContinue, "the requirement was lifted")
        #expect(try decide(#"{"minimumVersion":"abc"}"#, must) == required, "garbage lifts nothing")
        #expect(
            try decide(#"{"minimumVersion":"abc","message":"New text"}"#, must)
                == .required(minimum: SemanticVersion(2), message: "New text")
        )
        #expect(try decide(#"{"minimumVersion":"abc","maintenance":true}"#, nil) == .maintenance(message: nil, until: nil))
        #expect(try policy(#"{"minimumVersion":null}"#).completed(by: policy(must), at: date).minimumVersion == SemanticVersion(2))
        #expect(try policy(#"{"minimumVersion":"1.1"}"#).completed(by: policy(must), at: date).minimumVersion == SemanticVersion(1, 1))
    }

    @Test(
        "fault N20: maintenance without an end lasts a day at most from when it was first seen, also where that seems to be later than now"
    )
    func forgotten() throws {
        let day = 86_400.0
        // What the service says of when it was seen does not count.
        let closed = try policy(#"{"minimumVersion":"1","maintenance":{"enabled":true,"seenAt":"2001-01-01T00:00:00Z"}}"#)
        let first = closed.completed(by: nil, at: date)
        let kept = try JSONDecoder().decode(UpdatePolicy.self, from: JSONEncoder().encode(first))
        for (passed, isClosed) in [(0, true), (day - 1, true), (day, false), (9 * day, false)] {
            let decision = closed.completed(by: kept, at: date + passed).decision(for: app, at: date + passed)
            #expect(decision.stopsLaunch == isClosed, "after \(passed) s")
        }
        // The clock was set back: the day begins anew, and is not longer.
        let again = closed.completed(by: kept, at: date - 9 * day)
        #expect(again.decision(for: app, at: date - 9 * day).stopsLaunch && !again.decision(for: app, at: date - 8 * day).stopsLaunch)
        // The service was open meanwhile.
        let open = try policy(#"{"minimumVersion":"1"}"#).completed(by: kept, at: date + day)
        #expect(closed.completed(by: open, at: date + 2 * day).decision(for: app, at: date + 2 * day).stopsLaunch)
    }

    @Test("a policy is stored and read back as it was, without what was ignored")
    func coding() throws {
        let json =
            #"{"minimumVersion":"1.0.0","recommendedVersion":"1.4.0","maintenance":{"message":"m","until":"2026-11-21T10:00:00Z"},"message":"t"}"#
        let policy = try policy(json)
        #expect(try JSONDecoder().decode(UpdatePolicy.self, from: JSONEncoder().encode(policy)) == policy)
        #expect(try self.policy(#"{"minimumVersion":"1","message":"a\u0007b\u202Ec\nd"}"#).message == "abc d")
    }

    @Test(
        "a required update carries the store's link, also from an answer before; an address that leads elsewhere is left out, and named",
        arguments: [
            ("https://apps.example.com/app/7", true), ("itms-apps://apps.example.com/app/7", true),
            ("http://apps.example.com/app/7", false),
            ("javascript:alert(1)", false), ("tel:112", false), ("file:///etc/passwd", false), ("https://", false),
        ]
    )
    func store(text: String, isTaken: Bool) throws {
        let policy = try policy(#"{"minimumVersion":"2.0.0","store":"\#(text)"}"#)
        let url = isTaken ? URL(string: text) : nil
        let required = UpdateDecision.required(minimum: SemanticVersion(2), message: nil, store: url)
        #expect(policy.decision(for: SemanticVersion(1), at: Date()) == required)
        #expect(fields(policy) == (isTaken ? [] : ["store"]))
        let kept = try JSONDecoder().decode(UpdatePolicy.self, from: try JSONEncoder().encode(policy))
        #expect(UpdatePolicy().completed(by: kept, at: Date()).decision(for: SemanticVersion(1), at: Date()) == required)
    }
}
