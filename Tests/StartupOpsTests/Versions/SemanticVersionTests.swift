import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("Versions", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SemanticVersionTests {
    @Test(
        "fault N22: versions compare by number, missing parts are zero, prereleases are lower",
        arguments: [
            ("1.9", "<", "1.10"), ("1.10", "=", "1.10.0"), ("1.2.0-beta", "<", "1.2.0"), ("01.002.0003", "=", "1.2.3"),
            ("v1.2", "=", "1.2.0"),
            ("V1.2", "=", " 1.2.0\n"), ("1", "=", "1.0.0"), ("2", "<", "10"), ("1.2.3+build.7", "=", "1.2.3"),
            ("1.2.3+a-b", "=", "1.2.3+c"),
            ("1.2.3", "<", "1.2.4-alpha"), ("0", "=", "v0.0.0"), ("4294967295", "<", "4294967295.0.1"),
            // The example of section 11 of Semantic Versioning 2.0.0.
            ("1.0.0-alpha", "<", "1.0.0-alpha.1"), ("1.0.0-alpha.1", "<", "1.0.0-alpha.beta"), ("1.0.0-alpha.beta", "<", "1.0.0-beta"),
            ("1.0.0-beta", "<", "1.0.0-beta.2"), ("1.0.0-beta.2", "<", "1.0.0-beta.11"), ("1.0.0-beta.11", "<", "1.0.0-rc.1"),
            ("1.0.0-rc.1", "<", "1.0.0"), ("1.0.0-beta.01", "=", "1.0.0-beta.1"), ("1.0.0-RC", "<", "1.0.0-alpha"),
            ("1-a-b", "=", "1.0.0-a-b"),
        ]
    )
    func precedence(left: String, relation: String, right: String) throws {
        let left = try #require(SemanticVersion(left))
        let right = try #require(SemanticVersion(right))
        #expect((left < right) == (relation == "<"))
        #expect((left == right) == (relation == "="))
        #expect(!(right < left))
    }

    @Test(
        "fault N21: what is no version is none",
        arguments: [
            "", " ", "abc", "-1", "1.-2", "v", "vv1", ".", "1.", ".1", "1..2", "1.2.3.4", "1.x", "1.2-", "1.2-a..b", "1.2-ä", "1.2+", "+1",
            "1,2", "1 2",
            "١.٢", "0x10", "1e3", "4294967296", "1.0-18446744073709551616", "null", "2026-11-29", "2026-11-29-beta", "1-1", "\u{0}1",
            "1\u{0}",
            "\(String(repeating: "9", count: 99_999))", "\(String(repeating: "0", count: 99_999))1",
            "1-\(String(repeating: "a", count: 99_999))", "\(String(repeating: "1.", count: 99_999))",
        ] as [LongText]
    )
    func garbage(text: LongText) {
        #expect(SemanticVersion(text.value) == nil)
    }

    @Test("versions are written in full, and read back the same")
    func coding() throws {
        for (text, description) in [("v1.10", "1.10.0"), ("1.2-beta.02+7", "1.2.0-beta.2"), ("0", "0.0.0")] {
            let version = try #require(SemanticVersion(text))
            #expect(version.description == description)
            #expect(SemanticVersion(version.description) == version)
            let data = try JSONEncoder().encode([version])
            #expect(String(decoding: data, as: UTF8.self) == "[\"\(description)\"]")
            #expect(try JSONDecoder().decode([SemanticVersion].self, from: data) == [version])
        }
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([SemanticVersion].self, from: Data(#"["nonsense"]"#.utf8))
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "\"nonsense\" is no version; one looks like 1.4.0")
    }
}
