import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Journals whose names were not made by this code.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("Numbers of journals", .serialized, .timeLimit(.minutes(30)), .real)
struct RealJournalNumberTests {
    @Test(
        "fault P19: whatever number was planted among the journals, launches go on being counted",
        arguments: [
            "9223372036854775806", "9223372036854775807", "99999999999999999999", "1000000000", "999999999", "999999998", "500000000",
            "100000009", "-1",
        ]
    )
    func planted(_ number: String) throws {
        let folder = try TemporaryFolder()
        let directory = StateDirectory.open(at: folder("app"))
        for _ in 1...2 { _ = LaunchJournal.open(in: directory, version: "1") }
        let name = "\(number)-x.jsonl"
        try Data(JournalSamples.contents([JournalSamples.began])).write(to: folder("app/journal/\(name)"))
        var last: Int?
        // Each dies outside of any operation: the file is there, and nobody has it locked.
        for launch in 1...5 {
            let journal = LaunchJournal.open(in: directory, version: "1")
            if launch > 2 { #expect(journal.lastLaunch?.number == last, "launch \(launch)") }
            last = journal.number
            if launch == 5 { #expect(journal.recovery.level != .normal, "launches that died are counted") }
        }
        #expect(names(in: folder("app/journal")).contains { $0.hasPrefix(name) }, "nothing is removed")
    }

    @Test("fault P15: a journal of megabytes that make no sense is read no further than a thousand lines of it")
    func nonsense() {
        let (lines, damaged) = JournalLine.parse(
            Data(repeating: UInt8(ascii: "\n"), count: 10) + text(String(repeating: "x\n", count: 50_000))
        )
        #expect(lines.isEmpty && damaged.count == 1_000 && damaged.first == 11)
        let launch = JournaledLaunch(number: 1, text(String(repeating: "{}\n", count: 50_000)))
        #expect(launch.damage == "1000 lines make no sense, the first of them line 1")
    }
}
