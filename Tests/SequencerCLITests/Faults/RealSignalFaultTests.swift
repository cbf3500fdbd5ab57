import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// What signals leave behind: terminals, children, exit codes.
@Suite("Faults of signals", .serialized, .timeLimit(.minutes(30)), .real)
struct RealSignalFaultTests {
    /// Lines for a shell in which `wait_gone PID` returns once the process is gone, or is dead and nobody has asked how it ended.
    private static let waitGone = """
        alive() {
            if [ ! -d /proc/self ]; then kill -0 $1 2> /dev/null && return; fi
            { read -r _ _ state _ < /proc/$1/stat && [ "$state" != Z ]; } 2> /dev/null
        }
        wait_gone() { while alive $1; do sleep 0.02; done; }

        """

    /// A scenario that never ends, and the file in which its command, if it has one, says its pid.
    private func endless(in folder: TemporaryFolder, _ script: String? = nil) throws -> (scenario: String, pid: String) {
        let pid = folder.file("pid").path
        let words = script.map { #""sh", "-c", "\#($0)", "script", "\#(pid)""# } ?? #""touch", "\#(pid)""#
        let first = #"{ "id": "first", "work": { "command": [\#(words)] } }"#
        let scenario = try folder.write(scenarioText(first, #"{ "id": "long", "after": ["first"], "work": { "simulate": "1h" } }"#))
        return (scenario, pid)
    }

    /// Ignores what can be ignored, and says its pid.
    private static let stubborn = "trap '' HUP INT QUIT TERM; echo $$ > $1; while :; do sleep 0.1; done"

    private static let ends = [("HUP", 129), ("INT", 130), ("QUIT", 131), ("TERM", 143)] as [(String, Int32)]

    @Test("fault L17: each signal that ends the tool cancels, has the report so far printed, and exits with 128 + n", arguments: ends)
    func ended(name: String, code: Int32) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (scenario, mark) = try endless(in: folder)
        let result = try await Tool.shell(
            """
            "$TOOL" run \(scenario) --deadline none --json & pid=$!
            while [ ! -e \(mark) ]; do sleep 0.01; done
            kill -\(name) $pid
            wait $pid
            """
        )
        #expect(result.code == code)
        #expect(try result.json()["outcome"] as? String == "cancelled")
    }

    @Test("fault L17: signals that are blocked when the tool starts, as by a thread of Dispatch, end it all the same")
    func blocked() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (scenario, mark) = try endless(in: folder)
        let process = Process()
        process.executableURL = Tool.path
        process.arguments = ["run", scenario, "--deadline", "none"]
        process.standardOutput = FileHandle.nullDevice
        let started = Gate()
        Thread {
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            try? process.run()
            started.open()
        }.start()
        await started.wait()
        await eventually { FileManager.default.fileExists(atPath: mark) }
        kill(process.processIdentifier, SIGTERM)
        await eventually { !process.isRunning }
        #expect(process.terminationStatus == 143)
    }

    @Test("fault L17: SIGHUP that is ignored when the tool starts stays ignored, as nohup has it")
    func ignored() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (scenario, mark) = try endless(in: folder)
        let result = try await Tool.shell(
            """
            trap '' HUP
            "$TOOL" run \(scenario) --deadline none & pid=$!
            while [ ! -e \(mark) ]; do sleep 0.01; done
            kill -HUP $pid; kill -TERM $pid
            wait $pid
            """
        )
        #expect(result.code == 143)
    }

    @Test("fault L18: a child that ignores every signal ends with the tool, also with one that a second signal ends", arguments: [1, 2])
    func stubbornChild(times: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (scenario, child) = try endless(in: folder, Self.stubborn)
        let result = try await Tool.shell(
            Self.waitGone + """
                "$TOOL" run \(scenario) --deadline none > /dev/null & pid=$!
                until [ -s \(child) ]; do sleep 0.01; done
                for i in $(seq \(times)); do kill -TERM $pid; done
                wait $pid; echo "code $?"
                wait_gone $(cat \(child)); echo "gone"
                """
        )
        #expect(result.output == "code 143\ngone\n", "\(result.output)")
    }

    @Test("fault P42: a signal that ends the tool while it prepares the launch of the app leaves no journal, which would look like a crash")
    func beforeLaunch() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The push never comes to its end: the shell has the pipe open for writing.
        let result = try await Tool.shell(
            """
            cd \(folder.url.path) && mkfifo push && exec 3<> push
            "$TOOL" run --state device --push - < push & pid=$!
            until ls device/journal/*.jsonl > /dev/null 2>&1 || ! kill -0 $pid 2> /dev/null; do sleep 0.01; done
            kill -INT $pid; wait $pid; echo "code $?"; ls device/journal
            """
        )
        #expect(result.output == "code 130\n", "\(result.messages)")
    }

    @Test("fault L22: without a descriptor for signals SIGUSR1 keeps its effect, and the next launch tries again")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            var opened: [Int32] = []
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            #if canImport(Glibc)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
                setrlimit(RLIMIT_NOFILE, &limit)
            #endif
            while opened.last != -1 { opened.append(dup(STDERR_FILENO)) }
            SignalThread.shared.onStatusRequest {}
            let isDefault = signal(SIGUSR1, SIG_DFL) == nil
            let isRefused = (try? SignalThread.shared.launchBegan {}) == nil
            for descriptor in opened.dropLast() { close(descriptor) }
            #expect(isDefault && isRefused)
            let told = Gate()
            SignalThread.shared.onStatusRequest { told.open() }
            kill(getpid(), SIGUSR1)
            await told.wait()
        }
    }

    @Test("fault A13: whatever ends the tool while a password is typed, what is typed is shown again")
    func password() async throws {
        try await atOnce(Self.ends) { (name, code) in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let terminal = try PseudoTerminal()
            let modes = terminal.modes
            let arguments = ["run", "--interactive", "--region", "de-DE", "--state", folder.file("device").path]
            let tool = try Tool.start(on: terminal, arguments)
            #expect(await terminal.shows("Number or name: "))
            terminal.type("1\n")
            #expect(await terminal.shows("E-mail: "))
            terminal.type("person@example.com\n")
            #expect(await terminal.shows("Password: "))
            #expect(!terminal.echoes)
            kill(tool.process.processIdentifier, code - 128)
            #expect(await tool.code.value == code)
            #expect(terminal.echoes && areEqual(terminal.modes, modes), "\(name)")
        }
    }

    // MARK: Without threads

    /// A user of its own, so that nobody else's processes count.
    private static func limited(to count: Int) -> String {
        "prlimit --nproc=\(count):\(count) /usr/bin/setpriv --reuid=\(61_000 + count) --clear-groups \"$TOOL\""
    }
    private static let canLimit =
        geteuid() == 0 && exitCode(of: "/bin/sh", "-c", "TOOL='\(Tool.path.path)'; \(limited(to: 9)) --version") == 0

    @Test(
        "fault L62: without threads a launch is refused, with the limit and what to do",
        .enabled(if: canLimit, "needs root, to become another user"),
        arguments: ["first-launch", nil] as [String?]
    )
    func noThreads(scenario: String?) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = try folder.write(scenarioText(#"{ "id": "a", "work": { "command": ["true"] } }"#))
        #expect(try await Tool.shell("chmod -R a+rX \(folder.url.path)").code == 0)
        // Each limit is that of another user, so none counts another's threads.
        try await atOnce([1, 4, 12]) { limit in
            let result = try await Tool.shell("HOME=/nonexistent \(Self.limited(to: limit)) run \(scenario ?? file)")
            #expect(result.code == 1 && result.output.isEmpty, "\(limit)")
            #expect(result.messages.contains("the limit (this user may have \(limit), see 'ulimit -u')"), "\(result.messages)")
        }
    }

    @Test(
        "fault L62: with threads for a few operations no more run at a time, and each has its outcome",
        .enabled(if: canLimit, "needs root, to become another user"),
        arguments: [3, 20]
    )
    func fewThreads(more: Int) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let operations = (0..<30).map { #"{ "id": "op\#($0)", "onFailure": "continue", "work": { "command": ["sleep", "0.02"] } }"# }
        let scenario = try folder.write(scenarioText(operations.joined(separator: ",\n"), head: #""budget": "1h","#))
        let limit = ProcessInfo.processInfo.activeProcessorCount + 14 + more
        let result = try await Tool.shell(
            "chmod -R a+rX \(folder.url.path); \(Self.limited(to: limit)) run \(scenario) --deadline none --json"
        )
        #expect(result.code == 0, "\(result.messages)")
        #expect(result.messages.contains("of its operations can run at a time"), "\(result.messages)")
        #expect(try (result.json()["operations"] as? [Any])?.count == 30)
    }

    @Test("Reading needs no thread", .enabled(if: canLimit, "needs root, to become another user"), arguments: ["graph", "scenarios"])
    func reading(command: String) async throws {
        #expect(try await Tool.shell("\(Self.limited(to: 1)) \(command)\(command == "graph" ? " regular" : "")").code == 0)
    }
}
