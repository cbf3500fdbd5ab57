import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Child processes", .serialized, .timeLimit(.minutes(30)), .real)
struct RealChildProcessTests {
    // MARK: Ends

    @Test("A command that ends with status 0 returns what it wrote to both outputs, in order")
    func output() async throws {
        let output = try await shell("echo one; echo two >&2; printf three").run()
        #expect(output == "one\ntwo\nthree")
    }

    @Test("A command finds its arguments, the environment, the working directory, and nothing to read")
    func surroundings() async throws {
        let directory = FileManager.default.currentDirectoryPath
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        let output = try await shell(#"printf '%s\n' "$1" "$2" "$PATH"; pwd -P; cat"#, "a b", "").run()
        #expect(output == "a b\n\n\(path)\n\(directory)\n")
    }

    @Test("fault O29: A status other than 0 is named, with the last line that says something")
    func status() async throws {
        let error = await failure(shell("echo first; echo '  table users is locked ' >&2; echo; echo ' '; exit 3"))
        #expect(error?.reason == .status(3))
        #expect(error?.output == "first\n  table users is locked \n\n \n")
        #expect(error?.description == "/bin/sh ended with status 3: table users is locked")
        #expect(await failure(shell("exit 255"))?.description == "/bin/sh ended with status 255")
    }

    @Test("The last line cannot move a cursor, and is cut")
    func lastLine() {
        func line(_ tail: String) -> String? {
            ChildProcessError(command: "x", reason: .status(1), output: tail).lastLine
        }
        #expect(line("") == nil)
        #expect(line("\r\n \n") == nil)
        #expect(line("10%\r50%\rfull\r\n") == "full")
        #expect(line("\u{1B}[2J") == "\\u{1B}[2J")
        #expect(line(String(repeating: "a", count: 1000)) == String(repeating: "a", count: 200) + "…")
    }

    @Test(
        "fault O29: A signal is named",
        arguments: [("KILL", SIGKILL), ("PIPE", SIGPIPE), ("SEGV", SIGSEGV)]
    )
    func signalled(name: String, number: Int32) async throws {
        let error = await failure(shell("ulimit -c 0; kill -\(name) $$"))
        #expect(error?.reason == .signal(number))
        let words = try #require(strsignal(number).map { String(cString: $0) })
        #expect(error?.description == "/bin/sh was ended by signal \(number) (\(words))")
    }

    @Test("fault O29: What cannot be started says why")
    func cannotStart() async throws {
        let directory = try TemporaryDirectory()
        try Data("echo".utf8).write(to: URL(fileURLWithPath: directory.path + "/file"))
        let file = directory.path + "/file"
        #expect(await failure(ChildProcess(["migrat-not-there"]))?.description == "no such command: migrat-not-there")
        #expect(await failure(ChildProcess(["./migrat-not-there"]))?.description == "no such command: ./migrat-not-there")
        #expect(await failure(ChildProcess([file]))?.description == "\(file) is not executable")
        #expect(await failure(ChildProcess([directory.path]))?.description == "\(directory.path) is not executable")
        #expect(await failure(ChildProcess([file + "/inside"]))?.description == "no such command: \(file)/inside")
        #expect(await failure(ChildProcess([]))?.description == "no such command: ''")
        #expect(await failure(ChildProcess([""]))?.description == "no such command: ''")
        let zero = await failure(ChildProcess(["echo", "a\0b"]))
        #expect(zero?.description == "echo could not be started: an argument contains a zero byte")
        let long = await failure(ChildProcess(["echo", String(repeating: "a", count: 8 << 20)]))
        #expect(long?.description == "echo could not be started: \(String(cString: strerror(E2BIG)))")
    }

    // MARK: Output

    @Test("Of a long output the last 64 KB remain, and the child does not wait for a reader", arguments: [100])
    func longOutput(kilobytes: Int) async throws {
        // 16 bytes a line.
        let lines = kilobytes * 10_000 / 16
        let output = try await shell(#"i=0; while [ $i -lt \#(lines) ]; do printf '%015d\n' $i; i=$((i+1)); done"#).run()
        let whole = (0..<lines).map { String(repeating: "0", count: 15 - "\($0)".count) + "\($0)\n" }.joined()
        #expect(output == String(whole.suffix(64 * 1024)))
    }

    @Test("Output that is not UTF-8 is replaced, not refused")
    func invalidOutput() async throws {
        #expect(try await shell(#"printf 'a\377\300b\303'"#).run() == "a\u{FFFD}\u{FFFD}b\u{FFFD}")
        #expect(try await shell(#"printf '\000'"#).run() == "\0")
    }

    @Test("The tail keeps the same bytes whatever the chunks, and no part of a character at its start", arguments: [1, 7, 4096, 65536])
    func tail(chunk: Int) {
        let text = Array(("a" + String(repeating: "€", count: 70_000)).utf8)
        var tail = OutputTail()
        for start in stride(from: 0, to: text.count, by: chunk) { tail.append(text[start..<min(start + chunk, text.count)]) }
        #expect(tail.text == String(repeating: "€", count: 64 * 1024 / 3))
    }

    @Test("Of an output up to the limit nothing is cut", arguments: [0, 1, 65536, 65537])
    func limit(count: Int) {
        var tail = OutputTail()
        tail.append([UInt8](repeating: 97, count: count))
        #expect(tail.text == String(repeating: "a", count: min(count, 65536)))
    }

    @Test("fault O29: A process left behind with the pipe does not hold the run, and goes on")
    func grandchild() async throws {
        let output = try await shell("sleep 3600 & echo $!").run()
        let pid = try #require(pid_t(output.dropLast()))
        #expect(pid > 1 && kill(pid, 0) == 0)
        if pid > 1 { kill(pid, SIGKILL) }
    }

    @Test("A process left behind that never stops writing does not hold the run")
    func chattyGrandchild() async throws {
        // It ends by SIGPIPE, as soon as nobody reads any more.
        let output = try await shell("yes & exit 0").run()
        #expect(output.allSatisfy { $0 == "y" || $0 == "\n" })
    }

    @Test("A child that closed its output is waited for")
    func closedOutput() async throws {
        let error = await failure(shell("echo before; exec >&- 2>&-; sleep 0.01; exit 4"))
        #expect(error?.description == "/bin/sh ended with status 4: before")
    }

    // MARK: Cancellation

    @Test("A cancelled task starts nothing")
    func cancelledBefore() async throws {
        let directory = try TemporaryDirectory()
        let started = directory.path + "/started"
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await shell(#": > "$1""#, started).run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: started))
    }

    /// The witness is a named pipe that the whole group holds open: its end says that the last of them is gone.
    ///
    ///     test     run --- ready? ------------ cancel ------ CancellationError --- end of witness
    ///     child          \- ready, sleep ----------- SIGTERM
    @Test("Cancelling ends the child by SIGTERM, without waiting for the delay")
    func cancel() async throws {
        try await expectCancelled(#"exec 3>"$1"; echo ready >&3; exec sleep 100"#, killDelay: .seconds(1_000_000), rest: "")
    }

    @Test("A cancelled child that ignores SIGTERM is killed after the delay", arguments: [-1, 200])
    func stubborn(delay: Int) async throws {
        let script = #"exec 3>"$1"; trap "" TERM; echo ready >&3; while :; do sleep 1; done"#
        try await expectCancelled(script, killDelay: .milliseconds(delay), rest: "")
    }

    @Test("A cancelled child may end in its own way, and counts as cancelled all the same")
    func graceful() async throws {
        let script = #"exec 3>"$1"; trap "echo bye >&3; exit 0" TERM; echo ready >&3; while :; do sleep 0.05; done"#
        try await expectCancelled(script, killDelay: .seconds(1_000_000), rest: "bye\n")
    }

    @Test("fault O29: The processes that a cancelled child started end with it, also those without its output")
    func group() async throws {
        let script = #"exec 3>"$1"; sleep 100 & sleep 100 >/dev/null 2>&1 & sh -c 'sleep 100 & wait' & echo ready >&3; wait"#
        try await expectCancelled(script, killDelay: .seconds(1_000_000), rest: "")
    }

    @Test("A process that outlives the cancelled child may clear up within the delay")
    func gracefulGrandchild() async throws {
        let script = #"exec 3>"$1"; (trap "echo cleared >&3; exit 0" TERM; echo ready >&3; while :; do sleep 0.05; done) & wait"#
        try await expectCancelled(script, killDelay: .seconds(1_000_000), rest: "cleared\n")
    }

    @Test("A process that outlives the cancelled child and ignores SIGTERM is killed after the delay")
    func stubbornGrandchild() async throws {
        let script = #"exec 3>"$1"; (trap "" TERM; echo ready >&3; while :; do sleep 1; done) & wait"#
        try await expectCancelled(script, killDelay: .milliseconds(50), rest: "")
    }

    @Test("A stopped child is killed after the delay")
    func stopped() async throws {
        let script = #"exec 3>"$1"; (echo ready >&3; kill -STOP $$); sleep 100"#
        try await expectCancelled(script, killDelay: .milliseconds(50), rest: "")
    }

    @Test("A cancellation at any moment ends in an output or in a cancellation", arguments: [1, 16])
    func races(width: Int) async throws {
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<width {
                group.addTask {
                    for round in 0..<(128 / width) {
                        let task = Task { try await ChildProcess(["true"]).run() }
                        for _ in 0..<(round * 17 + lane) % 200 { await Task.yield() }
                        task.cancel()
                        switch await task.result {
                        case .success(let output): #expect(output.isEmpty)
                        case .failure(let error): #expect(error is CancellationError)
                        }
                    }
                }
            }
        }
    }

    // MARK: Many

    @Test("50 at a time keep their outputs apart")
    func parallel() async throws {
        try await atOnce(0..<50) { index in
            let output = try await shell(#"echo "$1"; sleep 0.05; echo "$1""#, "\(index)").run()
            #expect(output == "\(index)\n\(index)\n")
        }
    }

    @Test("Neither descriptors nor zombies remain")
    func leaks() async {
        // In a process of its own: other tests open files and start children too.
        await #expect(processExitsWith: .success) {
            func runAll() async throws {
                _ = try? await ChildProcess(["true"]).run()
                _ = try? await ChildProcess(["not-there-at-all"]).run()
                _ = try? await shell("exit 3").run()
                _ = try? await shell("sleep 0.2 & exit 0").run()
                let task = Task { try await ChildProcess(["sleep", "100"]).run() }
                await Task.yield()
                task.cancel()
                _ = await task.result
            }
            func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
            try await runAll()
            let before = try descriptors()
            for _ in 0..<20 { try await runAll() }
            #expect(try descriptors() == before)
            #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
        }
    }

    @Test("A child gets no descriptor of another one, and no ignored or blocked signal")
    func inheritance() async {
        await #expect(processExitsWith: .success) {
            // SIGPIPE, SIGINT and SIGTERM as a tool sets them that handles them itself.
            for number in [SIGPIPE, SIGINT, SIGTERM] { _ = signal(number, SIG_IGN) }
            @Sendable func pipes(_ listing: String) -> Set<Substring> {
                Set(listing.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("pipe:") })
            }
            // The runner of the tests has some, and does not hide them. It may have so many descriptors that a list of all is cut.
            let others = try await pipes(shell("find /proc/$PPID/fd -lname 'pipe:*' -printf '%l\\n'").run())
            try await atOnce(0..<20) { index in
                let name = ["PIPE", "INT", "TERM"][index % 3]
                await #expect(throws: ChildProcessError.self) { try await shell("kill -\(name) $$").run() }
                #if os(Linux)
                    let output = try await ChildProcess(["find", "/proc/self/fd", "-lname", "pipe:*", "-printf", "%l\\n"]).run()
                    #expect(pipes(output).subtracting(others).count == 1)
                #endif
            }
        }
    }

    @Test("A tool that has its children reaped by the system says so instead of waiting for ever")
    func reapedElsewhere() async {
        await #expect(processExitsWith: .success) {
            _ = signal(SIGCHLD, SIG_IGN)
            let error = await #expect(throws: ChildProcessError.self) { try await ChildProcess(["true"]).run() }
            #expect(error?.description == "true could not be waited for: \(String(cString: strerror(ECHILD)))")
        }
    }

    @Test("fault L22: A tool without descriptors left says so")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            _ = try await ChildProcess(["true"]).run()
            var opened: [Int32] = []
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            #if canImport(Glibc)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
                setrlimit(RLIMIT_NOFILE, &limit)
            #endif
            while opened.last != -1 { opened.append(openForReading("/dev/null")) }
            let error = await #expect(throws: ChildProcessError.self) { try await ChildProcess(["true"]).run() }
            for descriptor in opened.dropLast() { close(descriptor) }
            #expect(error?.description == "true could not be started: \(String(cString: strerror(EMFILE)))")
            _ = try await ChildProcess(["true"]).run()
        }
    }

    // MARK: Helpers

    private func failure(_ process: ChildProcess) async -> ChildProcessError? {
        await #expect(throws: ChildProcessError.self) { try await process.run() }
    }

    /// Cancels the script once it wrote `ready` to the witness, its first argument, and expects `rest` from there until its end.
    private func expectCancelled(_ script: String, killDelay: Duration, rest: String) async throws {
        let witness = try Witness()
        let task = Task { try await shell(script, witness.path, killDelay: killDelay).run() }
        #expect(try await witness.open() == "ready\n")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await witness.rest() == rest)
    }
}

/// A script with its arguments, `$1` the first of them.
private func shell(_ script: String, _ arguments: String..., killDelay: Duration = .milliseconds(200)) -> ChildProcess {
    ChildProcess(["/bin/sh", "-c", script, "script"] + arguments, killDelay: killDelay)
}

private final class TemporaryDirectory: Sendable {
    let path = NSTemporaryDirectory() + "/child-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

private func openForReading(_ path: String) -> Int32 {
    open(path, O_RDONLY | O_CLOEXEC)
}

/// A named pipe through which scripts say how far they are, and whose end says that they are gone.
private actor Witness {
    private let directory: TemporaryDirectory
    private var descriptor: Int32 = -1
    nonisolated let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/witness"
        try #require(mkfifo(path, 0o600) == 0)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits for a script to open the pipe, and returns the first line it writes.
    func open() async throws -> String {
        let path = path
        descriptor = await blocking(orElse: -1) { openForReading(path) }
        try #require(descriptor >= 0)
        return await text { $0 == UInt8(ascii: "\n") }
    }

    /// Waits until nobody has the pipe open for writing, and returns what they wrote until then.
    func rest() async -> String {
        await text { _ in false }
    }

    private func text(until isEnd: @escaping @Sendable (UInt8) -> Bool) async -> String {
        let descriptor = descriptor
        return await blocking(orElse: "") {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1 {
                bytes.append(byte)
                if isEnd(byte) { break }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Runs what blocks on a thread that it may block.
    private func blocking<Result: Sendable>(orElse value: Result, _ body: @escaping @Sendable () -> Result) async -> Result {
        await callback(orElse: value) { done in Thread { done(body()) }.start() }
    }
}
