import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Journals of dead launches, written for tests.
// Real: a launch that has died is told by its lock, which a child that another test begins has as well, from its fork to its exec.
@Suite("Dead launches for tests", .serialized, .timeLimit(.minutes(30)), .real)
struct RealDeadLaunchesTests {
    private let directory: StateDirectory
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        directory = .open(at: folder("app"))
    }

    @Test("So many dead launches lead to each level", arguments: Array(zip(2...6, RecoveryLevel.allCases)))
    func levels(_ count: Int, _ level: RecoveryLevel) throws {
        try LaunchJournal.writeDeadLaunches(count, in: directory, version: "1", diedIn: "tutorial")
        let launches = LaunchJournal.launches(in: folder("app"))
        #expect(launches.map(\.ending) == Array(repeating: .crashed(in: ["tutorial"]), count: count))
        let journal = LaunchJournal.open(in: directory, version: "1")
        #expect(journal.recovery.level == level)
        #expect(journal.recovery.skipped == (level == .normal ? [] : ["tutorial"]))
    }

    @Test("Launches that died outside of any operation, and none")
    func nowhere() throws {
        try LaunchJournal.writeDeadLaunches(0, in: directory, version: "1", diedIn: nil)
        #expect(LaunchJournal.launches(in: folder("app")).isEmpty)
        try LaunchJournal.writeDeadLaunches(in: directory, version: "1", diedIn: nil)
        #expect(LaunchJournal.open(in: directory, version: "1").recovery.level == .withoutTrialConfiguration)
    }

    @Test("In memory, where nothing is written down, it throws")
    func inMemory() {
        #expect(throws: StorageError.self) {
            try LaunchJournal.writeDeadLaunches(3, in: .inMemory(), version: "1", diedIn: "tutorial")
        }
    }

    @Test("Launches that died in the main screen lead to no launch that says it leaves that out")
    func mainScreen() async throws {
        try LaunchJournal.writeDeadLaunches(in: directory, version: "1", diedIn: "main-app")
        var asked: [String?] = []
        await LaunchJournal.open(in: directory, version: "1").decide { recovery in
            asked.append(recovery.sentence)
            return .recover
        }
        let what = "safe mode: the last configuration that worked is used"
        #expect(asked == ["\(what), because the last 3 launches crashed in main-app, which cannot be left out"])
    }
}
