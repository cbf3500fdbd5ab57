import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Lines that cannot be written, the questions that are, and files that others made.
// Real: journals are files that their process locks, and limits are those of a process.
@Suite("A journal's file", .serialized, .timeLimit(.minutes(30)), .real)
struct RealJournalFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    //     told                      written
    //     started, asked            neither: the disk is full
    //     started, asked            both
    //     asked, answered           neither: within the first question
    //     answered                  it
    @Test("fault P41: a start and a question that could not be written are written when they are told again")
    func toldAgain() async {
        await #expect(processExitsWith: .success) { [path = folder("journal").path as String] in
            let directory = JournalDirectory(directory: PosixDirectory(path: path))
            let file = try directory.begin(JournalLine(.began), keeping: 1, size: 1 << 20)
            func append(_ event: JournalLine.Event, once attempt: String? = nil) -> StorageError? {
                do throws(StorageError) {
                    try file.append(JournalLine(event, operation: "region"), once: attempt)
                    return nil
                } catch {
                    return error
                }
            }
            limitFileSizes(to: 1)
            let failures = [append(.started, once: "1 region"), append(.asked, once: "asked 1 region")]
            limitFileSizes(to: 1 << 20)
            let areAllOfSpace = failures.allSatisfy { $0?.code == .noSpace }
            #expect(areAllOfSpace)
            for _ in 1...2 {
                #expect(append(.started, once: "1 region") == nil)
                #expect(append(.asked, once: "asked 1 region") == nil)
            }
            for event in [JournalLine.Event.asked, .answered, .answered] { #expect(append(event) == nil) }
            let lines = JournalLine.parse(try Data(contentsOf: URL(fileURLWithPath: file.path))).lines
            #expect(lines.compactMap { $0.event?.rawValue } == ["began", "started", "asked", "answered"])
        }
    }

    @Test("fault P41: a question within one that could not be written is written, and ends with the outer one")
    func innerQuestion() async {
        await #expect(processExitsWith: .success) { [path = folder("journal").path as String] in
            let directory = JournalDirectory(directory: PosixDirectory(path: path))
            let file = try directory.begin(JournalLine(.began), keeping: 1, size: 1 << 20)
            limitFileSizes(to: 1)
            #expect(throws: StorageError.self) { try file.append(JournalLine(.asked, operation: "region")) }
            limitFileSizes(to: 1 << 20)
            for event in [JournalLine.Event.asked, .answered, .stalled, .answered] {
                try file.append(JournalLine(event, operation: "region"))
            }
            let lines = JournalLine.parse(try Data(contentsOf: URL(fileURLWithPath: file.path))).lines
            #expect(lines.compactMap { $0.event?.rawValue } == ["began", "asked", "stalled", "answered"])
        }
    }

    @Test("of the journals that hundreds of dead launches have left, each launch removes some, and none pays for all")
    func manyDeaths() throws {
        let location = folder("app")
        let journals = location.appendingPathComponent("journal")
        try FileManager.default.createDirectory(at: journals, withIntermediateDirectories: true)
        let death = JournalSamples.contents([JournalSamples.began(version: "1.0.0"), JournalLine.started("main-app")])
        for number in 100...799 { try death.write(to: journals.appendingPathComponent("000\(number)-a.jsonl")) }
        let directory = StateDirectory.open(at: location)
        var opened: [LaunchJournal] = []
        for left in [501, 302, 103, 50, 50] {
            opened.append(LaunchJournal.open(in: directory, version: "1.0.0"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: journals.path).count { $0.hasSuffix(".jsonl") } == left)
        }
        #expect(opened.allSatisfy { $0.problem == nil })
    }

    @Test("of the journals that dead launches have left, the newest hundred are read")
    func newest() throws {
        let location = folder("app")
        let death = [JournalSamples.began(version: "1.0.0"), JournalLine.started("main-app")]
        try JournalSamples.write(Array(repeating: death, count: 9), in: location)
        // They say nothing, so that the ones before them would count.
        try JournalSamples.write(Array(repeating: [], count: 100), from: 10, in: location)
        #expect(LaunchJournal.launches(in: location).map(\.number) == (10...109).reversed())
        #expect(LaunchJournal.open(in: .open(at: location), version: "1.0.0").recovery == .none)
    }

    @Test("the app is told of the first problem of each kind, also after one of another kind")
    func kindsOfProblem() async throws {
        let location = folder("app")
        let death = [JournalSamples.began(version: "1.0.0", level: .withoutCaches), JournalLine.started("main-app")]
        try JournalSamples.write([death], in: location)
        await #expect(processExitsWith: .success) { [path = location.path as String] in
            let location = URL(fileURLWithPath: path)
            let directory = StateDirectory.open(at: location)
            // No file, and so it cannot be removed as one.
            let folder = location.appendingPathComponent("cache/folder")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let problems = Problems()
            let journal = LaunchJournal.open(in: directory, version: "1.0.0", onProblem: problems.add)
            journal.recover()
            #expect(problems.all.count == 1 && problems.all.first?.subject.hasSuffix("cache/folder") == true)
            limitFileSizes(to: 1)
            for _ in 1...3 { try journal.change(to: .background) }
            limitFileSizes(to: 1 << 20)
            #expect(problems.all.count == 2 && problems.all.last?.code == .noSpace)
            #expect(journal.problem == problems.all.first)
            journal.quit()
        }
    }

    #if os(Linux)
        // A pipe takes a part, as a disk does that gets full: nobody reads from it.
        @Test("fault S3: the part of a line that was written counts towards the limit on the size of files")
        func tornLine() throws {
            let path = folder("pipe").path
            try #require(mkfifo(path, 0o600) == 0)
            let file = try PosixFile(path, O_RDWR)
            var size = 10
            var code: Int32?
            do throws(StorageError) {
                try file.append([UInt8](repeating: 0, count: 1 << 21), after: &size)
            } catch {
                code = error.systemError
            }
            #expect(code == EAGAIN)
            #expect(size > 10 && size < 1 << 21)
        }
    #endif

    // MARK: The questions to a person that a journal has

    private struct Broken: Error {}

    /// What is written down of one operation, in a launch of its own.
    private func events(_ add: (inout OperationGraph) -> Void) async throws -> [String] {
        let location = folder("app")
        let journal = LaunchJournal.open(in: .open(at: location), version: "1")
        var graph = OperationGraph("regular")
        add(&graph)
        journal.prepare(&graph)
        _ = try await journal.run(graph, options: LaunchOptions(clock: VirtualClock()))
        let journals = location.appendingPathComponent("journal")
        let name = try #require(names(in: journals).first)
        let lines = JournalLine.parse(try Data(contentsOf: journals.appendingPathComponent(name))).lines
        return lines.filter { $0.operation != nil }.compactMap { $0.event?.rawValue }
    }

    @Test("fault P34: an interactive step asks from its start to its end, and its fallback asks nobody")
    func interactive() async throws {
        let events = try await events { graph in
            graph.add("region", .interactive) { () throws -> Bool in
                throw Broken()
            } fallback: { _, _ in
                true
            }
        }
        #expect(events == ["started", "asked", "answered", "ended"])
    }

    @Test("fault P34: a wait for a person is a question; one within another is part of it")
    func wait() async throws {
        let events = try await events { graph in
            graph.add("region") { (launch: StepContext) in
                try await launch.waitForPerson { try await launch.waitForPerson {} }
                try await launch.waitForPerson {}
            }
        }
        #expect(events == ["started", "asked", "answered", "asked", "answered", "ended"])
    }

    // MARK: Journals whose names were not made by this code

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
