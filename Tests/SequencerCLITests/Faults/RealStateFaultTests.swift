import Foundation
import TestSupport
import Testing

/// What the tool makes of stored things that are not as it left them.
@Suite("run, with its state or history in trouble", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStateFaultTests {
    private let folder: TemporaryFolder
    private var state: String { folder.file("device").path }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) async throws -> Tool.Result {
        try await Tool.run(["run", "--state", state, "--budget", "60s", "--json"] + arguments)
    }

    @Test("fault S4, S22: what was damaged and put aside is told once, and where it is; a damaged mark of the first launch logs nobody out")
    func damageIsTold() async throws {
        defer { folder.remove() }
        #expect(try await run().code == 0)
        try Data("nonsense".utf8).write(to: folder.file("device/state/chosen-region"))
        try Data().write(to: folder.file("device/state/completed-launch"))
        let result = try await run()
        #expect(result.code == 0)
        #expect(result.messages.contains("warning: \(state)/state/chosen-region: "), "\(result.messages)")
        #expect(result.messages.contains("it was moved to chosen-region.corrupt-1 and counts as absent"), "\(result.messages)")
        let report = try result.json()
        #expect(report["scenario"] as? String == "regular")
        let operations = try #require(report["operations"] as? [[String: Any]])
        let notes = operations.first { $0["id"] as? String == "login" }?["notes"] as? [String] ?? []
        #expect(notes.contains { $0.hasPrefix("whether this is the first launch cannot be told") }, "\(notes)")
        #expect(try await run().messages.isEmpty, "told once")
    }

    @Test(
        "fault S21: a store that another process keeps locked holds no launch up, and that process is named",
        .nightly,
        arguments: ["cache", "secure"]
    )
    func lockedStore(_ name: String) async throws {
        defer { folder.remove() }
        #expect(try await run().code == 0)
        let lock = try Lock(folder.file("device/\(name)/.lock").path)
        // What is kept among the secrets until it has been delivered; answers of the service go to the cache.
        let result = try await run("--shortcut", "play")
        lock.release()
        #expect(result.code == 0, "\(result.messages)")
        #expect(try result.json()["outcome"] as? String == "completed")
        let expected = "device/\(name)/.lock: process \(getpid()) kept the store locked"
        #expect(result.messages.contains(expected), "\(result.messages)")
    }

    @Test("fault J51: a history that stays locked costs a warning; the report is there, and the exit code is the launch's own", .nightly)
    func lockedHistory() async throws {
        defer { folder.remove() }
        let history = folder.file("history.json").path
        #expect(try await run("--history", history).code == 0)
        let lock = try Lock(history)
        let result = try await run("--history", history)
        lock.release()
        #expect(result.code == 0)
        #expect(try result.json()["outcome"] as? String == "completed")
        #expect(result.messages.contains("warning: the launch was not added to its history: "), "\(result.messages)")
    }

    @Test("fault S23: an argument, or a state folder of the environment, that is not UTF-8 is refused: it would become another folder")
    func otherBytes() async throws {
        defer { folder.remove() }
        let parent = folder.url.path
        let argument = try await Tool.shell(#""$TOOL" run --state "\#(parent)/st$(printf '\377')te" --budget 60s"#)
        #expect(
            argument.code == 64 && argument.messages.contains("is not UTF-8") && argument.messages.split(separator: "\n").count == 1,
            "\(argument.messages)"
        )
        let variable = try await Tool.shell(#"XDG_STATE_HOME="\#(parent)/st$(printf '\377')te" "$TOOL" run --budget 60s"#)
        #expect(variable.code == 0 && variable.messages.contains("is not UTF-8"), "\(variable.messages)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
    }
}

/// A lock on a file that this process keeps, as any other could.
private struct Lock {
    private let descriptor: Int32

    init(_ path: String) throws {
        // Children must not keep it.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    func release() { close(descriptor) }
}
