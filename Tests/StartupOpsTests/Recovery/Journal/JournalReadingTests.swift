import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// What is read in a journal, whatever has become of its file.
@Suite("Journals, read", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct JournalReadingTests {
    private static func read(_ lines: [JournalLine], isRunning: Bool = false) -> JournaledLaunch {
        JournaledLaunch(number: 1, JournalSamples.contents(lines), isRunning: isRunning)
    }

    private static let start = JournalSamples.began

    @Test(
        "How a launch ended, by what was written down",
        arguments: [
            ([.started("a"), .ended("a"), .over(), .outcome("completed")], .completed),
            ([.started("a"), .ended("a"), .over()], .completed),
            ([.started("a"), .ended("a"), .over(stopped: true)], .failed(in: nil)),
            ([.started("a"), .ended("a"), .over(stopped: true), .outcome("failed", "a")], .failed(in: "a")),
            ([.over(stopped: true), .outcome("aborted", "u", "force-update")], .aborted(by: "u", reason: "force-update")),
            ([.started("a"), .over(stopped: true), .outcome("cancelled")], .quit(asking: [])),
            ([.started("a"), .quit], .quit(asking: [])),
            ([.started("a"), .asked("a")], .quit(asking: ["a"])),
            ([.started("a"), .asked("a"), .answered("a")], .crashed(in: ["a"])),
            ([.started("a"), .asked("a"), .ended("a"), .started("b")], .crashed(in: ["b"])),
            ([], .crashed(in: [])),
            ([.started("a"), .started("b"), .started("c"), .ended("b")], .crashed(in: ["c", "a"])),
            ([.started("a"), .retrying("a")], .crashed(in: [])),
            ([.started("a"), .retrying("a"), .started("a", attempt: 2)], .crashed(in: ["a"])),
            ([.started("a"), .started("b"), .stalled], .hung(in: ["b", "a"])),
            ([.started("a"), .started("b"), .stalled, .ended("b")], .crashed(in: ["a"])),
            ([.kind(.background), .started("a")], .unknown),
            ([.kind(.background), .kind(.foreground), .started("a")], .crashed(in: ["a"])),
            ([.kind(.background), .over(), .outcome("completed")], .completed),
            ([.started("a"), .ended("a"), .over(), .outcome("completed"), .relaunched, .started("b")], .crashed(in: ["b"])),
            ([.started("a"), .over(stopped: true), .outcome("cancelled"), .relaunched, .over()], .completed),
            ([.over(), .outcome("completed"), .kind(.background), .relaunched, .started("a")], .completed),
            // What an observer was still holding up when the launch ended.
            ([.over(), .outcome("completed"), .started("a")], .completed),
        ] as [([JournalLine], LaunchEnding)]
    )
    func endings(_ lines: [JournalLine], _ ending: LaunchEnding) {
        #expect(Self.read([Self.start] + lines).ending == ending)
        // Whatever a running one has come to, it has not died.
        let running = Self.read([Self.start] + lines, isRunning: true)
        #expect(!running.ending.isDeath)
    }

    @Test("What is known besides: when, what, how much was left out and why")
    func facts() throws {
        var planned = JournalLine(.planned)
        planned.scenario = "regular"
        planned.level = .skipping
        planned.skipped = ["tutorial"]
        planned.reason = "it crashed"
        planned.required = ["main-app"]
        var healthy = JournalLine(.healthy)
        healthy.ms = 1500
        let launch = Self.read([Self.start, planned, .over(), healthy])
        #expect(abs((launch.startedAt?.timeIntervalSince1970 ?? 0) - 1_795_268_874.12) < 0.001)
        #expect(launch.version == "1.0.0" && launch.scenario == "regular" && launch.kind == .foreground)
        #expect(launch.recovery == Recovery(.skipping, skipping: ["tutorial"], because: "it crashed"))
        #expect(launch.required == ["main-app"] && launch.isHealthy && launch.damage == nil)
        #expect(launch.lastEvent == .milliseconds(1500))
    }

    @Test("Whether a configuration was on trial is known of a launch that failed, and of no other")
    func trial() {
        for outcome in ["failed", "completed", "cancelled"] {
            var end = JournalLine.outcome(outcome, "a")
            #expect(!Self.read([Self.start, end]).failedOnTrial)
            end.trial = true
            #expect(Self.read([Self.start, end]).failedOnTrial == (outcome == "failed"))
        }
    }

    @Test("fault P15: a file that is cut at any byte is read up to there; a torn last line is said, and blames nobody who had not started")
    func cutAnywhere() {
        let whole = JournalSamples.wholeLaunch
        let starts = ["splash", "login"]
        var endings: Set<String> = []
        for length in 0...whole.count {
            let launch = JournaledLaunch(number: 1, whole.prefix(length))
            endings.insert(launch.ending.name)
            #expect(Set(launch.ending.suspects).isSubset(of: starts), "\(length)")
            // Only at the end of a line, with or without its newline, is nothing missing.
            let isAtEnd = length == whole.count || (length > 0 && (whole[length - 1] == 10 || whole[length] == 10))
            #expect((launch.damage == nil) == isAtEnd, "\(length): \(launch.damage ?? "")")
            if length == 0 { #expect(launch.damage == "the file is empty" && launch.ending == .unknown) }
        }
        #expect(endings == ["unknown", "crashed", "completed"])
    }

    @Test(
        "fault P15: contents that are no journal are read as one of which nothing is known",
        arguments: [
            "", "\n\n\n", "no JSON\n", "[]\n", "{}\n", "null\n", "{\"event\":1}\n", "{\"event\":\"began\",\"ms\":1e999}\n", "\u{0}\u{0}",
            "{\"schema\":\"sequencer.journal/2\",\"event\":\"began\"}\n{\"event\":\"started\",\"operation\":\"a\"}\n",
            "{\"event\":\"started\",\"operation\":\"a\"}\n", LongText(String(repeating: "[", count: 100_000)),
        ]
    )
    func strange(_ text: LongText) {
        let launch = JournaledLaunch(number: 1, Data(text.value.utf8))
        #expect(launch.ending == .unknown)
        #expect(launch.damage != nil)
    }

    @Test("fault P15: words and numbers of later versions, and absurd ones, do no harm")
    func unknownWords() {
        let text = """
            {"schema":"sequencer.journal/1","event":"began","ms":-1e308,"kind":"teleported","level":"nuclear","at":"9999-99-99T99:99:99.999Z"}
            {"event":"teleported","ms":1e308,"operation":"a"}
            {"event":"started","operation":"a","more":{"than":"is known"}}

            """
        let launch = JournaledLaunch(number: 1, Data(text.utf8))
        #expect(launch.ending == .crashed(in: ["a"]) && launch.recovery == .none && launch.kind == .foreground)
        #expect(launch.startedAt == nil && launch.damage == nil)
    }

    @Test("fault P15: what a file says of its reason does nothing to a terminal, and is no longer than a person reads")
    func strangeReason() {
        var planned = JournalLine(.planned)
        planned.level = .skipping
        planned.skipped = ["tutorial"]
        planned.reason = "\u{1B}[2J\n" + String(repeating: "because ", count: 100_000)
        let sentence = Self.read([Self.start, planned]).recovery.sentence ?? ""
        #expect(sentence.hasPrefix("safe mode: tutorial is left out, because \\u{1B}[2J\\nbecause because "), "\(sentence.prefix(100))")
        #expect(sentence.utf8.count < 2000)
    }

    @Test("fault P15: of 50,000 operations in progress, each is told once, the one that started last first")
    func manyOperations() {
        let count = 50_000
        // Ten of them start again.
        let lines = (0..<count).map { "{\"event\":\"started\",\"operation\":\"\($0)\"}\n" }
        let text = String(decoding: JournalSamples.contents([Self.start]), as: UTF8.self) + lines.joined() + lines[..<10].joined()
        let launch = JournaledLaunch(number: 1, Data(text.utf8))
        #expect(launch.ending.suspects == ((0..<10).reversed() + (10..<count).reversed()).map(String.init))
    }

    @Test("A line is written as it is read", arguments: JournalSamples.everyLine)
    func bothWays(_ line: JournalLine) throws {
        let (lines, damaged) = JournalLine.parse(Data(line.bytes))
        #expect(lines == [line] && damaged.isEmpty)
        #expect(line.bytes.count { $0 == 10 } == 1 && line.bytes.last == 10)
    }

    @Test("Times of day are written and read", arguments: [0, 951_782_399.999, 1_795_268_874.12, 253_402_300_799])
    func times(_ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let text = try #require(JournalTime.text(date))
        #expect(text.prefix(19) + "Z" == date.formatted(.iso8601))
        let read = try #require(JournalTime.date(text))
        #expect(abs(read.timeIntervalSince(date)) < 0.001_1)
        #expect(JournalTime.text(Date(timeIntervalSince1970: -1)) == nil)
        #expect(JournalTime.date("2026-02-30T00:00:00.000Z") == nil)
        #expect(JournalTime.date(text + " ") == nil)
    }
}
