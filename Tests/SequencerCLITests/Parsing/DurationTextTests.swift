import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Durations as text", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DurationTextTests {
    @Test(
        "Number and unit",
        arguments: [
            ("400ms", .milliseconds(400)), ("3s", .seconds(3)), ("250us", .microseconds(250)), ("1.5s", .milliseconds(1500)),
            ("2m", .seconds(120)), ("1h", .seconds(3600)), ("7ns", .nanoseconds(7)), ("0.000000001s", .nanoseconds(1)),
            ("24h", .seconds(86_400)), ("86400s", .seconds(86_400)), ("86400000000000ns", .seconds(86_400)),
            ("0001.50s", .milliseconds(1500)), ("0.00000000001h", .nanoseconds(36)),
            ("1.000000000000000000000000000000s", .seconds(1)),
        ] as [(String, Duration)]
    )
    func reads(_ text: String, _ duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
    }

    static let positive = "expected a number and a unit (ns, us, ms, s, m, h) such as '400ms', more than 0 and at most 24h"

    @Test(
        "fault G13, A3: What is wrong is named, with the format and the range",
        arguments: [
            ("", "'' is empty"), ("3", "'3' has no unit"), ("1.5", "'1.5' has no unit"), ("-1s", "'-1s' is negative"),
            ("nan", "'nan' is not a duration"), ("inf", "'inf' is not a duration"), ("s", "'s' is not a duration"),
            ("1e300s", "'1e300s' is not a duration"), ("1e-9s", "'1e-9s' is not a duration"), ("3 s", "'3 s' is not a duration"),
            (" 3s", "' 3s' is not a duration"), ("3s ", "'3s ' is not a duration"), ("+3s", "'+3s' is not a duration"),
            (".5s", "'.5s' is not a duration"), ("1.s", "'1.s' is not a duration"), ("1.5.5s", "'1.5.5s' is not a duration"),
            ("-", "'-' is not a duration"), ("0x3s", "'0x3s' is not a duration"), ("1,5s", "'1,5s' is not a duration"),
            ("٣s", "'٣s' is not a duration"), ("3sec", "'3sec' has the unknown unit 'sec'"), ("3S", "'3S' has the unknown unit 'S'"),
            ("0s", "'0s' is not more than 0"), ("0.0ms", "'0.0ms' is not more than 0"), ("0.1ns", "'0.1ns' is finer than a nanosecond"),
            ("0.0000000001s", "'0.0000000001s' is finer than a nanosecond"), ("25h", "'25h' is too long"),
            ("86400.000000001s", "'86400.000000001s' is too long"),
            ("99999999999999999999999999s", "'99999999999999999999999999s' is too long"),
            ("999999999999999h", "'999999999999999h' is too long"), ("1\u{1B}[2Js", "'1\\u{1B}[2Js' is not a duration"),
        ]
    )
    func refuses(_ text: String, _ problem: String) {
        let error = #expect(throws: ValueError.self) { try DurationText.parse(text) }
        #expect(error?.message == "\(problem); \(DurationTextTests.positive)")
    }

    @Test("Where 0 is allowed, the message says so")
    func zero() throws {
        #expect(try DurationText.parse("0ms", minimum: .zero) == .zero)
        let error = #expect(throws: ValueError.self) { try DurationText.parse("-0s", minimum: .zero) }
        let range = "expected a number and a unit (ns, us, ms, s, m, h) such as '400ms', 0 or more and at most 24h"
        #expect(error?.message == "'-0s' is negative; \(range)")
    }

    @Test(
        "The largest unit of which it is a whole number",
        arguments: [
            (.zero, "0s"), (.milliseconds(400), "400ms"), (.milliseconds(1500), "1500ms"), (.seconds(90), "90s"), (.seconds(120), "2m"),
            (.seconds(86_400), "24h"), (.nanoseconds(1_050_000_000), "1050ms"), (.nanoseconds(1001), "1001ns"), (.nanoseconds(7), "7ns"),
        ] as [(Duration, String)]
    )
    func writes(_ duration: Duration, _ text: String) {
        #expect(DurationText.format(duration) == text)
    }

    @Test("What is written is read back")
    func roundTrip() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let digits = Int64.random(in: 1...14, using: &random)
            let limit = min((0..<digits).reduce(Int64(1)) { value, _ in value * 10 }, 86_400_000_000_000)
            let duration = Duration.nanoseconds(Int64.random(in: 1...limit, using: &random))
            #expect(try DurationText.parse(DurationText.format(duration)) == duration)
        }
    }
}
