import Foundation
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Lines that cannot be written.
// Real: journals are files that their process locks, and limits are those of a process.
@Suite("A journal's file on a full disk", .serialized, .timeLimit(.minutes(30)), .real)
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

    @Test("the app is told of the first problem of each kind, also after one of another kind")
    func kindsOfProblem() async throws {
        let location = folder("app")
        let journals = location.appendingPathComponent("journal")
        try FileManager.default.createDirectory(at: journals, withIntermediateDirectories: true)
        let death = [JournalSamples.began(version: "1.0.0", level: .withoutCaches), JournalLine.started("main-app")]
        try JournalSamples.contents(death).write(to: journals.appendingPathComponent("000001-a.jsonl"))
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
}
