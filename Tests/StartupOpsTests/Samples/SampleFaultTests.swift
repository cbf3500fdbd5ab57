import Foundation
import StartupNetworking
import StartupSamples
import TestSupport
import Testing

/// Faults: their texts, and what the service decides when they are set.
@Suite("Sample faults", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct SampleFaultTests {
    private static let texts = [
        "hang", "drip", "slow:2000ms", "status:500", "status:503;retry-after=2", "garbage", "html", "empty", "null", "nul-bytes",
        "invalid-utf8", "bom", #"body:{"a":[1,2]}"#, "wrong-type", "header:Set-Cookie=a=b", "truncated", "reset",
        "redirect:http://127.0.0.1:1/x?y=1", "redirect:http://127.0.0.1:1/x;status=307", "redirect-loop", "big:200000000B",
        "gzip-bomb:200000000B", "401-basic", "plaintext",
    ]

    @Test("every fault has a text of its own")
    func texts() throws {
        #expect(Set(try Self.texts.map { try SampleFault(parsing: $0) }).count == Self.texts.count)
    }

    @Test("durations and sizes are read in every unit")
    func units() throws {
        #expect(try SampleFault(parsing: "slow:2s") == .slow(.seconds(2)))
        #expect(try SampleFault(parsing: "slow:3m") == .slow(.seconds(180)))
        #expect(try SampleFault(parsing: "big:200MB") == .zeros(200_000_000))
        #expect(try SampleFault(parsing: "gzip-bomb:1GB") == .zeros(1_000_000_000, compressed: true))
        #expect(try SampleFault(parsing: "body:null") == SampleFault(parsing: "null"))
        #expect(throws: SampleFaultError.self) { try SampleFault(parsing: "big:5GB") }
    }

    @Test(
        "what is no fault is refused",
        arguments: [
            "", "hnag", "slow", "slow:", "slow:2", "slow:-1s", "slow:2h", "slow:99999999999999999999s", "status:", "status:99",
            "status:600",
            "status:500;", "status:500;a b=c", "status:500;a=b\r\nc", "header:", "header:=x", "redirect:", "redirect:http://a b",
            "redirect:http://a;status=200", "big:", "big:1TB", "big:99999999999999999999GB", "big:-1B",
        ]
    )
    func refused(_ text: String) {
        let error = #expect(throws: SampleFaultError.self) { try SampleFault(parsing: text) }
        #expect(error?.description.contains("expected") == true)
    }
}
